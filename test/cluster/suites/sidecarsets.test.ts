import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { detach } from "../../../src/conversion/carriers.ts";
import { get, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { hashOf } from "../../../webhooks/kruise/shared/hash.ts";
import { customVersionLabel, hashAnnotation } from "../../../webhooks/kruise/shared/names.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type Home, startHome } from "../home.ts";

const versions = ["v1alpha1", "v1beta1"];
const examples = globSync("webhooks/kruise/sidecarset/examples/*/*.yaml")
  .sort()
  .flatMap((file) => readYaml(readFileSync(file, "utf8")).map(({ value }) => value))
  .filter(isObject);
// These need objects that this cluster does not have: a whitelist, and a revision.
const refused: Readonly<Record<string, string>> = {
  annotator: "whitelist not found",
  pinned: 'ControllerRevision.apps "pinned" not found',
};

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("SidecarSets on a real API server", claims);

function claims(): void {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
  }, 100_000);
  afterAll(() => home?.stop());

  const pathOf = (version: string, name: string) => `/apis/apps.kruise.io/${version}/sidecarsets/${name}`;
  const read = async (version: string, name: string) =>
    (await home.request("GET", pathOf(version, name))).body;
  const put = (version: string, object: Json) =>
    home.request("PUT", pathOf(version, String(get(object, "metadata", "name"))), { body: object });
  const create = ({ status: _, ...object }: JsonObject) =>
    home.request("POST", `/apis/${object.apiVersion}/sidecarsets`, { body: object });

  it.each(examples.map((each) => [String(get(each, "metadata", "name")), each] as const))(
    "%s is defaulted and hashed, and unchanged after a client reads it and writes it back",
    async (name, example) => {
      const made = await create(example);
      const reason = refused[name];
      if (reason !== undefined) {
        expect(made.status).toBe(422);
        expect(made.text).toContain(reason.replaceAll('"', '\\"'));
        return;
      }
      expect(made.status, made.text).toBe(201);
      const whole = made.body as JsonObject;
      expect(whole.spec).toMatchObject(example.spec as object);
      expect(get(whole, "metadata", "annotations", hashAnnotation)).toBe(hashOf(whole));
      for (const version of [...versions, ...versions]) {
        const before = await read(version, name);
        const written = await put(version, before ?? null);
        expect(written.status, written.text).toBe(200);
        expect(written.body, `${name} written unchanged at ${version}`).toEqual(before);
      }
      const version = String(example.apiVersion).split("/")[1] ?? "";
      expect(detach((await read(version, name)) as JsonObject).object.spec).toEqual(
        detach(whole).object.spec,
      );
    },
  );

  it("the custom version and the namespace can be changed at either version", async () => {
    const containers = [{ name: "turn", image: "turn:1" }];
    const spec = { namespace: "shop", selector: { matchLabels: { turn: "on" } }, containers };
    const metadata = { name: "turns", labels: { [customVersionLabel]: "v1", team: "net" } };
    const made = await create({ apiVersion: "apps.kruise.io/v1alpha1", kind: "SidecarSet", metadata, spec });
    expect(made.status, made.text).toBe(201);
    const hub = (await read("v1beta1", "turns")) as JsonObject;
    expect(get(hub, "spec", "customVersion")).toBe("v1");
    expect(get(hub, "metadata", "labels")).toEqual({ team: "net" });
    const selected = { matchLabels: { "kubernetes.io/metadata.name": "shop" } };
    expect(get(hub, "spec", "namespaceSelector")).toEqual(selected);
    const elsewhere = { matchLabels: { stage: "test" } };
    const changed = {
      ...hub,
      spec: { ...(hub.spec as object), customVersion: "v2", namespaceSelector: elsewhere },
    };
    expect((await put("v1beta1", changed as Json)).status).toBe(200);
    const view = (await read("v1alpha1", "turns")) as JsonObject;
    expect(get(view, "metadata", "labels")).toEqual({ team: "net", [customVersionLabel]: "v2" });
    expect([get(view, "spec", "namespace"), get(view, "spec", "namespaceSelector")]).toEqual([
      undefined,
      elsewhere,
    ]);
  });

  it("is rejected for all faults at once, each at its field", async () => {
    const containers = [{ name: "Upper", image: "a:1", ports: [{ containerPort: 0 }] }];
    const bad = { selector: {}, containers };
    const made = await create({
      apiVersion: "apps.kruise.io/v1beta1",
      kind: "SidecarSet",
      metadata: { name: "bad" },
      spec: bad,
    });
    const causes = get(made.body, "details", "causes") as readonly Json[];
    expect(causes.map((each) => get(each, "field"))).toEqual([
      "spec.selector",
      "spec.containers[0].name",
      "spec.containers[0].ports[0].containerPort",
    ]);
  });
}
