import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { mostAlike } from "../json/alike.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Position, placesOf } from "../yaml/places.ts";
import type { Fault } from "./fault.ts";
import { parseDocuments, readText } from "./read-documents.ts";
import { unknownKeys } from "./unknown-keys.ts";
import { faultsOfEntry, withCarrierField } from "./version-entry.ts";

/** The file of a version: one entry of a CRD's `spec.versions`. */
export interface VersionFile {
  readonly file: string;
  /** The entry with the reserved status field declared; absent if the file holds no usable entry. */
  readonly entry?: JsonObject;
  readonly faults: readonly Fault[];
  /** Whether there is no such file. */
  readonly isMissing?: boolean;
  /** Where a value of the entry stands in the file. */
  readonly placeOf: (path: Path) => Position;
}

/** Reads the file of a version, and finds what is wrong with it before its schema is compiled. */
export function readVersionFile(name: string, folder: string): VersionFile {
  const file = path.join(folder, `${name}.yaml`);
  const unusable = (fault: Omit<Fault, "file">): VersionFile => ({
    file,
    faults: [{ file, ...fault }],
    placeOf: startOfFile,
  });
  const text = readText(file);
  if (text === undefined)
    return {
      ...unusable({
        sentence: `is missing; it holds version ${name} as one entry of a CRD's spec.versions${otherName(file)}`,
      }),
      isMissing: true,
    };
  const parsed = parseDocuments(text);
  if ("sentence" in parsed) return unusable(parsed);
  const [document, ...others] = parsed.documents;
  if (document === undefined || !isObject(document.value) || others.length > 0)
    return unusable({
      place: startOfFile(),
      sentence: notAnEntry(parsed.documents.map(({ value }) => value)),
    });
  if (document.value.kind === "CustomResourceDefinition")
    return unusable({
      place: startOfFile(),
      sentence: `is a whole CRD, not one entry of its spec.versions; antechamber import ${name}.yaml makes the folder of a kind from it`,
    });
  const places = placesOf(text);
  const placeOf = (inside: Path) => places.find(0, inside, "") ?? startOfFile();
  const entry = document.value;
  const faults = [...faultsOfEntry(entry, name), ...unknownKeys(entry)].map(
    ({ path: inside, sentence }): Fault => ({ file, place: placeOf(inside), sentence }),
  );
  const isUsable = isObject(get(entry, "schema", "openAPIV3Schema"));
  return { file, faults, placeOf, ...(isUsable ? { entry: withCarrierField({ ...entry, name }) } : {}) };
}

/** What stands in the folder instead of a version's file, if it is named alike. */
function otherName(file: string): string {
  const [folder, name] = [path.dirname(file), path.basename(file, ".yaml")];
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const forms = [".yaml", ".yml", ".json"].map((ending) => `${name}${ending}`.toLowerCase());
  const same = names.find((each) => forms.includes(each.toLowerCase()));
  if (same !== undefined) return `; rename ${same} to ${name}.yaml`;
  const versions = names.filter((each) => each.endsWith(".yaml")).map((each) => path.basename(each, ".yaml"));
  const [alike] = mostAlike(name, versions);
  return alike === undefined ? "" : `; there is ${alike}.yaml: did you mean version("${alike}")?`;
}

function notAnEntry(documents: readonly Json[]): string {
  const wanted = "it must hold one entry of a CRD's spec.versions";
  if (documents.length === 0) return `is empty; ${wanted}`;
  if (documents.length > 1) return `holds ${documents.length} documents; ${wanted}`;
  return isArray(documents[0])
    ? `holds a list; ${wanted}, without the dash before name`
    : `holds no map; ${wanted}`;
}

function startOfFile(): Position {
  return { line: 1, column: 1 };
}
