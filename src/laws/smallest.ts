import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { withoutAt } from "./admitted.ts";

/** So often is asked: what is small after that is small enough to read. */
const most = 2000;

/** What is left of an object when all that can go is gone, and texts are short, while something still shows. */
export function smallest(object: JsonObject, shows: (smaller: JsonObject) => boolean): JsonObject {
  let here = object;
  let asked = 0;
  const tries = (smaller: Json): boolean => {
    if (asked++ >= most || !isObject(smaller) || !shows(smaller)) return false;
    here = smaller;
    return true;
  };
  for (let isSmaller = true; isSmaller && asked < most; ) {
    // Parents come first: a whole branch goes at once where it can; from the back, since items move up.
    isSmaller = pathsIn(here).some((path) => tries(withoutAt(here, path)));
    if (isSmaller) continue;
    isSmaller = pathsIn(here).some((path) => shorter(here, path).some(tries));
  }
  return here;
}

/** The paths of all that an object holds but what says which object it is; shallow ones first. */
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

/** The object with the text at a path cut in half, or by one character. */
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
