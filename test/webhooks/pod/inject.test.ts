import { describe, expect, it } from "vitest";
import { get, type Json, type JsonObject } from "../../../src/json/json.ts";
import { printExplanation } from "../../../webhooks/core/pod/explain.ts";
import { type Injection, type InjectionRequest, inject } from "../../../webhooks/core/pod/inject.ts";
import { creation, Shelf, unknown } from "./listers.ts";

const web: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "shop", labels: { app: "web" } },
  spec: { containers: [{ name: "app", image: "app:1" }] },
};

function set(name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "SidecarSet",
    metadata: { name },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  };
}

const agent: JsonObject = { name: "agent", image: "a:1" };

function injected(pod: JsonObject, sidecarSets: Json, circumstances?: Partial<InjectionRequest>): Injection {
  return inject(pod, creation({ sidecarSets, ...(circumstances === undefined ? {} : { circumstances }) }));
}

function objectOf(injection: Injection): JsonObject {
  if (injection.outcome !== "change") throw new Error(injection.outcome);
  return injection.object;
}

function sentencesOf(injection: Injection): readonly string[] {
  return injection.outcome === "deny" ? injection.causes.map(({ message }) => message) : [];
}

function namesOf(injection: Injection, list = "containers"): Json {
  return (get(objectOf(injection), "spec", list) as readonly JsonObject[]).map((each) => each.name ?? null);
}

describe("a pod that the injector skips", () => {
  const sets = [set("log", { containers: [agent] })];
  it.each<[string, JsonObject, Partial<InjectionRequest>]>([
    ["an update", web, { operation: "UPDATE" }],
    ["a deletion", web, { operation: "DELETE" }],
    ["a subresource", web, { subresource: "ephemeralcontainers" }],
    ["a pod that is over", { ...web, status: { phase: "Failed" } }, {}],
    [
      "a mirror of a static pod",
      { ...web, metadata: { labels: { app: "web" }, annotations: { "kubernetes.io/config.mirror": "x" } } },
      {},
    ],
  ])("is allowed unchanged: %s", (_what, pod, circumstances) => {
    const answer = injected(pod, sets, circumstances);
    expect(answer.outcome).toBe("allow");
    expect(answer.explain().skipped).toBeTypeOf("string");
  });
});

it("a pod that no SidecarSet matches may have any record, and is returned unchanged", () => {
  const annotations = { "kruise.io/sidecarset-hash": "nonsense" };
  const pod = { ...web, metadata: { labels: { app: "api" }, annotations } };
  expect(injected(pod, [set("log", { containers: [agent] })]).outcome).toBe("allow");
  const matching = { ...web, metadata: { labels: { app: "web" }, annotations } };
  expect(sentencesOf(injected(matching, [set("log", { containers: [agent] })]))[0]).toContain("nonsense");
});

describe("an unreadable SidecarSet", () => {
  const broken = set("broken", {
    selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "x", operator: "Like" }] },
    containers: [agent],
  });

  it("is named in the rejection, with the field", () => {
    expect(sentencesOf(injected(web, [broken, set("good", { containers: [agent] })]))).toEqual([
      'SidecarSet broken, spec.selector.matchExpressions[0].operator: "Like" is not a valid pod selector operator',
    ]);
  });

  it("does not affect pods that the rest of its selector excludes", () => {
    const other = { ...web, metadata: { labels: { app: "api" } } };
    expect(injected(other, [broken]).outcome).toBe("allow");
  });

  it.each<[JsonObject, string]>([
    [{ containers: "agent" }, "spec.containers: must be a list"],
    [{ containers: [1] }, "spec.containers[0]: must be an object"],
    [{ containers: [{ name: 1 }] }, "spec.containers[0].name: must be a string"],
    [{ containers: [{ name: "a", env: {} }] }, "spec.containers[0].env: must be a list"],
    [{ volumes: [null] }, "spec.volumes[0]: must be an object"],
    [
      { patchPodMetadata: [{ annotations: { a: 1 } }] },
      "spec.patchPodMetadata[0].annotations.a: must be a string",
    ],
  ])("is one with values of wrong types: %j", (spec, sentence) => {
    expect(sentencesOf(injected(web, [set("odd", spec)]))).toEqual([`SidecarSet odd, ${sentence}`]);
  });

  it("causes a rejection with all faults, up to a limit", () => {
    const odd = (names: readonly string[]) => names.map((name) => set(name, { containers: 1 }));
    expect(sentencesOf(injected(web, odd(["a", "b"])))).toHaveLength(2);
    expect(sentencesOf(injected(web, odd([..."abcdefghij"])))[4]).toBe("and 6 more");
  });
});

