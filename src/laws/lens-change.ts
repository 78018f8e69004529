import { keyedItems } from "../conversion/keyed-list.ts";
import { get, isArray, isObject, type Json } from "../json/json.ts";
import { fieldOf, type Path } from "../json/path.ts";
import { meanSame } from "./same-meaning.ts";

/** A value that came back as another one, or that came back though it had not been there. */
export interface Change {
  readonly path: Path;
  readonly field: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/**
 * What came back from another version as something else than it was. Something that did not come back is not a change:
 * the other version may have no field for it. A list whose items are others, more or in another order is one, and so is a list that lost a scalar or an item with a key.
 */
export function changesOf(
  before: Json | undefined,
  after: Json | undefined,
  schema: Json | undefined,
  path: Path = [],
): readonly Change[] {
  if (after === undefined || after === null) return [];
  if (isObject(after) && (isObject(before) || isAbsent(before)))
    return Object.keys(after).flatMap((name) =>
      changesOf(get(before ?? {}, name), after[name], schemaBelow(schema, name), [...path, name]),
    );
  if (isArray(after) && after.length === 0 && isAbsent(before)) return [];
  if (isArray(after) && isArray(before)) return changesOfList(before, after, schema, path);
  if (before !== undefined && before !== null && meanSame(before, after)) return [];
  return [changeAt(path, before, after)];
}

function changesOfList(
  before: readonly Json[],
  after: readonly Json[],
  schema: Json | undefined,
  path: Path,
): readonly Change[] {
  const names = [before, after].map((list) => namesIn(list, schema));
  if (names[0] !== names[1]) return [changeAt(path, before, after)];
  if (isPartOf(after, before, schema)) return [];
  if (before.length !== after.length) return [changeAt(path, before, after)];
  return after.flatMap((item, index) =>
    changesOf(before[index], item, get(schema, "items"), [...path, index]),
  );
}

/** Whether a list is another one without those of its objects that the other version has no fields for. */
function isPartOf(list: readonly Json[], whole: readonly Json[], schema: Json | undefined): boolean {
  let at = 0;
  for (const item of whole) {
    const isNext = at < list.length && changesOf(item, list[at], get(schema, "items")).length === 0;
    if (isNext) at++;
    else if (!isObject(item)) return false;
  }
  return at === list.length;
}

/** The names of a keyed list's items in order, as one text; undefined for any other list. */
function namesIn(list: readonly Json[], schema: Json | undefined): string | undefined {
  const keys = get(schema, "x-kubernetes-list-map-keys");
  const items = isArray(keys) ? keyedItems(list, keys.map(String)) : undefined;
  return items === undefined ? undefined : JSON.stringify([...items.keys()]);
}

function schemaBelow(schema: Json | undefined, name: string): Json | undefined {
  return get(schema, "properties", name) ?? get(schema, "additionalProperties");
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null;
}

function changeAt(path: Path, expected: Json | undefined, actual: Json | undefined): Change {
  return { path, field: fieldOf(path), expected, actual };
}
