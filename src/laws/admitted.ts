import { isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { Version } from "../kind/kind.ts";
import type { SchemaFault } from "../schema/model/fault.ts";

/** The faults that an API server finds in an object that is created at a version, after pruning and defaulting. */
export function faultsAt({ schema }: Pick<Version, "schema">, object: JsonObject): readonly SchemaFault[] {
  return schema.validate(schema.defaulted(schema.prune(object).object)).faults;
}

/** The object without everything that a version forbids; undefined if a few rounds do not make it valid. */
export function admitted(version: Pick<Version, "schema">, object: JsonObject): JsonObject | undefined {
  let here = object;
  for (let round = 0; round < 12; round++) {
    const faults = faultsAt(version, here);
    if (faults.length === 0) return here;
    const mended = mend(version, here, faults);
    if (mended === here) return undefined;
    here = mended;
  }
  return undefined;
}

/** Removes what is at fault, from the back, since removing an item shifts those after it. */
function mend(
  version: Pick<Version, "schema">,
  object: JsonObject,
  faults: readonly SchemaFault[],
): JsonObject {
  return faults.toReversed().reduce((here, { type, path }) => {
    if (path === undefined || path.length === 0) return here;
    // If a required field is missing, its parent is removed.
    const at = type === "FieldValueRequired" ? path.slice(0, -1) : path;
    return withoutAt(here, culprit(version, here, at)) as JsonObject;
  }, object);
}

/** The single field of an object that breaks a rule, if removing it mends the object; else the whole object. */
function culprit(version: Pick<Version, "schema">, object: JsonObject, path: Path): Path {
  const value = valueAt(object, path);
  if (!isObject(value)) return path;
  const field = path.join("\0");
  const isMended = (key: string) =>
    faultsAt(version, withoutAt(object, [...path, key]) as JsonObject).every(
      (each) => each.path?.join("\0") !== field,
    );
  const key = Object.keys(value).find(isMended);
  return key === undefined ? path : [...path, key];
}

function valueAt(value: Json | undefined, [step, ...rest]: Path): Json | undefined {
  if (step === undefined || value === undefined) return value;
  if (isArray(value)) return valueAt(value[Number(step)], rest);
  return isObject(value) && Object.hasOwn(value, step) ? valueAt(value[step], rest) : undefined;
}

/** A value without the part at a path. */
export function withoutAt(value: Json, [step, ...rest]: Path): Json {
  if (step === undefined) return value;
  if (isArray(value)) {
    if (rest.length === 0) return value.filter((_, index) => index !== step);
    return value.map((item, index) => (index === step ? withoutAt(item, rest) : item));
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  const inner = value[step];
  return set(
    value,
    String(step),
    rest.length === 0 || inner === undefined ? undefined : withoutAt(inner, rest),
  );
}
