import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray, type Json, type JsonObject } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import type { Answer } from "../client.ts";
import { type LateWebhook, startLateWebhook } from "./injection-late.ts";
import { shapes } from "./injection-shapes.ts";
import {
  annotation,
  container,
  counted,
  created,
  namesOf,
  pod,
  pods,
  type Stage,
  sidecarSet,
  sidecarSets,
  startStage,
  until,
  warningsOf,
} from "./injection-stage.ts";

// The mutating webhook for pods and the kind SidecarSet, registered with a real API server as their users register
// them.
if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("pods on a real API server", claims);

const hashKey = "kruise.io/sidecarset-hash";
const refusals = 'antechamber_refused_requests_total{code="503"}';
const bareHashKey = "kruise.io/sidecarset-hash-without-image";

function claims(): void {
  let stage: Stage;
  let late: LateWebhook;
  /** What became of a pod before there was a CRD of SidecarSets. */
  let early: Answer;

  beforeAll(async () => {
    [stage, late] = await Promise.all([startStage(), startLateWebhook()]);
    await stage.createNamespace("shapes", { team: "shapes" });
    await stage.createNamespace("broken");
    await stage.register("MutatingWebhookConfiguration");
    early = await until(
      () => stage.request("POST", `${pods("default")}?dryRun=All`, { body: pod("early", {}) }),
      ({ status }) => status !== 201,
    );
    await stage.register("CustomResourceDefinition");
    // The webhooks are not installed yet, so that invalid ones can be stored.
    await Promise.all(broken.map(store));
    await stage.register();
    await store(sidecarSet("probe", { selector: of("probe"), containers: [container("probe")] }));
    await until(
      () =>
        stage.request("POST", `${pods("default")}?dryRun=All`, {
          body: pod("probe", of("probe").matchLabels),
        }),
      ({ body }) => namesOf(body, "containers").includes("probe"),
    );
    await until(
      () => post(sidecarSets("v1beta1"), sidecarSet("judged", {}), "dryRun=All"),
      ({ status }) => status === 422,
    );
  }, 180_000);
  afterAll(async () => {
    await Promise.all([stage?.stop(), late?.stop()]);
  });

  it("are rejected with the reason, not created without sidecars, until SidecarSets are listed, and created then", () => {
    expect(early.status, early.text).toBe(422);
    expect(early.text).toContain("the objects of SidecarSet.apps.kruise.io are not listed yet");
  });

  describe("get the requested sidecars", () => {
    it.each(Object.entries(shapes))("%s", async (_what, { sets, pod: asked, expected }) => {
      for (const each of sets) await makeSet(each);
      const [name = ""] = sets.map((each) => String(get(each, "metadata", "name")));
      await untilKnown("shapes", asked, sets);
      const made = await created(stage, pods("shapes"), asked);
      expect(made).toMatchObject(expected);
      // What the API server stores is what it answered.
      const stored = await stage.request("GET", `${pods("shapes")}/${get(made, "metadata", "name")}`);
      expect(get(stored.body, "spec")).toEqual(made.spec);
      const set = await stage.request("GET", `${sidecarSets()}/${name}`);
      expect(get(JSON.parse(annotation(made, hashKey)), name, "hash")).toBe(annotation(set.body, hashKey));
    });
  });

  it("get sidecars from SidecarSets of either version, with the same hashes at both", async () => {
    const spec = {
      selector: of("old"),
      namespace: "shapes",
      containers: [container("old", { args: ["a && b"] })],
    };
    await makeSet(sidecarSet("old", spec, { version: "v1alpha1" }));
    const made = await soon("shapes", pod("old", of("old").matchLabels), "old");
    const [older, newer] = await Promise.all(
      ["v1alpha1", "v1beta1"].map((version) => stage.request("GET", `${sidecarSets(version)}/old`)),
    );
    expect(get(older?.body, "spec", "namespace")).toBe("shapes");
    expect(get(newer?.body, "spec", "namespaceSelector")).toEqual({
      matchLabels: { "kubernetes.io/metadata.name": "shapes" },
    });
    for (const key of [hashKey, bareHashKey]) {
      expect(annotation(newer?.body, key)).toMatch(/^[2-9b-hj-np-tv-xz]{64}$/);
      expect(annotation(older?.body, key)).toBe(annotation(newer?.body, key));
      expect(get(JSON.parse(annotation(made, key)), "old", "hash")).toBe(annotation(newer?.body, key));
    }
    const elsewhere = await created(stage, pods("default"), pod("old", of("old").matchLabels));
    expect(namesOf(elsewhere, "containers")).toEqual(["app"]);
  });

  it("get other containers, with another hash, after the SidecarSet changed", async () => {
    await makeSet(sidecarSet("moving", { selector: of("moving"), containers: [container("moving")] }));
    const before = await soon("shapes", pod("moving-1", of("moving").matchLabels), "moving");
    const body = { spec: { containers: [{ ...container("moving"), image: "registry.example/moving:2" }] } };
    const patched = await stage.request("PATCH", `${sidecarSets("v1alpha1")}/moving`, { body });
    expect(patched.status, patched.text).toBe(200);
    expect(annotation(patched.body, hashKey)).not.toBe(
      get(JSON.parse(annotation(before, hashKey)), "moving", "hash"),
    );
    expect(annotation(patched.body, bareHashKey)).toBe(
      get(JSON.parse(annotation(before, bareHashKey)), "moving", "hash"),
    );
    const after = await until(
      () => post(pods("shapes"), pod("moving-", of("moving").matchLabels), "dryRun=All"),
      ({ text }) => text.includes("registry.example/moving:2"),
    );
    expect(get(JSON.parse(annotation(after.body, hashKey)), "moving", "hash")).toBe(
      annotation(patched.body, hashKey),
    );
  });

  it("get sidecars with a generated name, too, and a dry run leaves nothing behind", async () => {
    await makeSet(sidecarSet("named", { selector: of("named"), containers: [container("named")] }));
    const asked = pod("named-", of("named").matchLabels);
    await soon("shapes", asked, "named");
    const path = `${pods("shapes")}?labelSelector=shape%3Dnamed`;
    const count = async () => (await items(path)).length;
    const before = await count();
    const dry = await post(pods("shapes"), asked, "dryRun=All");
    expect(namesOf(dry.body, "containers")).toEqual(["named", "app"]);
    expect(await count()).toBe(before);
    const made = await created(stage, pods("shapes"), asked);
    expect(get(made, "metadata", "name")).toMatch(/^named-\w{5}$/);
    expect(namesOf(made, "containers")).toEqual(["named", "app"]);
  });

  it("are stable: applying the same again changes nothing, nor does an update, and a copy is not injected twice", async () => {
    await makeSet(
      sidecarSet("stable", {
        selector: of("stable"),
        containers: [container("stable", { volumeMounts: [{ name: "buf", mountPath: "/buf" }] })],
        initContainers: [container("stable-init")],
        volumes: [{ name: "buf", emptyDir: {} }],
        imagePullSecrets: [{ name: "registry" }],
      }),
    );
    await soon("shapes", pod("stable-", of("stable").matchLabels), "stable");
    const input = JSON.stringify(pod("stable", of("stable").matchLabels));
    const apply = () => stage.kubectl(["apply", "-n", "shapes", "-f", "-"], { input });
    expect((await apply()).stdout).toBe("pod/stable created\n");
    const path = `${pods("shapes")}/stable`;
    const first = await stage.request("GET", path);
    expect(namesOf(first.body, "containers")).toEqual(["stable", "app"]);
    expect((await apply()).code).toBe(0);
    expect((await stage.request("GET", path)).body).toEqual(first.body);
    const server = await stage.kubectl(
      ["apply", "-n", "shapes", "--server-side", "--force-conflicts", "-f", "-"],
      { input },
    );
    expect(server).toMatchObject({ code: 0 });
    const labels = { ...of("stable").matchLabels, touched: "yes" };
    const whole = await object(path);
    const body = { ...whole, metadata: { ...(whole.metadata as JsonObject), labels } };
    const put = await stage.request("PUT", path, { body });
    expect(put.status, put.text).toBe(200);
    expect(get(put.body, "spec")).toEqual(get(first.body, "spec"));

    const {
      name: _,
      uid: _uid,
      resourceVersion: _version,
      ...metadata
    } = (put.body as JsonObject).metadata as JsonObject;
    const copy = await created(stage, pods("shapes"), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, name: "stable-copy" },
      spec: (put.body as JsonObject).spec as JsonObject,
    });
    expect(copy.spec).toEqual(get(first.body, "spec"));
    expect(annotation(copy, "kruise.io/sidecarset-injected-list")).toBe("stable");
  });

  it("are injected again after another webhook, with regard to what it added, and only once", async () => {
    await late.register(stage, { shape: "late" });
    await makeSet(
      sidecarSet("again", {
        selector: of("late"),
        containers: [
          container("again", {
            podInjectPolicy: "AfterAppContainer",
            shareVolumePolicy: { type: "enabled" },
            resourcesPolicy: {
              targetContainersMode: "sum",
              targetContainersNameRegex: ".*",
              resourcesExpr: { limits: { cpu: "cpu" } },
            },
          }),
        ],
      }),
    );
    const spec = { containers: [container("app", { resources: { limits: { cpu: "1" } } })] };
    const asked = pod("late", of("late").matchLabels, spec);
    await until(
      () => post(pods("shapes"), asked, "dryRun=All"),
      ({ body }) => ["again", "late"].every((each) => namesOf(body, "containers").includes(each)),
    );
    const made = await created(stage, pods("shapes"), asked);
    expect([...namesOf(made, "containers")].sort()).toEqual(["again", "app", "late"]);
    const again = (get(made, "spec", "containers") as readonly JsonObject[]).find(
      ({ name }) => name === "again",
    );
    expect(get(again, "resources", "limits", "cpu")).toBe("3");
    expect(get(again, "volumeMounts")).toEqual([{ name: "late", mountPath: "/late" }]);
    expect(get(again, "env")).toEqual([{ name: "IS_INJECTED", value: "true" }]);
    const [entry] = (await stage.audited("late")).filter(
      (each) => !String(each.requestURI).includes("dryRun"),
    );
    const rounds = Object.entries((entry?.annotations ?? {}) as JsonObject)
      .filter(([key, value]) => key.includes("round_") && String(value).includes("antechamber-pods"))
      .map(([key]) => /round_\d/.exec(key)?.[0]);
    expect(rounds).toEqual(["round_0", "round_1"]);
  });

  it("always get their sidecars in a namespace that was created a moment before", async () => {
    await makeSet(
      sidecarSet("fresh", {
        selector: of("fresh"),
        namespaceSelector: { matchLabels: { tier: "fresh" } },
        containers: [container("fresh")],
      }),
    );
    await stage.createNamespace("fresh", { tier: "fresh" });
    await soon("fresh", pod("fresh-", of("fresh").matchLabels), "fresh");
    const found = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const namespace = `fresh-${index}`;
        await stage.createNamespace(namespace, { tier: index % 4 === 3 ? "stale" : "fresh" });
        return namesOf(
          await created(stage, pods(namespace), pod("fresh", of("fresh").matchLabels)),
          "containers",
        );
      }),
    );
    expect(found.filter((names) => names.includes("fresh"))).toHaveLength(30);

    // Nothing of it can be known here, and the API server asks again until it is.
    const before = await counted(stage, refusals);
    await stage.view.close();
    await stage.createNamespace("hidden", { tier: "fresh" });
    const made = created(stage, pods("hidden"), pod("hidden", of("fresh").matchLabels));
    await expect.poll(() => counted(stage, refusals)).toBeGreaterThan(before);
    const bare = await created(stage, pods("hidden"), pod("bare", { shape: "none" }));
    expect(namesOf(bare, "containers")).toEqual(["app"]);
    await stage.view.open();
    expect(namesOf(await made, "containers")).toEqual(["fresh", "app"]);
  }, 60_000);

  it.each([
    [
      "operator",
      'SidecarSet broken-operator, spec.selector.matchExpressions[0].operator: \\"Bogus\\" is not a valid pod selector operator',
    ],
    ["list", "SidecarSet broken-list, spec.containers"],
    [
      "revision",
      'SidecarSet broken-revision, spec.injectionStrategy.revision: controllerrevisions.apps \\"gone\\" not found',
    ],
    ["regex", "SidecarSet broken-regex, spec.containers[0].resourcesPolicy"],
  ])("are refused for a broken SidecarSet, which is named: %s", async (what, sentence) => {
    const { matchLabels } = of(`broken-${what}`);
    const refused = await post(pods("broken"), pod(what, matchLabels));
    expect(refused.status, refused.text).toBe(422);
    expect(refused.text).toContain(sentence);
    const [entry] = await stage.audited(what);
    expect(entry?.annotations).toMatchObject({
      "mutate.pods.antechamber.dev/refused-for": `broken-${what}`,
    });
    const other = await created(stage, pods("broken"), pod(`not-${what}`, { shape: "whole" }));
    expect(namesOf(other, "containers")).toEqual(["app"]);
  });

  it("cause warnings for the client that creates them, and an entry in the audit log", async () => {
    await makeSet(
      sidecarSet("warned", {
        selector: of("warned"),
        containers: [container("app", { env: [{ name: "IS_INJECTED", value: "no" }] })],
      }),
    );
    await soon(
      "shapes",
      pod("warned-", of("warned").matchLabels),
      "app",
      "kruise.io/sidecarset-injected-list",
    );
    const made = await post(pods("shapes"), pod("warned", of("warned").matchLabels));
    expect(made.status, made.text).toBe(201);
    expect(warningsOf(made)).toContain(
      "SidecarSet warned, spec.containers[0]: replaces the pod's own container",
    );
    expect(warningsOf(made)).toContain("IS_INJECTED is set twice; the second value, true, takes effect");
    const [entry] = await stage.audited("warned");
    expect(entry?.annotations).toMatchObject({ "mutate.pods.antechamber.dev/injected": "warned" });
  });

  it("of kubectl run are injected, too, and those that no SidecarSet selects stay unchanged", async () => {
    await makeSet(
      sidecarSet("ran", { selector: { matchLabels: { run: "ran" } }, containers: [container("ran")] }),
    );
    await soon("default", pod("ran-", { run: "ran" }), "ran");
    const ran = await stage.kubectl([
      "run",
      "app",
      "--labels=run=ran",
      "--image=registry.example/app:1",
      "-o",
      "json",
    ]);
    expect(namesOf(JSON.parse(ran.stdout), "containers")).toEqual(["ran", "app"]);
    const bare = await created(stage, pods("default"), pod("bare", { shape: "none" }));
    expect(get(bare, "metadata", "annotations")).toBeUndefined();
    expect(namesOf(bare, "containers")).toEqual(["app"]);
  });

  function of(shape: string): { readonly matchLabels: { readonly shape: string } } {
    return { matchLabels: { shape } };
  }

  function post(path: string, body: JsonObject, query = ""): Promise<Answer> {
    return stage.request("POST", `${path}?${query}`, { body });
  }

  async function makeSet(object: JsonObject): Promise<void> {
    const version = String(object.apiVersion).split("/").at(-1);
    await created(stage, sidecarSets(version), object);
  }

  /** Creates one as soon as it can be: a new CRD's path comes about some milliseconds later. */
  async function store(object: JsonObject): Promise<void> {
    await until(
      () => stage.request("POST", sidecarSets(), { body: object }),
      ({ status }) => status === 201,
    );
  }

  /** The SidecarSets of a shape reach the service some milliseconds after they were written. */
  async function untilKnown(
    namespace: string,
    asked: JsonObject,
    sets: readonly JsonObject[],
  ): Promise<void> {
    const names = sets.map((each) => String(get(each, "metadata", "name")));
    const wanted = names.filter((name) => !name.endsWith("-elsewhere") && !name.endsWith("-paused"));
    await until(
      () => post(pods(namespace), asked, "dryRun=All"),
      ({ body }) => annotation(body, "kruise.io/sidecarset-injected-list") === wanted.sort().join(","),
    );
  }

  /** A pod of a kind that gets a container as soon as its SidecarSet is known; nothing is stored of it. */
  async function soon(
    namespace: string,
    asked: JsonObject,
    name: string,
    key = hashKey,
  ): Promise<Json | undefined> {
    const answer = await until(
      () => post(pods(namespace), asked, "dryRun=All"),
      ({ body }) => namesOf(body, "containers").includes(name) && annotation(body, key) !== "",
    );
    return answer.body;
  }

  async function object(path: string): Promise<JsonObject> {
    return (await stage.request("GET", path)).body as JsonObject;
  }

  async function items(path: string): Promise<readonly Json[]> {
    const found = get((await stage.request("GET", path)).body, "items");
    return isArray(found) ? found : [];
  }
}

/** What the schema takes and the validating webhook would not: as they are stored where it was away. */
const broken: readonly JsonObject[] = [
  sidecarSet("broken-operator", {
    selector: {
      matchLabels: { shape: "broken-operator" },
      matchExpressions: [{ key: "shape", operator: "Bogus", values: ["x"] }],
    },
    containers: [container("one")],
  }),
  sidecarSet("broken-list", {
    selector: { matchLabels: { shape: "broken-list" } },
    containers: [{ ...container("two"), env: { no: "list" } }],
  }),
  sidecarSet("broken-revision", {
    selector: { matchLabels: { shape: "broken-revision" } },
    containers: [container("three")],
    injectionStrategy: { revision: { revisionName: "gone" } },
  }),
  sidecarSet("broken-regex", {
    selector: { matchLabels: { shape: "broken-regex" } },
    containers: [
      container("four", {
        resourcesPolicy: {
          targetContainersMode: "sum",
          targetContainersNameRegex: "^none$",
          resourcesExpr: { limits: { cpu: "cpu" } },
        },
      }),
    ],
  }),
];
