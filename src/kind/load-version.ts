import path from "node:path";
import { carrierField } from "../conversion/carriers.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Position, placesOf } from "../json/yaml-places.ts";
import type { Fault } from "./fault.ts";
import { parseDocuments, readText } from "./read-documents.ts";
import { unknownKeys } from "./unknown-keys.ts";

/** The file of a version: one entry of a CRD's `spec.versions`. */
export interface VersionFile {
  readonly file: string;
  /** The entry with the reserved status field declared; absent if the file holds no usable entry. */
  readonly entry?: JsonObject;
  readonly faults: readonly Fault[];
  /** Where a value of the entry stands in the file. */
  readonly placeOf: (path: Path) => Position;
}

/** Reads the file of a version, and finds what is wrong with it before its schema is compiled. */
export async function readVersionFile(name: string, folder: string): Promise<VersionFile> {
  const file = path.join(folder, `${name}.yaml`);
  const unusable = (fault: Omit<Fault, "file">): VersionFile => ({
    file,
    faults: [{ file, ...fault }],
    placeOf: startOfFile,
  });
  const text = await readText(file);
  if (text === undefined)
    return unusable({
      sentence: `is missing; it holds version ${name} as one entry of a CRD's spec.versions`,
    });
  const parsed = parseDocuments(text);
  if ("sentence" in parsed) return unusable(parsed);
  const [document, ...others] = parsed.documents;
  if (document === undefined || !isObject(document.value) || others.length > 0)
    return unusable({ sentence: "does not hold exactly one entry of a CRD's spec.versions" });
  const places = placesOf(text);
  const placeOf = (inside: Path) => places.find(0, inside, "") ?? startOfFile();
  const entry = document.value;
  const faults = [...faultsOfEntry(entry, name), ...unknownKeys(entry)].map(
    ({ path: inside, sentence }): Fault => ({ file, place: placeOf(inside), sentence }),
  );
  const isUsable = isObject(get(entry, "schema", "openAPIV3Schema"));
  return { file, faults, placeOf, ...(isUsable ? { entry: withCarrierField({ ...entry, name }) } : {}) };
}

function startOfFile(): Position {
  return { line: 1, column: 1 };
}

function faultsOfEntry(entry: JsonObject, name: string): readonly { path: Path; sentence: string }[] {
  return [
    ...(entry.name === name
      ? []
      : [{ path: ["name"], sentence: `is named ${shown(entry.name)} inside; the file's name says ${name}` }]),
    ...(typeof entry.served === "boolean"
      ? []
      : [{ path: ["served"], sentence: "does not say served: true or false" }]),
    ...(isObject(get(entry, "schema", "openAPIV3Schema"))
      ? []
      : [{ path: ["schema"], sentence: "has no schema.openAPIV3Schema" }]),
  ];
}

function shown(value: Json | undefined): string {
  return JSON.stringify(value) ?? "undefined";
}

/** The entry with the reserved status field declared, where the version has a status subresource to hold it. */
function withCarrierField(entry: JsonObject): JsonObject {
  const schema = get(entry, "schema", "openAPIV3Schema");
  if (!isObject(schema) || get(entry, "subresources", "status") === undefined) return entry;
  const status = get(schema, "properties", "status") ?? { type: "object" };
  const field = {
    description: "Reserved for the conversion webhook: what this version cannot express of another one.",
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const inner = asObject(get(status, "properties"));
  const complete = set(asObject(status), "properties", set(inner, carrierField, field));
  const properties = set(asObject(schema.properties), "status", complete);
  return set(
    entry,
    "schema",
    set(asObject(entry.schema), "openAPIV3Schema", set(schema, "properties", properties)),
  );
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
