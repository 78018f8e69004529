import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { writeJson } from "../../../src/json/exact.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { hashOf } from "../../../webhooks/kruise/shared/hash.ts";
import { restoredFrom } from "../../../webhooks/kruise/shared/revision.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type Kruise, kruiseLeftOut, requireKruise } from "../kruise.ts";
import {
  change,
  configurations,
  configurationsOf,
  entriesOf,
  idOf,
  itemsOf,
  type KruiseStage,
  objectAt,
  patience,
  podPath,
  runPod,
  setPath,
  standBeside,
  startKruiseStage,
  takeOut,
} from "./beside-kruise-stage.ts";
import {
  annotation,
  container,
  counted,
  created,
  namesOf,
  pod,
  pods,
  sidecarSet,
  sidecarSets,
  warningsOf,
} from "./injection-stage.ts";

// OpenKruise's manager as it is released, with all that it does; our webhooks take the place of its own for SidecarSets.
const kruise = requireBinaries() && requireKruise();
if (requireBinaries() === undefined) it(leftOut, () => {});
else if (kruise === undefined) it(kruiseLeftOut, () => {});
// The first tests register our webhooks, the last remove them.
else describe("beside OpenKruise's manager", { shuffle: false, timeout: 60_000 }, () => claims(kruise));

const hashKey = "kruise.io/sidecarset-hash";
const bareHashKey = "kruise.io/sidecarset-hash-without-image";
const stateKey = "kruise.io/sidecarset-inplace-update-state";
const ours = ["mpod.kb.io", "msidecarset.kb.io", "vsidecarset.kb.io"];

