import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { withoutAt } from "./admitted.ts";

/** The most attempts: what remains after that is small enough to read. */
const most = 2000;

/** An object reduced as far as a property still holds, in some attempts: parts removed and strings shortened. */
export function smallest(
  object: JsonObject,
  shows: (smaller: JsonObject) => boolean,
  attempts = most,
): JsonObject {
  let here = object;
  let asked = 0;
  const tries = (smaller: Json): boolean => {
    if (asked++ >= attempts || !isObject(smaller) || !shows(smaller)) return false;
    here = smaller;
    return true;
  };
  for (let isSmaller = true; isSmaller && asked < attempts; ) {
    // Parents come first, so that whole branches are removed at once; from the back, since removing an item shifts the
    // others.
    isSmaller = pathsIn(here).some((path) => tries(withoutAt(here, path)));
    if (isSmaller) continue;
    isSmaller = pathsIn(here).some((path) => shorter(here, path).some(tries));
  }
  return here;
}

/** The paths of everything in an object except its identity, shallow ones first. */
function pathsIn(object: JsonObject): readonly Path[] {
  const identity = new Set(["apiVersion", "kind", "metadata", "metadata\0name", "metadata\0namespace"]);
  const below = (value: Json, path: Path): readonly Path[] => {
    const steps = isArray(value) ? [...value.keys()].toReversed() : isObject(value) ? Object.keys(value) : [];
    const here = steps.map((step) => [...path, step]);
    const inner = isArray(value)
      ? Object.values(value).toReversed()
      : isObject(value)
        ? Object.values(value)
        : [];
    return [...here, ...inner.flatMap((each, index) => below(each, here[index] ?? path))];
  };
  return below(object, [])
    .filter((path) => !identity.has(path.join("\0")))
    .toSorted((a, b) => a.length - b.length);
}

/** The object with the string at a path cut in half, or by one character. */
function shorter(object: JsonObject, path: Path): readonly Json[] {
  const cut = (value: Json, [step, ...rest]: Path, length: (text: string) => number): Json | undefined => {
    if (step === undefined) {
      return typeof value === "string" && value !== ""
        ? value.slice(0, length(value)).toWellFormed()
        : undefined;
    }
    const inner = isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined;
    const changed = inner === undefined ? undefined : cut(inner, rest, length);
    if (changed === undefined) return undefined;
    if (isArray(value)) return value.map((item, index) => (index === step ? changed : item));
    return isObject(value) ? { ...value, [String(step)]: changed } : undefined;
  };
  const lengths = [(text: string) => text.length >> 1, (text: string) => text.length - 1];
  return lengths.map((length) => cut(object, path, length)).filter((each) => each !== undefined);
}
