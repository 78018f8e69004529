import { isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { Version } from "../kind.ts";
import type { SchemaFault } from "../schema/fault.ts";

/** What an API server would say of an object that is created at a version: pruned and defaulted first. */
export function faultsAt({ schema }: Version, object: JsonObject): readonly SchemaFault[] {
  return schema.validate(schema.defaulted(schema.prune(object).object)).faults;
}

/** What is left of an object once nothing of it is forbidden at a version; undefined where that is not found soon. */
export function admitted(version: Version, object: JsonObject): JsonObject | undefined {
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

/** Takes out what is at fault, from the back, since items of lists move up. */
function mend(version: Version, object: JsonObject, faults: readonly SchemaFault[]): JsonObject {
  return faults.toReversed().reduce((here, { type, path }) => {
    if (path === undefined || path.length === 0) return here;
    // Where something is missing, what misses it goes; its name an object cannot do without.
    const at = type === "FieldValueRequired" ? path.slice(0, -1) : path;
    return withoutAt(here, culprit(version, here, at)) as JsonObject;
  }, object);
}

/** Of an object that breaks a rule, the one field that breaks it; where there is none, the whole object. */
function culprit(version: Version, object: JsonObject, path: Path): Path {
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

/** A value without what stands at a path of it. */
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
