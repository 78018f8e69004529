import { changesOf, shortened } from "../../checks/index.ts";
import { convert } from "../../conversion/convert.ts";
import { messageOf } from "../../errors.ts";
import type { JsonObject } from "../../json/json.ts";
import { fieldOf } from "../../json/path.ts";
import { type Kind, versionIndex } from "../../kind/kind.ts";
import { bareOf } from "../../laws/bare.ts";
import { crdName } from "../../manifests/crd.ts";
import type { LiveKind } from "./check.ts";

/** The kinds whose stored objects are converted to every other version and back. */
export function convertedKinds(kinds: readonly Kind[], to?: string): readonly LiveKind[] {
  return kinds.map((kind) => ({
    crd: crdName(kind),
    kind: kind.definition.kind,
    versions: kind.versions.map(({ name }) => name),
    faults: (object) => conversionFaults(kind, object, to),
  }));
}

/** The most differences that are reported for one conversion. */
const mostListed = 10;

/**
 * What is wrong with the conversion of an object to another version, or to each: it fails, what comes back is not the object, or
 * the other version's schema forbids the result although its own permits the object.
 */
export function conversionFaults(kind: Kind, object: JsonObject, to?: string): readonly string[] {
  const from = versionIndex(kind, object.apiVersion);
  if (from === undefined) return [`${String(object.apiVersion)} is not a version of ${kind.name}`];
  return kind.versions.flatMap(({ name }, target) =>
    target === from || (to !== undefined && to !== name) ? [] : faultsThrough(kind, object, from, target),
  );
}

function faultsThrough(kind: Kind, object: JsonObject, from: number, target: number): readonly string[] {
  const name = kind.versions[target]?.name ?? "";
  try {
    const there = convert(object, kind.chain, from, target);
    const back = convert(there, kind.chain, target, from);
    const changes = changesOf(bareOf(object), bareOf(back, object)).slice(0, mostListed);
    return [
      ...changes.map(({ path, before, after }) => {
        const words = `${shortened(before)} comes back from ${name} as ${shortened(after)}`;
        return `${fieldOf(path)}: ${words}`;
      }),
      ...invalidAt(kind, object, from, there, target).map((words) => `at ${name}: ${words}`),
    ];
  } catch (error) {
    return [`cannot be converted to ${name}: ${messageOf(error)}`];
  }
}

function invalidAt(kind: Kind, object: JsonObject, from: number, there: JsonObject, target: number) {
  const faults = (version: number, each: JsonObject) => {
    const schema = kind.versions[version]?.schema;
    return schema === undefined ? [] : schema.validate(schema.defaulted(schema.prune(each).object)).faults;
  };
  if (faults(from, object).length > 0) return [];
  return faults(target, there).map(({ field, message }) => `${field}: ${message}`);
}
