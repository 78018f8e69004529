import { readFileSync } from "node:fs";
import path from "node:path";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { crdOf, folder } from "./schemas-cases.ts";

/** A CRD that the server shall refuse, or take although it is odd. */
export interface OddCrd {
  readonly why: string;
  readonly crd: JsonObject;
}

/** The CRDs of test/schema/schemas/refused.yaml or odd.yaml: each a change of one small CRD. */
export function readOddCrds(name: "refused" | "odd"): readonly OddCrd[] {
  const documents = readYaml(readFileSync(path.join(folder, `${name}.yaml`), "utf8"));
  return documents
    .flatMap(({ value }) => (isArray(value) ? value : []))
    .filter(isObject)
    .map((entry, index) => ({ why: String(entry.why), crd: oddCrd(entry, `${name}${index}`) }));
}

function oddCrd(entry: JsonObject, name: string): JsonObject {
  const { field, spec, schema, patch, version = {} } = entry;
  const whole = schema ?? {
    type: "object",
    properties: { spec: spec ?? { type: "object", properties: { f: field ?? { type: "string" } } } },
  };
  const crd = crdOf(name, whole, isObject(version) ? version : {});
  const alone = withoutAnything(crd);
  return patch === undefined ? alone : (merged(alone, patch) as JsonObject);
}

function withoutAnything(crd: JsonObject): JsonObject {
  const spec = get(crd, "spec");
  const versions = get(spec, "versions");
  if (!isObject(spec) || !isArray(versions)) return crd;
  return { ...crd, spec: { ...spec, versions: versions.slice(0, 1) } };
}

/** RFC 7396. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}
