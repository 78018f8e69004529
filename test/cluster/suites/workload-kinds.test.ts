import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { contentOf } from "../content.ts";
import { type Home, startHome } from "../home.ts";
import { untilServed } from "./served.ts";

const plurals = { statefulset: "statefulsets", broadcastjob: "broadcastjobs" };
const versions = ["v1alpha1", "v1beta1"];
const examples = Object.keys(plurals).flatMap((folder) =>
  globSync(`webhooks/kruise/${folder}/examples/*/*.yaml`)
    .sort()
    .flatMap((file) => readYaml(readFileSync(file, "utf8")).map(({ value }) => value))
    .filter(isObject),
);
// These have no pod that could run.
const refused: Readonly<Record<string, string>> = {
  "StatefulSet bare": "`selector` does not match template `labels`",
  "StatefulSet status-only": "`selector` does not match template `labels`",
  "BroadcastJob bare-template": "pod restartPolicy can only be Never or OnFailure",
};

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("StatefulSets and BroadcastJobs in a real API server", claims);

function claims(): void {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
    for (const plural of Object.values(plurals)) {
      await untilServed(home, { group: "apps.kruise.io", plural }, versions);
    }
    await home.createNamespace("shop");
  }, 100_000);
  afterAll(() => home?.stop());

  const pathOf = (version: string, plural: string, name = "") =>
    `/apis/apps.kruise.io/${version}/namespaces/shop/${plural}${name && `/${name}`}`;
  const pluralOf = (object: JsonObject) => `${String(object.kind).toLowerCase()}s`;
  const create = ({ status: _, ...object }: JsonObject) =>
    home.request("POST", pathOf(String(object.apiVersion).split("/")[1] ?? "", pluralOf(object)), {
      body: object,
    });
  const read = async (version: string, plural: string, name: string) => {
    const answer = await home.request("GET", pathOf(version, plural, name));
    expect(answer.status, answer.text).toBe(200);
    return answer.body as JsonObject;
  };

  it.each(examples.map((each) => [`${each.kind} ${get(each, "metadata", "name")}`, each] as const))(
    "%s gets defaults, and is unchanged after clients of either version read it and write it back",
    async (title, example) => {
      const made = await create(example);
      const reason = refused[title];
      if (reason !== undefined) {
        expect(made.status, made.text).toBe(422);
        expect(made.text).toContain(reason);
        return;
      }
      expect(made.status, made.text).toBe(201);
      const [plural, name] = [pluralOf(example), String(get(example, "metadata", "name"))];
      const version = String(example.apiVersion).split("/")[1] ?? "";
      if (example.status !== undefined) {
        const body = { ...(made.body as JsonObject), status: example.status };
        const put = await home.request("PUT", `${pathOf(version, plural, name)}/status`, { body });
        expect(put.status, put.text).toBe(200);
      }
      const whole = await read(version, plural, name);
      const { spec, status } = contentOf(whole);
      expect(spec).toMatchObject(filledOf(example.spec));
      expect(status).toEqual(contentOf(example).status);
      for (const each of [...versions, ...versions]) {
        const before = await read(each, plural, name);
        const written = await home.request("PUT", pathOf(each, plural, name), { body: before });
        expect(written.status, written.text).toBe(200);
        expect(written.body, `${name} written unchanged at ${each}`).toEqual(before);
      }
      expect(contentOf(await read(version, plural, name))).toEqual(contentOf(whole));
    },
  );

  it("a client of v1alpha1 keeps what only v1beta1 has, in spec and in status", async () => {
    const spec = {
      ...least("kept"),
      replicas: 3,
      ordinals: { start: 5 },
      reserveOrdinals: [6, "8-9"],
      scaleStrategy: { maxUnavailable: 1 },
      lifecycle: { preDelete: { finalizersHandler: ["shop.example/hold"] } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      volumeClaimUpdateStrategy: { type: "OnPodRollingUpdate" },
    };
    const made = await create(objectOf("v1beta1", "StatefulSet", "kept", spec));
    expect(made.status, made.text).toBe(201);
    const status = { replicas: 3, updatedReadyReplicas: 2, updatedAvailableReplicas: 1 };
    const path = pathOf("v1beta1", "statefulsets", "kept");
    const body = { ...(made.body as JsonObject), status };
    expect((await home.request("PUT", `${path}/status`, { body })).status).toBe(200);

    const view = await read("v1alpha1", "statefulsets", "kept");
    const shown = contentOf(view).spec as JsonObject;
    for (const field of [
      "ordinals",
      "reserveOrdinals",
      "scaleStrategy",
      "lifecycle",
      "persistentVolumeClaimRetentionPolicy",
      "volumeClaimUpdateStrategy",
    ]) {
      expect(shown).not.toHaveProperty(field);
    }
    const edited = { ...view, spec: { ...(view.spec as JsonObject), replicas: 4 } };
    const old = pathOf("v1alpha1", "statefulsets", "kept");
    expect((await home.request("PUT", old, { body: edited })).status).toBe(200);
    const counted = { ...(await read("v1alpha1", "statefulsets", "kept")), status: { replicas: 4 } };
    expect((await home.request("PUT", `${old}/status`, { body: counted })).status).toBe(200);

    const after = contentOf(await read("v1beta1", "statefulsets", "kept"));
    expect(after.spec).toMatchObject({ ...spec, replicas: 4 });
    expect(after.status).toEqual({ ...status, replicas: 4 });
  });

  it.each(versions)("is scaled through %s, which changes nothing else", async (version) => {
    const name = `scaled-${version}`;
    const spec = { ...least(name), replicas: 2, ordinals: { start: 3 } };
    const made = await create(objectOf("v1beta1", "StatefulSet", name, spec));
    expect(made.status, made.text).toBe(201);
    const status = { replicas: 2, labelSelector: `app=${name}`, updatedReadyReplicas: 1 };
    const own = pathOf("v1beta1", "statefulsets", name);
    const body = { ...(made.body as JsonObject), status };
    expect((await home.request("PUT", `${own}/status`, { body })).status).toBe(200);
    const before = contentOf(await read("v1beta1", "statefulsets", name));

    const scalePath = `${pathOf(version, "statefulsets", name)}/scale`;
    const scale = (await home.request("GET", scalePath)).body as JsonObject;
    expect(scale.kind).toBe("Scale");
    expect(scale.spec).toEqual({ replicas: 2 });
    expect(scale.status).toEqual({ replicas: 2, selector: `app=${name}` });
    const put = await home.request("PUT", scalePath, { body: { ...scale, spec: { replicas: 7 } } });
    expect(put.status, put.text).toBe(200);
    const resource = `statefulsets.${version}.apps.kruise.io/${name}`;
    const scaled = await home.kubectl(["-n", "shop", "scale", resource, "--replicas=9"]);
    expect(scaled.code, scaled.stderr).toBe(0);

    const after = contentOf(await read("v1beta1", "statefulsets", name));
    expect(after).toEqual({ ...before, spec: { ...(before.spec as JsonObject), replicas: 9 } });
  });

  it.each(versions)(
    "an update through %s that changes labels adds no defaults to the template",
    async (version) => {
      const name = `labels-${version}`;
      const made = await create(objectOf("v1beta1", "StatefulSet", name, least(name)));
      expect(made.status, made.text).toBe(201);
      const path = pathOf(version, "statefulsets", name);
      const contentType = "application/merge-patch+json";
      const labelled = await home.request("PATCH", path, {
        body: { metadata: { labels: { team: "data" } } },
        contentType,
      });
      expect(labelled.status, labelled.text).toBe(200);
      const after = await read("v1beta1", "statefulsets", name);
      expect(get(after, "metadata", "generation")).toBe(1);
      expect(get(after, "metadata", "labels")).toEqual({ team: "data" });
    },
  );

  it.each(versions)("an update through %s must not change the selector", async (version) => {
    const name = `fixed-${version}`;
    expect((await create(objectOf("v1beta1", "StatefulSet", name, least(name)))).status).toBe(201);
    const answer = await home.request("PATCH", pathOf(version, "statefulsets", name), {
      body: {
        spec: {
          selector: { matchLabels: { app: "other" } },
          template: { metadata: { labels: { app: "other" } } },
        },
      },
      contentType: "application/merge-patch+json",
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("updates to statefulset spec for fields other than");
  });

  it.each(versions)(
    "a job through %s is refused for every fault of its pods, each at its field",
    async (version) => {
      const containers = [{ name: "Upper", image: "a:1", ports: [{ containerPort: 0 }] }];
      const tolerations = [{ key: "a", operator: "Exists", value: "b" }];
      const spec = { template: { spec: { restartPolicy: "Always", containers, tolerations } } };
      const made = await create(objectOf(version, "BroadcastJob", "bad", spec as JsonObject));
      expect(made.status, made.text).toBe(422);
      const causes = get(made.body, "details", "causes") as readonly Json[];
      expect(causes.map((each) => get(each, "field"))).toEqual([
        "spec.template.spec.restartPolicy",
        "spec.template.spec.containers[0].name",
        "spec.template.spec.containers[0].ports[0].containerPort",
        "spec.template.spec.tolerations[0].value",
      ]);
    },
  );
}

function least(name: string): JsonObject {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "main", image: "registry.example/main:1" }] },
  };
  return { selector: { matchLabels: { app: name } }, template };
}

function objectOf(version: string, kind: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: `apps.kruise.io/${version}`, kind, metadata: { name, namespace: "shop" }, spec };
}

/** What was written and is still there: admission replaces empty texts by defaults. */
function filledOf(value: Json | undefined): object {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((each) => (isObject(each) ? filledOf(each) : each));
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, below]) => below !== "")
      .map(([key, below]) => [key, typeof below === "object" && below !== null ? filledOf(below) : below]),
  );
}
