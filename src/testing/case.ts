import { didYouMean } from "../json/alike.ts";
import { isArray, isObject, type Json, type JsonObject, objectAt } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { Kind } from "../kind/kind.ts";
import type { Conditions, DeniedField } from "./write.ts";

/** An object as a case writes it: the version by its name, and the object without what follows from that. */
export interface VersionedObject {
  readonly version: string;
  readonly object: JsonObject;
}

/** A case: a conversion between two versions, or a write. */
export type Case = { readonly name?: string } & (ConversionCase | WriteCase);

/** One object as two or more versions show it. */
export interface ConversionCase {
  readonly convert: readonly VersionedObject[];
  /** The only direction to test: to newer versions, or to older ones. */
  readonly only?: "up" | "down";
}

/** A write and what is expected of it. */
export interface WriteCase {
  readonly write: VersionedObject;
  readonly conditions: Conditions;
  /** The causes of the denial; undefined if the write is allowed. */
  readonly denied?: readonly Partial<DeniedField>[];
  /** The object as versions show it afterwards. */
  readonly stored?: readonly VersionedObject[];
  /** Parts of the warnings, in order. */
  readonly warnings?: readonly string[];
}

/** What is wrong with a case, and where in its document. */
interface CaseFault {
  readonly path: Path;
  readonly sentence: string;
}

const common = ["name"];
const ofConversions = ["convert", "only"];
const ofWrites = ["create", "update", "old", "subresource", "with", "gates", "now"];
const outcomes = ["allowed", "denied", "stored", "warnings"];

/** Reads a document of a case file; else all that is wrong with it. */
export function readCase(
  document: Json,
  kind: Kind,
): { readonly found: Case } | { readonly faults: readonly CaseFault[] } {
  if (!isObject(document)) return { faults: [fault([], "a case is a map, such as convert: { v1: … }")] };
  const isConversion = Object.hasOwn(document, "convert");
  const isWrite = ["create", "update"].some((key) => Object.hasOwn(document, key));
  const known = [
    ...common,
    ...(isWrite && !isConversion ? [] : ofConversions),
    ...(isConversion ? [] : [...ofWrites, ...outcomes]),
  ];
  const faults = [
    ...unknownKeys(document, known),
    ...typeFaults(document),
    ...(isConversion ? conversionFaults(document, kind) : writeFaults(document, kind)),
  ];
  if (faults.length > 0) return { faults };
  const name = typeof document.name === "string" ? { name: document.name } : {};
  return { found: { ...name, ...(isConversion ? conversionOf(document) : writeOf(document, kind)) } };
}

function fault(path: Path, sentence: string): CaseFault {
  return { path, sentence };
}

function unknownKeys(document: JsonObject, known: readonly string[]): readonly CaseFault[] {
  const all = [...common, ...ofConversions, ...ofWrites, ...outcomes];
  return Object.keys(document)
    .filter((key) => !known.includes(key))
    .map((key) =>
      fault(
        [key],
        all.includes(key)
          ? `${key} does not go together with ${Object.hasOwn(document, "convert") ? "convert" : "create or update"}`
          : `unknown key ${JSON.stringify(key)}${didYouMean(key, known) || `; a case has ${known.join(", ")}`}`,
      ),
    );
}

/** What each key holds, other than objects of versions. */
const types: Readonly<Record<string, { readonly isOne: (value: Json) => boolean; readonly words: string }>> =
  {
    name: { isOne: (value) => typeof value === "string", words: "a sentence" },
    only: { isOne: (value) => value === "up" || value === "down", words: "up or down" },
    subresource: { isOne: (value) => value === "status", words: "status" },
    with: { isOne: isListOf(isWhole), words: "a list of objects with apiVersion and kind" },
    gates: {
      isOne: (value) => isObject(value) && Object.values(value).every((each) => typeof each === "boolean"),
      words: "a map of feature gates to true or false",
    },
    now: { isOne: isTime, words: "a time such as 2026-01-01T00:00:00Z" },
    allowed: { isOne: (value) => value === true, words: "true; use denied for a write that is not allowed" },
    denied: {
      isOne: (value) => isListOf(isCause)(value) && isArray(value) && value.length > 0,
      words: "a list of causes, each with field, message or reason",
    },
    warnings: { isOne: isListOf((each) => typeof each === "string"), words: "a list of texts" },
  };

function typeFaults(document: JsonObject): readonly CaseFault[] {
  return Object.entries(types)
    .filter(([key, { isOne }]) => Object.hasOwn(document, key) && !isOne(document[key] ?? null))
    .map(([key, { words }]) => fault([key], `${key} must be ${words}`));
}

function isListOf(isOne: (value: Json) => boolean): (value: Json) => boolean {
  return (value) => isArray(value) && value.every(isOne);
}

function isWhole(value: Json): boolean {
  return isObject(value) && typeof value.apiVersion === "string" && typeof value.kind === "string";
}