describe("an object that is not listed yet", () => {
  const byLabels = set("log", { containers: [agent], namespaceSelector: { matchLabels: { team: "x" } } });

  it("is waited for: the SidecarSets, by every pod", () => {
    const { listers } = creation({});
    const answer = inject(
      web,
      creation({ circumstances: { listers: { ...listers, sidecarSets: unknown } } }),
    );
    expect(answer.outcome).toBe("wait");
  });

  it("is waited for: the labels of a new namespace", () => {
    const answer = injected(web, [byLabels]);
    expect(answer).toMatchObject({ outcome: "wait" });
    expect(answer.outcome === "wait" && answer.reason).toContain("namespace shop is not known yet");
  });

  it("is not waited for by pods that the SidecarSet does not select", () => {
    expect(injected({ ...web, metadata: { namespace: "shop" } }, [byLabels]).outcome).toBe("allow");
  });

  it("is not waited for if the namespace's name decides", () => {
    const byName = (name: string) => ({ matchLabels: { "kubernetes.io/metadata.name": name } });
    expect(
      injected(web, [set("log", { containers: [agent], namespaceSelector: byName("shop") })]).outcome,
    ).toBe("change");
    const elsewhere = { matchLabels: { ...byName("bank").matchLabels, team: "x" } };
    expect(injected(web, [set("log", { containers: [agent], namespaceSelector: elsewhere })]).outcome).toBe(
      "allow",
    );
  });
});

describe("recorded revisions", () => {
  const revision = (name: string, image: string, version: string, number: number) => ({
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name,
      namespace: "kruise-system",
      labels: { "kruise.io/sidecarset-name": "log", "apps.kruise.io/sidecarset-custom-version": version },
    },
    data: { spec: { $patch: "replace", containers: [{ name: "agent", image }] } },
    revision: number,
  });
  const partial = (partition: Json) =>
    set("log", {
      containers: [agent],
      injectionStrategy: { revision: { customVersion: "v1", policy: "Partial" } },
      updateStrategy: { partition },
    });
  const imageOf = (answer: Injection) =>
    get((get(objectOf(answer), "spec", "containers") as Json[]).at(-1), "image");
  const controllerRevisions = [revision("log-1", "a:0", "v1", 1), revision("log-2", "a:0.5", "v1", 2)];
  const drawn = (partition: Json, circumstances: Partial<InjectionRequest>) =>
    inject(web, creation({ sidecarSets: [partial(partition)], controllerRevisions, circumstances }));

  it.each([
    ["30%", 0.29, "a:0.5"],
    ["30%", 0.3, "a:1"],
    ["0%", 0, "a:1"],
    ["100%", 0.999, "a:0.5"],
    [3, 0, "a:1"],
  ])("partition %s, drawn %d: %s", (partition, draw, image) => {
    expect(imageOf(drawn(partition, { random: () => draw }))).toBe(image);
  });

  it("are the same for all pods of an owner, if the gate is open", () => {
    const gates = { PartialRevisionByOwner: true };
    const owned = (uid: string): JsonObject => ({
      ...web,
      metadata: { ...(web.metadata as JsonObject), ownerReferences: [{ uid, controller: true }] },
    });
    const images = Array.from({ length: 200 }, (_, index) => {
      const pod = owned(`uid-${index}`);
      const answers = [0, 0.999].map((draw) =>
        inject(
          pod,
          creation({
            sidecarSets: [partial("50%")],
            controllerRevisions,
            circumstances: { gates, random: () => draw },
          }),
        ),
      );
      const [one, other] = answers.map(imageOf);
      expect(other).toBe(one);
      return one;
    });
    const old = images.filter((image) => image === "a:0.5").length;
    expect(old).toBeGreaterThan(60);
    expect(old).toBeLessThan(140);
  });

  it("are indexed as they are added and removed", () => {
    const shelf = new Shelf(controllerRevisions);
    const sidecarSets = new Shelf([partial("100%")]);
    const answer = () => {
      const { listers } = creation({});
      return inject(
        web,
        creation({ circumstances: { listers: { ...listers, sidecarSets, controllerRevisions: shelf } } }),
      );
    };
    expect(imageOf(answer())).toBe("a:0.5");
    shelf.put(revision("log-3", "a:0.7", "v1", 3));
    expect(imageOf(answer())).toBe("a:0.7");
    shelf.put(revision("log-3", "a:0.7", "v2", 3));
    expect(imageOf(answer())).toBe("a:0.5");
    for (const each of controllerRevisions) shelf.take(each);
    expect(sentencesOf(answer())[0]).toContain('none has the custom version "v1"');
  });
});

