import type { Json, JsonObject } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { entriesOf, withAt } from "./build.ts";
import type { Pace } from "./pace.ts";

/** What one search for a smaller object may cost: objects, milliseconds, and of the time that is left. */
const most = { objects: 600, milliseconds: 5_000, share: 1 / 20 } as const;

/**
 * An object without all parts that a fault does not need. `shows` says whether a smaller object has the fault. Parts of one
 * depth are taken away together, then by halves, so that few of many are found with few questions; then the parts below.
 */
export async function shrunk(
  object: JsonObject,
  shows: (smaller: JsonObject) => Promise<boolean>,
  pace: Pace,
): Promise<JsonObject> {
  const end = pace.now() + Math.min(most.milliseconds, pace.left() * most.share);
  let left: number = most.objects;
  const mayTry = () => left-- > 0 && pace.now() <= end;
  let here = object;
  for (let before: JsonObject | undefined; before !== here; ) {
    before = here;
    for (let depth = 1; depth <= depthOf(here); depth++)
      here = await withoutParts(here, depth, shows, mayTry);
  }
  return here;
}

/** An object without the parts of one depth that a fault does not need. */
async function withoutParts(
  object: JsonObject,
  depth: number,
  shows: (smaller: JsonObject) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<JsonObject> {
  let kept = partsAt(object, depth);
  const all = kept;
  let here = object;
  for (let size = kept.length; size >= 1; size = size === 1 ? 0 : (size + 1) >> 1)
    for (let at = 0; at < kept.length; ) {
      if (!mayTry()) return here;
      const rest = kept.filter((_, index) => index < at || index >= at + size);
      const smaller = withoutAll(
        object,
        all.filter((path) => !rest.includes(path)),
      );
      if (await shows(smaller)) [here, kept] = [smaller, rest];
      else at += size;
    }
  return here;
}

/** An object without the values at paths. Later items of a list go first, so that the paths stay true. */
function withoutAll(object: JsonObject, paths: readonly Path[]): JsonObject {
  return paths.reduceRight((here, path) => withAt(here, path, undefined) as JsonObject, object);
}

/** The paths of all parts of an object's content at one depth, in its order. */
function partsAt(object: JsonObject, depth: number): readonly Path[] {
  const below = (value: Json, path: Path): readonly Path[] => {
    if (path.length === depth) return [path];
    return entriesOf(value).flatMap(([step, inner]) => below(inner, [...path, step]));
  };
  return below(contentOf(object), []);
}

function depthOf(object: JsonObject): number {
  const deepest = (value: Json): number =>
    1 + Math.max(0, ...entriesOf(value).map(([, inner]) => deepest(inner)));
  return deepest(contentOf(object)) - 1;
}

function contentOf({ apiVersion: _, kind: __, metadata: ___, ...content }: JsonObject): JsonObject {
  return content;
}