function isCause(value: Json): boolean {
  if (!isObject(value) || Object.keys(value).length === 0) return false;
  return Object.entries(value).every(
    ([key, text]) => ["field", "message", "reason"].includes(key) && typeof text === "string",
  );
}

function isTime(value: Json): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

function conversionFaults(document: JsonObject, kind: Kind): readonly CaseFault[] {
  const faults = versionFaults(document, "convert", kind);
  const isPair = isObject(document.convert) && Object.keys(document.convert).length > 1;
  return faults.length > 0 || isPair
    ? faults
    : [fault(["convert"], "convert names two or more versions of one object")];
}

function writeFaults(document: JsonObject, kind: Kind): readonly CaseFault[] {
  const [write, ...others] = ["create", "update"].filter((key) => Object.hasOwn(document, key));
  if (write === undefined || others.length > 0)
    return [fault([], "a case has one of convert, create and update")];
  const isExpected = outcomes.some((key) => Object.hasOwn(document, key));
  const has = (key: string) => Object.hasOwn(document, key);
  return [
    ...versionFaults(document, write, kind, 1),
    ...(has("old") ? versionFaults(document, "old", kind, 1) : []),
    ...(has("stored") ? versionFaults(document, "stored", kind) : []),
    ...(write === "update" && !has("old") ? [fault([write], "an update needs old, the stored object")] : []),
    ...(write === "create" && has("old") ? [fault(["old"], "old goes together with update")] : []),
    ...(isExpected
      ? []
      : [fault([write], "nothing is expected: add allowed: true, denied, stored or warnings")]),
    ...(has("denied") && (has("allowed") || has("stored"))
      ? [fault(["denied"], "a write that is denied is not allowed, and stores nothing")]
      : []),
    ...gateFaults(document, kind),
  ];
}

function gateFaults({ gates }: JsonObject, { name, definition }: Kind): readonly CaseFault[] {
  const known = Object.keys(definition.gates ?? {});
  return Object.keys(objectAt(gates))
    .filter((each) => !known.includes(each))
    .map((each) => fault(["gates", each], `${name} has no feature gate ${each}${didYouMean(each, known)}`));
}

/** What is wrong with a map of versions to objects. */
function versionFaults(document: JsonObject, key: string, kind: Kind, most?: number): readonly CaseFault[] {
  const value = document[key];
  const versions = kind.versions.map(({ name }) => name);
  if (!isObject(value))
    return [fault([key], `${key} must be a map of a version to an object: { ${versions.at(-1)}: … }`)];
  const names = Object.keys(value);
  const ofEach = names.flatMap((name) => {
    if (!versions.includes(name))
      return [fault([key, name], `${kind.name} has no version ${name}; it has ${versions.join(", ")}`)];
    return isObject(value[name]) ? [] : [fault([key, name], `${name} must be an object`)];
  });
  const isCount = names.length > 0 && names.length <= (most ?? names.length);
  return isCount ? ofEach : [...ofEach, fault([key], `${key} names one version and its object`)];
}

function conversionOf(document: JsonObject): ConversionCase {
  const { only } = document;
  return {
    convert: versionedIn(document.convert),
    ...(only === "up" || only === "down" ? { only } : {}),
  };
}

function writeOf(document: JsonObject, kind: Kind): WriteCase {
  const [write] = versionedIn(document.create ?? document.update);
  const [old] = versionedIn(document.old);
  const { gates, now, denied, stored, warnings } = document;
  if (write === undefined) throw new Error("a write without an object was found valid");
  return {
    write,
    conditions: {
      ...(old === undefined ? {} : { old: wholeObject(kind, old) }),
      ...(document.subresource === "status" ? { subresource: "status" } : {}),
      ...(isArray(document.with) ? { with: document.with.filter(isObject) } : {}),
      ...(isObject(gates) ? { gates: gates as Readonly<Record<string, boolean>> } : {}),
      ...(typeof now === "string" ? { now: new Date(now) } : {}),
    },
    ...(isArray(denied) ? { denied: denied as readonly Partial<DeniedField>[] } : {}),
    ...(stored === undefined ? {} : { stored: versionedIn(stored) }),
    ...(isArray(warnings) ? { warnings: warnings.map(String) } : {}),
  };
}

function versionedIn(value: Json | undefined): readonly VersionedObject[] {
  return Object.entries(objectAt(value)).map(([version, object]) => ({ version, object: objectAt(object) }));
}

/** The object with its apiVersion and kind, and a name unless it has one. */
export function wholeObject({ definition }: Kind, { version, object }: VersionedObject): JsonObject {
  const metadata = objectAt(object, "metadata");
  return {
    ...object,
    apiVersion: `${definition.group}/${version}`,
    kind: definition.kind,
    metadata: { name: "case", ...metadata },
  };
}
