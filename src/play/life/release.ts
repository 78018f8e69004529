import { versionChainOf } from "../../conversion/version-chain.ts";
import { isObject, type Json, type JsonObject, objectAt, set } from "../../json/json.ts";
import { checkEntries } from "../../kind/crd-faults.ts";
import type { Kind } from "../../kind/kind.ts";
import { preparedVersion } from "../../kind/prepare-version.ts";

/** The kind with more fields in the schema of a version, by their paths, each with its schema; or why there can be none. */
export function nextRelease(kind: Kind, at: string, fields: JsonObject): Kind | string {
  if (!kind.versions.some(({ name }) => name === at)) return `${kind.name} has no version ${at}`;
  const entries = kind.versions.map(({ name, entry }) => (name === at ? withFields(entry, fields) : entry));
  const checked = checkEntries(kind.definition, entries, {});
  if ("faults" in checked) return checked.faults.map(({ sentence }) => sentence).join("; ");
  const versions = kind.definition.versions.flatMap(
    (version, index) =>
      preparedVersion(kind.definition, version, entries[index], checked.schemas[index]).version ?? [],
  );
  const hub = versions.at(-1);
  return hub === undefined
    ? "there is no version left"
    : { ...kind, versions, hub, chain: versionChainOf(versions) };
}

/** The entry of a version with more fields. */
export function withFields(entry: JsonObject, fields: JsonObject): JsonObject {
  return Object.entries(fields).reduce((here, [path, schema]) => {
    const steps = ["schema", "openAPIV3Schema", ...path.split(".").flatMap((name) => ["properties", name])];
    return withValue(here, steps, schema);
  }, entry);
}

/** The object with a value at a path; a field on the way that is not there becomes an object, as a schema says it. */
function withValue(object: JsonObject, [name = "", ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return set(object, name, value);
  const inner = Object.hasOwn(object, name)
    ? objectAt(object, name)
    : rest.length % 2 === 1
      ? { type: "object" }
      : {};
  return set(object, name, withValue(isObject(inner) ? inner : {}, rest, value));
}
