import { expect, it } from "vitest";
import { type Kind, version } from "../../src/kind/kind.ts";
import { kindsOf, loadKinds } from "../../src/kind/load-kinds.ts";
import { preparedOnUse } from "../../src/review/prepare.ts";
import { compileCheckedVersion, compileVersion } from "../../src/schema/crd/compile.ts";
import { versionModelOf } from "../../src/schema/model/crd.ts";
import type { Schema } from "../../src/schema/model/schema.ts";
import { fastPathOf } from "../../src/schema/openapi/fast-path.ts";

/** A schema whose fast path is compiled after two objects, and how often it was. */
function deferred() {
  let compiled = 0;
  const fastPath = (schema: Schema) => {
    compiled += 1;
    return fastPathOf(schema);
  };
  const spec = { type: "object", properties: { size: { type: "integer" } } };
  const openAPIV3Schema = { type: "object", properties: { spec } };
  const version = compileVersion({ name: "v1", schema: { openAPIV3Schema } }, { fastPath, fastPathAfter: 2 });
  if ("faults" in version) throw new Error(JSON.stringify(version.faults));
  return { schema: version.schema, compiled: () => compiled };
}

const [valid, invalid] = [1, "one"].map((size) => ({ metadata: { name: "one" }, spec: { size } })) as [
  { metadata: { name: string }; spec: { size: number } },
  { metadata: { name: string }; spec: { size: string } },
];

it("the fast path is compiled after some objects, and they are judged alike without it", () => {
  const { schema, compiled } = deferred();
  const faults = () => [valid, invalid].map((object) => schema.validate(object).faults.length);
  const before = faults();
  expect([before, compiled()]).toEqual([[0, 1], 0]);
  expect([faults(), compiled()]).toEqual([before, 1]);
});

it("a prepared schema compiles nothing for an object", () => {
  const { schema, compiled } = deferred();
  schema.prepare();
  expect(compiled()).toBe(1);
  schema.validate(valid);
  expect(compiled()).toBe(1);
});

it("a prepared schema judges as an unprepared one does, its rules too", () => {
  const spec = {
    type: "object",
    properties: { size: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: "self.size < 2" }],
  };
  const version = versionModelOf({
    name: "v1",
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
  });
  const [unprepared, prepared] = [compileCheckedVersion(version), compileCheckedVersion(version)];
  prepared?.prepare();
  for (const size of [1, 2, "one"]) {
    const object = { metadata: { name: "one" }, spec: { size } };
    expect(prepared?.validate(object)).toEqual(unprepared?.validate(object));
  }
  expect(prepared?.validate({ metadata: { name: "one" }, spec: { size: 2 } }).faults).toHaveLength(1);
});

it("a kind is prepared after its first review, once, and those with one version not at all", async () => {
  const [first, ...others] = (await loadKinds(["webhooks/home"])).all;
  if (first === undefined) throw new Error("webhooks/home has no kind");
  const single: Kind = { ...first, definition: { ...first.definition, versions: [version("v1")] } };
  const all = [single, ...others];
  const prepared: string[] = [];
  const watched = all.map((kind): Kind => {
    const schema = { ...kind.hub.schema, prepare: () => void prepared.push(kind.name) };
    return { ...kind, hub: { ...kind.hub, schema } };
  });
  const later: (() => void)[] = [];
  const kinds = preparedOnUse(kindsOf(watched), (call) => void later.push(call));
  const findAll = () => watched.map(({ definition: { group, kind } }) => kinds.find(group, kind));
  expect([findAll(), findAll()]).toEqual([watched, watched]);
  expect(prepared).toEqual([]);
  for (const call of later) call();
  expect(prepared).toEqual(others.map(({ name }) => name));
});