function claims(kruise: Kruise): void {
  let stage: KruiseStage;
  /** OpenKruise's configurations as they were before. */
  let copies: readonly JsonObject[];
  beforeAll(async () => {
    stage = await startKruiseStage(kruise);
  }, 180_000);
  afterAll(() => stage?.stop());

  it("OpenKruise's webhooks inject pods before ours are registered, and its controller counts them", async () => {
    const spec = { selector: of("before"), ...imageOf("agent-before", 1) };
    await vi.waitFor(() => makeSet(sidecarSet("before", spec)), { timeout: 60_000, interval: 200 });
    await untilFilled("before");
    const made = await make("before-1", "before");
    expect(namesOf(made, "containers")).toEqual(["agent-before", "app"]);
    await status("before", { matchedPods: 1, updatedPods: 1, readyPods: 0 });
  }, 90_000);

  it("both webhooks are registered for a while, and nothing is injected twice", async () => {
    await standBeside(stage);
    await vi.waitFor(async () => {
      await Promise.all([dry("before"), refusal()]);
      expect(await counted(stage.deployed, answered("Pod", "change"))).toBeGreaterThan(0);
      expect(await counted(stage.deployed, answered("SidecarSet.apps.kruise.io", "deny"))).toBeGreaterThan(0);
    }, patience);
    const made = await make("before-both", "before");
    expect(made.spec).toMatchObject({ containers: [{ name: "agent-before", env: [{}] }, { name: "app" }] });
    expect(records(made, hashKey)).toHaveProperty("before");
  });

  it("the manager does not restore its webhooks after they were removed together with their template", async () => {
    expect(await entriesOf(stage)).toEqual(expect.arrayContaining(ours));
    copies = await Promise.all(configurations.map(({ path }) => objectAt(stage, path)));
    await takeOut(stage, configurations, (name) => ours.includes(name));
    // The manager reads the configuration that was written, and keeps it as its new template.
    for (const { path } of configurations) {
      await objectAt(stage, path, (each) => expect(annotation(each, "template")).toContain("kb.io"));
    }
    const left = await entriesOf(stage);
    expect(left.length).toBeGreaterThan(20);
    for (const name of ours) expect(left).not.toContain(name);
  });

  describe("the controller", { shuffle: true }, () => {
    it.each(examples.map((each) => [String(get(each, "metadata", "name")), each] as const))(
      "records a revision of %s from which we restore it",
      async (name, example) => {
        await makeSet(example);
        const set = await status(name, { observedGeneration: 1 });
        const [recorded, ...more] = await revisions(name);
        expect(more).toEqual([]);
        const restored = restoredFrom(recorded as JsonObject, set);
        expect(hashOf(restored)).toBe(hashOf(set));
        expect(get(restored, "status", "latestRevision")).toBe(get(set, "status", "latestRevision"));
      },
    );

    it("counts the pods that our webhook injected, old and new, and updates all of them to a new image", async () => {
      await make("before-2", "before");
      const names = ["before-1", "before-both", "before-2"];
      await status("before", { matchedPods: 3, updatedPods: 3, readyPods: 0 });
      await Promise.all(names.map((each) => runPod(stage, each)));
      await status("before", { matchedPods: 3, updatedPods: 3, readyPods: 3, updatedReadyPods: 3 });
      await change(stage, setPath("before"), {
        spec: { updateStrategy: { maxUnavailable: "100%" }, ...imageOf("agent-before", 2) },
      });
      await Promise.all(names.map((each) => updated(each, "agent-before", 2)));
      await Promise.all(names.map((each) => runPod(stage, each)));
      await status("before", { matchedPods: 3, updatedPods: 3, readyPods: 3, updatedReadyPods: 3 });
    });

    it("updates a pod in place, and updates the records that our webhook wrote", async () => {
      const before = await makeSetAndPod("inplace");
      await runPod(stage, "inplace");
      await status("inplace", { readyPods: 1 });
      const set = await change(stage, setPath("inplace"), { spec: imageOf("agent-inplace", 2) });
      const after = await updated("inplace", "agent-inplace", 2);
      const { latestRevision } = (await status("inplace", { observedGeneration: 2 })).status as JsonObject;
      const { updateTimestamp, ...record } = records(after, hashKey).inplace as JsonObject;
      expect(updateTimestamp).toMatch(/Z$/);
      expect(record).toEqual({
        hash: annotation(set, hashKey),
        sidecarSetName: "inplace",
        sidecarList: ["agent-inplace"],
        controllerRevision: latestRevision,
      });
      expect(get(records(before, hashKey), "inplace", "controllerRevision")).not.toBe(latestRevision);
      expect(annotation(after, bareHashKey)).toBe(annotation(before, bareHashKey));
      expect(records(after, stateKey)).toMatchObject({
        inplace: {
          revision: annotation(set, hashKey),
          lastContainerStatuses: { "agent-inplace": { imageID: idOf("registry.example/agent-inplace:1") } },
        },
      });
      expect(conditionOf(await upgradable("inplace"), "SidecarSetUpgradable")).toMatchObject({
        status: "True",
      });
      await runPod(stage, "inplace");
      await status("inplace", { updatedPods: 1, readyPods: 1, updatedReadyPods: 1 });
      await untilFilled("inplace");
      const { updateTimestamp: _, ...fresh } = records(await make("inplace-2", "inplace"), hashKey)
        .inplace as JsonObject;
      expect(fresh).toEqual(record);
    });

    it("leaves a pod that it cannot update, and reports it in a condition", async () => {
      await makeSetAndPod("env");
      const containers = [container("agent-env", { env: [{ name: "A", value: "b" }] })];
      await change(stage, setPath("env"), { spec: { containers } });
      const found = await upgradable("env");
      expect(conditionOf(found, "SidecarSetUpgradable")).toMatchObject({
        status: "False",
        reason: "UpdateImmutableField",
      });
      await untilFilled("env");
      await make("env-2", "env");
      await status("env", { matchedPods: 2, updatedPods: 1 });
    });

    it("respects partition and pause", async () => {
      await makeSet(sidecarSet("part", { selector: of("part"), ...imageOf("agent-part", 1) }));
      await untilFilled("part");
      const names = ["part-1", "part-2"];
      for (const name of names) await make(name, "part").then(() => runPod(stage, name));
      await status("part", { readyPods: 2 });
      await change(stage, setPath("part"), {
        spec: { updateStrategy: { partition: 1 }, ...imageOf("agent-part", 2) },
      });
      const renewed = async () => {
        const images = (await Promise.all(names.map(imagesOf))).flat();
        return images.filter((each) => each === "registry.example/agent-part:2").length;
      };
      await vi.waitFor(async () => expect(await renewed()).toBe(1), patience);
      for (const name of names) await runPod(stage, name);
      await status("part", { updatedPods: 1, readyPods: 2, updatedReadyPods: 1 });
      expect(await renewed()).toBe(1);
      await change(stage, setPath("part"), {
        spec: {
          updateStrategy: { partition: 0, paused: true },
          injectionStrategy: { paused: true },
          ...imageOf("agent-part", 3),
        },
      });
      await status("part", { observedGeneration: 3, matchedPods: 2, updatedPods: 0 });
      await vi.waitFor(async () => {
        expect(namesOf(await dry("part"), "containers")).toEqual(["app"]);
      }, patience);
      const updateStrategy = { paused: false, maxUnavailable: "100%" };
      await change(stage, setPath("part"), { spec: { updateStrategy } });
      await Promise.all(names.map((each) => updated(each, "agent-part", 3)));
      for (const name of names) await runPod(stage, name);
      await status("part", { updatedPods: 2, readyPods: 2, updatedReadyPods: 2 });
    });

    it("keeps a revision as long as a pod that our webhook injected uses it", async () => {
      await makeSetAndPod("kept");
      const held = { revisionHistoryLimit: 2, updateStrategy: { paused: true } };
      for (const version of [2, 3]) {
        await change(stage, setPath("kept"), { spec: { ...held, ...imageOf("agent-kept", version) } });
        await status("kept", { observedGeneration: version });
      }
      await vi.waitFor(async () => {
        const recorded = (await revisions("kept")).map((each) => get(each, "revision"));
        expect(recorded.map(Number).sort()).toEqual([1, 3]);
      }, patience);
    });

    it("keeps the revision that new pods get, and our webhook reads it", async () => {
      const spec = { customVersion: "one", selector: of("pin"), ...imageOf("agent-pin", 1) };
      await makeSet(sidecarSet("pin", spec));
      const first = get(await status("pin", { observedGeneration: 1 }), "status", "latestRevision") ?? "";
      await change(stage, setPath("pin"), {
        spec: { customVersion: "two", updateStrategy: { paused: true }, ...imageOf("agent-pin", 2) },
      });
      const second = get(await status("pin", { observedGeneration: 2 }), "status", "latestRevision") ?? "";
      expect(second).not.toBe(first);
      const wanted = [
        [{ revision: { customVersion: "one" } }, {}, 1],
        [{ revision: { customVersion: "two" } }, {}, 2],
        [{ revision: { customVersion: null, revisionName: first } }, {}, 1],
        [{ revision: { policy: "Partial" } }, { paused: false, partition: "100%" }, 1],
        [{}, { partition: "0%" }, 2],
        [{ revision: { policy: "Always" } }, { paused: true, partition: 0 }, 1],
      ] as const;
      for (const [injectionStrategy, updateStrategy, version] of wanted) {
        const { metadata } = await vi.waitFor(
          () => change(stage, setPath("pin"), { spec: { injectionStrategy, updateStrategy } }),
          patience,
        );
        await status("pin", { observedGeneration: get(metadata, "generation") });
        await vi.waitFor(async () => {
          const filled = await dry("pin");
          expect(JSON.stringify(filled.spec)).toContain(`agent-pin:${version}`);
          expect(get(records(filled, hashKey), "pin", "controllerRevision")).toBe(
            version === 1 ? first : second,
          );
        }, patience);
      }
      await make("pin", "pin");
      await status("pin", { matchedPods: 1, updatedPods: 0 });
      await change(stage, setPath("pin"), { spec: { updateStrategy: { paused: false } } });
      await updated("pin", "agent-pin", 2);
      await runPod(stage, "pin");
      await status("pin", { updatedPods: 1, readyPods: 1, updatedReadyPods: 1 });
    });

    it("completes a hot upgrade of a pod that our webhook injected", async () => {
      const upgradeStrategy = { upgradeType: "HotUpgrade", hotUpgradeEmptyImage: "registry.example/empty:1" };
      const at = (version: number) => ({
        containers: [
          { ...container("mesh", { upgradeStrategy }), image: `registry.example/mesh:${version}` },
        ],
      });
      await makeSet(sidecarSet("hot", { selector: of("hot"), ...at(1) }));
      await untilFilled("hot");
      await make("hot", "hot");
      await runPod(stage, "hot");
      await status("hot", { matchedPods: 1, updatedPods: 1, readyPods: 1 });
      const { metadata } = await change(stage, setPath("hot"), { spec: at(2) });
      const work = "kruise.io/sidecarset-working-hotupgrade-container";
      const both = await objectAt(stage, podPath("hot"), (each) => {
        expect(imagesIn(each)).toEqual(
          ["mesh:1", "mesh:2", "app:1"].map((image) => `registry.example/${image}`),
        );
      });
      expect(records(both, work)).toEqual({ mesh: "mesh-2" });
      await runPod(stage, "hot");
      const done = await objectAt(stage, podPath("hot"), (each) => {
        expect(imagesIn(each)).toEqual(
          ["empty:1", "mesh:2", "app:1"].map((image) => `registry.example/${image}`),
        );
      });
      expect(annotation(done, "version.sidecarset.kruise.io/mesh-1")).toBe("0");
      expect(annotation(done, "versionalt.sidecarset.kruise.io/mesh-2")).toBe("0");
      expect(Number(annotation(done, "version.sidecarset.kruise.io/mesh-2"))).toBeGreaterThanOrEqual(
        Number(get(metadata, "resourceVersion")),
      );
      await runPod(stage, "hot");
      await status("hot", { matchedPods: 1, updatedPods: 1, readyPods: 1 });
    });
  });

  it("converts SidecarSets of either version that our webhook defaulted, and serves them at both", async () => {
    const metadata = { labels: { "apps.kruise.io/sidecarset-custom-version": "v1", team: "net" } };
    const spec = { namespace: "shop", selector: of("turn"), ...imageOf("agent-turn", 1) };
    await makeSet(sidecarSet("turn", spec, { version: "v1alpha1", ...metadata }));
    const newer = await status("turn", { observedGeneration: 1 });
    expect(get(newer, "spec", "customVersion")).toBe("v1");
    expect(get(newer, "spec", "namespaceSelector")).toEqual({
      matchLabels: { "kubernetes.io/metadata.name": "shop" },
    });
    const older = await objectAt(stage, setPath("turn", "v1alpha1"));
    expect(get(older, "metadata", "labels")).toEqual(metadata.labels);
    expect(annotation(older, hashKey)).toBe(annotation(newer, hashKey));
    await untilFilled("turn");
    await make("turn", "turn");
    await status("turn", { matchedPods: 1, updatedPods: 1 });
    await change(stage, setPath("turn", "v1alpha1"), { spec: imageOf("agent-turn", 2) });
    await updated("turn", "agent-turn", 2);
    await runPod(stage, "turn");
    await status("turn", { updatedPods: 1, readyPods: 1, updatedReadyPods: 1 });
  });

  it("the controller logs no error up to the deletion of all pods and SidecarSets", async () => {
    expect(await stage.request("DELETE", pods("shop"))).toMatchObject({ status: 200 });
    // A SidecarSet that is deleted before the controller has counted its pods again is an error in its log.
    await objectAt(stage, sidecarSets(), (list) => {
      for (const set of itemsOf(get(list, "items")))
        expect(set).toMatchObject({ status: { matchedPods: 0 } });
    });
    expect(await stage.request("DELETE", sidecarSets())).toMatchObject({ status: 200 });
    await makeSet(sidecarSet("last", { selector: of("last"), ...imageOf("agent-last", 1) }));
    await status("last", { observedGeneration: 1, matchedPods: 0 });
    expect(errorsIn(stage.manager.log())).toEqual([]);
  });

  it("the controller cannot update a pod with a field that it does not know", async () => {
    await makeSet(sidecarSet("newer", { selector: of("newer"), ...imageOf("agent-newer", 1) }));
    await untilFilled("newer");
    const rules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
    const app = container("app", { restartPolicy: "Always", restartPolicyRules: rules });
    await created(stage, pods("shop"), pod("newer", of("newer").matchLabels, { containers: [app] }));
    await status("newer", { matchedPods: 1, updatedPods: 1 });
    await change(stage, setPath("newer"), { spec: imageOf("agent-newer", 2) });
    await vi.waitFor(() => {
      expect(errorsIn(stage.manager.log()).join()).toContain('Pod \\"newer\\" is invalid: spec: Forbidden');
    }, patience);
    expect(await imagesOf("newer")).toContain("registry.example/agent-newer:1");
    expect(await stage.request("DELETE", setPath("newer"))).toMatchObject({ status: 200 });
  });

  it("the manager cannot record a custom version that is not a label value, nor serve it at v1alpha1, and our webhook warns", async () => {
    const spec = { customVersion: "no label", selector: of("words"), ...imageOf("agent-words", 1) };
    const made = await stage.request("POST", sidecarSets(), { body: sidecarSet("words", spec) });
    expect(made).toMatchObject({ status: 201 });
    expect(warningsOf(made)).toContain("spec.customVersion");
    await vi.waitFor(() => {
      expect(errorsIn(stage.manager.log()).join()).toContain("SidecarSet register the latest revision error");
    }, patience);
    // The API server retries for three seconds.
    expect(await stage.request("GET", sidecarSets("v1alpha1"))).toMatchObject({ status: 500 });
    expect(await stage.request("DELETE", setPath("words"))).toMatchObject({ status: 200 });
  });

  it("the manager removes its webhooks again if they are restored without their template", async () => {
    for (const { kind, path } of configurations) {
      const [whole] = itemsOf(get(JSON.parse(stage.install(kind)), "items"));
      const generation = get(await objectAt(stage, path), "metadata", "generation");
      await change(stage, path, { webhooks: get(whole, "webhooks") ?? [] });
      await objectAt(stage, path, (each) => {
        expect(get(each, "metadata", "generation")).toBe(Number(generation) + 2);
      });
    }
    const left = await entriesOf(stage);
    for (const name of ours) expect(left).not.toContain(name);
  });

  it("OpenKruise's webhooks work again after its saved configurations replaced ours", async () => {
    for (const copy of copies) {
      const input = writeJson(
        set(copy, "metadata", set(copy.metadata as JsonObject, "resourceVersion", undefined)),
      );
      expect(await stage.kubectl(["replace", "-f", "-"], { input })).toMatchObject({ code: 0 });
    }
    expect(await entriesOf(stage)).toEqual(expect.arrayContaining(ours));
    const gone = ["delete", "mutatingwebhookconfiguration", "antechamber-pods"];
    expect(await stage.kubectl(gone)).toMatchObject({ code: 0 });
    await takeOut(
      stage,
      configurationsOf(() => "antechamber"),
      (name) => name.endsWith(".sidecarsets.apps.kruise.io"),
    );
    await vi.waitFor(async () => {
      const refused = await refusal();
      expect(refused).toContain("vsidecarset.kb.io");
      expect(refused).not.toContain("causes");
    }, patience);
    const before = await counted(stage.deployed, answered("Pod", "change"));
    await makeSet(sidecarSet("after", { selector: of("after"), ...imageOf("agent-after", 1) }));
    await untilFilled("after");
    await make("after", "after");
    await status("after", { matchedPods: 1, updatedPods: 1 });
    expect(await counted(stage.deployed, answered("Pod", "change"))).toBe(before);
  });

  async function refusal(): Promise<string> {
    const body = sidecarSet("bad", { selector: {} });
    return (await stage.request("POST", `${sidecarSets()}?dryRun=All`, { body })).text;
  }

  function of(shape: string): { readonly matchLabels: { readonly shape: string } } {
    return { matchLabels: { shape } };
  }

  function imageOf(name: string, version: number): JsonObject {
    return { containers: [{ ...container(name), image: `registry.example/${name}:${version}` }] };
  }

  async function makeSet({ status: _, ...object }: JsonObject): Promise<void> {
    await created(stage, sidecarSets(String(object.apiVersion).split("/").at(-1)), object);
  }

  function make(name: string, shape: string): Promise<JsonObject> {
    return created(stage, pods("shop"), pod(name, of(shape).matchLabels));
  }

  function dry(shape: string): Promise<JsonObject> {
    return created(stage, `${pods("shop")}?dryRun=All`, pod(`${shape}-`, of(shape).matchLabels));
  }

  /** Waits until the current revision of a SidecarSet is recorded, and new pods get it. */
  async function untilFilled(name: string): Promise<void> {
    const { metadata } = await objectAt(stage, setPath(name));
    const set = await status(name, { observedGeneration: Number(get(metadata, "generation")) });
    const expected = {
      hash: annotation(set, hashKey),
      controllerRevision: get(set, "status", "latestRevision"),
    };
    await vi.waitFor(async () => {
      expect(records(await dry(name), hashKey)[name]).toMatchObject(expected);
    }, patience);
  }

  /** Creates a SidecarSet with one container, and a pod of the same name that gets it. */
  async function makeSetAndPod(name: string): Promise<JsonObject> {
    await makeSet(sidecarSet(name, { selector: of(name), ...imageOf(`agent-${name}`, 1) }));
    await untilFilled(name);
    const made = await make(name, name);
    await status(name, { matchedPods: 1, updatedPods: 1, readyPods: 0 });
    return made;
  }

  /** Waits until the status of a SidecarSet is as expected. */
  function status(name: string, expected: object): Promise<JsonObject> {
    return objectAt(stage, setPath(name), (set) => expect(set.status).toMatchObject(expected));
  }

  /** Waits until the controller has updated a pod: first its image, then its condition. */
  function updated(name: string, container: string, version: number): Promise<JsonObject> {
    const image = `registry.example/${container}:${version}`;
    return objectAt(stage, podPath(name), (each) => {
      expect(imagesIn(each)).toContain(image);
      expect(conditionOf(each, "SidecarSetUpgradable")).toMatchObject({ status: "True" });
    });
  }

  function upgradable(name: string): Promise<JsonObject> {
    return objectAt(stage, podPath(name), (each) => {
      expect(conditionOf(each, "SidecarSetUpgradable")).toBeDefined();
    });
  }

  async function imagesOf(name: string): Promise<readonly string[]> {
    return imagesIn(await objectAt(stage, podPath(name)));
  }

  /** The revisions that the controller recorded, without what the API server adds. */
  async function revisions(name: string): Promise<readonly Json[]> {
    const label = encodeURIComponent(`kruise.io/sidecarset-name=${name}`);
    const path = `/apis/apps/v1/namespaces/kruise-system/controllerrevisions?labelSelector=${label}`;
    return itemsOf(get(await objectAt(stage, path), "items"))
      .filter(isObject)
      .map(({ metadata, ...rest }) => {
        const {
          uid: _uid,
          resourceVersion: _version,
          creationTimestamp: _time,
          managedFields: _fields,
          ...own
        } = metadata as JsonObject;
        return { apiVersion: "apps/v1", kind: "ControllerRevision", ...rest, metadata: own };
      });
  }
}

/** All that the controller can record; of `newer` it could not, as its version is not a valid label value. */
const examples = globSync("webhooks/kruise/sidecarset/examples/*/*.yaml")
  .sort()
  .flatMap((file) => readYaml(readFileSync(file, "utf8")).map(({ value }) => value))
  .filter(isObject)
  .filter((each) => !["annotator", "pinned", "newer"].includes(String(get(each, "metadata", "name"))));

/** The counter of our service's answers to creations of a kind. */
function answered(kind: string, outcome: string): string {
  return `antechamber_admission_requests_total{kind="${kind}",operation="CREATE",outcome="${outcome}"}`;
}

function records(object: Json | undefined, key: string): JsonObject {
  return JSON.parse(annotation(object, key) || "{}");
}

function imagesIn(object: JsonObject): readonly string[] {
  return itemsOf(get(object, "spec", "containers")).map((each) => String(get(each, "image")));
}

function conditionOf(object: JsonObject, type: string): Json | undefined {
  return itemsOf(get(object, "status", "conditions")).find((each) => get(each, "type") === type);
}

/** Error lines of klog. */
function errorsIn(log: string): readonly string[] {
  return log.split("\n").filter((line) => /^E\d{4} /.test(line));
}