describe("warnings", () => {
  it.each<[string, JsonObject, string]>([
    [
      "a sidecar takes a container's place",
      { containers: [{ name: "app", image: "a:1" }] },
      "replaces the pod's own container app",
    ],
    [
      "an init container is called like a container",
      { initContainers: [{ name: "app", image: "a:1" }] },
      "the pod already has a container app",
    ],
    [
      "a volume that is defined nowhere",
      { containers: [{ ...agent, volumeMounts: [{ name: "v", mountPath: "/v" }] }] },
      "mounts volume v, which neither the SidecarSet nor the pod defines",
    ],
    [
      "a hot upgrade without its image",
      { containers: [{ ...agent, upgradeStrategy: { upgradeType: "HotUpgrade" } }] },
      "has no hotUpgradeEmptyImage",
    ],
    ["one name twice", { containers: [agent, agent] }, "SidecarSet log also adds a container agent"],
  ])("tell of %s", (_what, spec, sentence) => {
    const { warnings } = injected(web, [set("log", spec)]);
    expect(warnings.join("\n")).toContain(sentence);
  });

  it("are few and short, however many there could be", () => {
    const volumeMounts = Array.from({ length: 50 }, (_, index) => ({
      name: `v${index}${"x".repeat(200)}`,
      mountPath: `/${index}`,
    }));
    const { warnings } = injected(web, [set("log", { containers: [{ ...agent, volumeMounts }] })]);
    expect(warnings).toHaveLength(5);
    expect(Math.max(...warnings.map((each) => each.length))).toBeLessThanOrEqual(120);
  });

  it("are not given for a pod that was injected before", () => {
    const sets = [set("log", { containers: [agent] })];
    expect(injected(objectOf(injected(web, sets)), sets).warnings).toEqual([]);
  });
});

describe("gates", () => {
  it("sort containers by their names", () => {
    const sets = [
      set("log", { containers: ["b", "a"].map((name) => ({ name, podInjectPolicy: "BeforeAppContainer" })) }),
    ];
    expect(namesOf(injected(web, sets))).toEqual(["b", "a", "app"]);
    const gates = { EnableSortSidecarContainerByName: true };
    expect(namesOf(injected(web, sets, { gates }))).toEqual(["a", "b", "app"]);
  });

  it("round memory up to whole bytes", () => {
    const resources = { requests: { memory: "100Mi" } };
    const pod = { ...web, spec: { containers: [{ name: "app", resources }] } };
    const resourcesPolicy = {
      targetContainersMode: "sum",
      resourcesExpr: { requests: { memory: "memory * 33.3%" } },
    };
    const sets = [set("log", { containers: [{ ...agent, resourcesPolicy }] })];
    const memory = (answer: Injection) =>
      get((get(objectOf(answer), "spec", "containers") as Json[]).at(-1), "resources", "requests", "memory");
    expect(memory(injected(pod, sets))).toBe("34917580799m");
    expect(memory(injected(pod, sets, { gates: { WholeBytes: true } }))).toBe("34917581");
  });
});

describe("an explanation", () => {
  it("names what was added with its clause, and for every other SidecarSet why it does not match", () => {
    const sidecar = {
      ...agent,
      podInjectPolicy: "BeforeAppContainer",
      volumeMounts: [{ name: "buf", mountPath: "/buf" }],
      transferEnv: [{ sourceContainerName: "app", envNames: ["A", "Z"] }],
    };
    const pod = { ...web, spec: { containers: [{ name: "app", env: [{ name: "A", value: "1" }] }] } };
    const answer = injected(pod, [
      set("log", { containers: [sidecar], volumes: [{ name: "buf", emptyDir: {} }] }),
      set("paused", { injectionStrategy: { paused: true } }),
      set("api", { selector: { matchLabels: { app: "api" } } }),
      set("nothing", { selector: {} }),
      set("bank", { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "bank" } } }),
    ]);
    expect(printExplanation(answer.explain())).toBe(
      `container agent, before the pod's own  (SidecarSet log, spec.containers[0])
  env A of container app  (SidecarSet log, spec.containers[0].transferEnv[0])
volume buf  (SidecarSet log, spec.volumes[0])
annotation kruise.io/sidecarset-hash  (SidecarSet log)
annotation kruise.io/sidecarset-hash-without-image  (SidecarSet log)
annotation kruise.io/sidecarset-injected-list  (SidecarSet log)
note: SidecarSet log, spec.containers[0].transferEnv[0]: container app has no env Z
SidecarSet log matches: the current spec
SidecarSet api does not match: spec.selector requires app=api, but the pod has app=web
SidecarSet bank does not match: spec.namespaceSelector requires kubernetes.io/metadata.name=bank, but namespace shop has kubernetes.io/metadata.name=shop
SidecarSet nothing does not match: spec.selector is empty, so it matches no pod
SidecarSet paused does not match: spec.injectionStrategy.paused is true
`,
    );
  });
});
