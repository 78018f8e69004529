import { isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { withAt } from "./build.ts";

/** The most objects that are tried for a smaller one. */
const most = 150;

/** An object without all parts that a fault does not need. `shows` says whether a smaller object has the fault. */
export async function shrunk(
  object: JsonObject,
  shows: (smaller: JsonObject) => Promise<boolean>,
): Promise<JsonObject> {
  let here = object;
  let tried = 0;
  for (let isSmaller = true; isSmaller && tried < most; ) {
    isSmaller = false;
    for (const path of partsOf(here)) {
      if (tried++ >= most) break;
      const smaller = withAt(here, path, undefined) as JsonObject;
      if (!(await shows(smaller))) continue;
      here = smaller;
      isSmaller = true;
      break;
    }
  }
  return here;
}

/** The paths of all parts of an object's content, large parts first, the last items of lists first. */
function partsOf(object: JsonObject): readonly Path[] {
  const below = (value: Json, path: Path): readonly Path[] => {
    const entries: readonly (readonly [string | number, Json])[] = isArray(value)
      ? [...value.entries()].toReversed()
      : isObject(value)
        ? Object.entries(value)
        : [];
    return entries.flatMap(([step, inner]) => [[...path, step], ...below(inner, [...path, step])]);
  };
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
  return below(content, []).toSorted((a, b) => a.length - b.length);
}
