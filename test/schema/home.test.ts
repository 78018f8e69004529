import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { type CompiledSchema, compileVersion } from "../../src/schema/crd/compile.ts";
import { fastPathOf } from "../../src/schema/openapi/fast-path.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

// What a real API server said of objects that the Home kinds refuse (see the file).
const here = path.join(import.meta.dirname, "../..");
const cases = readYaml(readFileSync(path.join(here, "test/cases/home-invalid.yaml"), "utf8"))
  .flatMap(({ value }) => (isArray(value) ? value : []))
  .filter(isObject);

const schemas = new Map<string, CompiledSchema>();
for (const plural of ["lights", "locks", "rooms"]) {
  const file = path.join(here, `manifests/components/home/${plural}.home.antechamber.dev.yaml`);
  const [crd] = readYaml(readFileSync(file, "utf8")).map(({ value }) => value);
  const versions = get(crd, "spec", "versions");
  for (const entry of isArray(versions) ? versions.filter(isObject) : []) {
    const compiled = compileVersion(entry, { fastPath: fastPathOf });
    if ("faults" in compiled) throw new Error(JSON.stringify(compiled.faults));
    schemas.set(`${String(get(crd, "spec", "names", "kind"))} ${String(entry.name)}`, compiled.schema);
  }
}

describe("objects that a real API server refuses are refused in its words", () => {
  it.each(cases.map((each) => [`${String(each.kind)} ${String(each.version)}: ${String(each.why)}`, each]))(
    "%s",
    (_title, each) => {
      const schema = schemas.get(`${String(each.kind)} ${String(each.version)}`);
      if (schema === undefined) throw new Error(`no schema of ${String(each.kind)}`);
      const prepare = (object: Json | undefined) =>
        isObject(object) ? schema.defaulted(schema.prune(object).object) : undefined;
      const { faults } = schema.validate(
        prepare(each.object) ?? {},
        prepare(each.oldObject),
        each.subresource === "status" ? "status" : undefined,
      );
      const ours = faults.map(({ field, message }) => ({ field, message }));
      const theirs = [{ field: each.field, message: each.message }, ...(isArray(each.more) ? each.more : [])];
      expect(sorted(ours)).toEqual(sorted(theirs as JsonObject[]));
    },
  );
});

function sorted(causes: readonly object[]): readonly string[] {
  return causes.map((cause) => JSON.stringify(Object.entries(cause).toSorted())).toSorted();
}
