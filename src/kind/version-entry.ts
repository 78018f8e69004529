import { carrierField } from "../conversion/carriers.ts";
import { get, isObject, type Json, type JsonObject, objectAt, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";

/** What is wrong with the entry of a version before its schema is compiled. */
export function faultsOfEntry(entry: JsonObject, name: string): readonly { path: Path; sentence: string }[] {
  return [
    ...(entry.name === name
      ? []
      : [
          {
            path: ["name"],
            sentence:
              entry.name === undefined
                ? `has no name; write name: ${name}`
                : `is named ${JSON.stringify(entry.name)} inside; the file's name says ${name}`,
          },
        ]),
    ...(typeof entry.served === "boolean"
      ? []
      : [{ path: ["served"], sentence: "does not say served: true or false" }]),
    ...(isObject(get(entry, "schema", "openAPIV3Schema"))
      ? []
      : [{ path: ["schema"], sentence: `has no schema.openAPIV3Schema${misplaced(entry)}` }]),
    ...faultsOfStatus(get(entry, "subresources", "status")),
  ];
}

function misplaced(entry: JsonObject): string {
  return entry.openAPIV3Schema === undefined ? "" : "; openAPIV3Schema belongs below schema";
}

/** YAML reads `status:` without a value as null, and the API server a null as no status subresource. */
function faultsOfStatus(status: Json | undefined): readonly { path: Path; sentence: string }[] {
  if (status === undefined || isObject(status)) return [];
  const sentence = `subresources.status is ${JSON.stringify(status)}; write status: {}`;
  return [{ path: ["subresources", "status"], sentence }];
}

/** The entry with the reserved status field declared, where the version has a status subresource to hold it. */
export function withCarrierField(entry: JsonObject): JsonObject {
  const schema = get(entry, "schema", "openAPIV3Schema");
  if (!isObject(schema) || get(entry, "subresources", "status") === undefined) return entry;
  const status = get(schema, "properties", "status") ?? { type: "object" };
  const field = {
    description: "Reserved for the conversion webhook: what this version cannot express of another one.",
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const inner = objectAt(get(status, "properties"));
  const complete = set(objectAt(status), "properties", set(inner, carrierField, field));
  const properties = set(objectAt(schema.properties), "status", complete);
  return set(
    entry,
    "schema",
    set(objectAt(entry.schema), "openAPIV3Schema", set(schema, "properties", properties)),
  );
}
