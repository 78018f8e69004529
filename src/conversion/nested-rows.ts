import { hasNoFields, isArray, isObject, type Json } from "../json/json.ts";
import { mapValues } from "./codecs/codec.ts";
import type { At, FieldPath, ItemOf, ItemsIn, PathIn } from "./field-types.ts";
import type { AnyRow, Inner, Lens, Row } from "./lens.ts";
import { mapValueBy } from "./lens-way.ts";
import { requirePaths, requireRows } from "./row-arguments.ts";
import { lensOf } from "./rows.ts";

/**
 * Maps the items of a list, or the values of a map, by rows of their own, whose paths begin at the item:
 * `each("spec.rules", "spec.rules", move("timeout", "timeoutSeconds", durationTo("s")))`. What no row names passes through;
 * so does an item that is not an object.
 * @throws {Error} if a path or a row is missing, or is something else
 */
export function each<
  Older = unknown,
  Newer = unknown,
  const OlderPath extends FieldPath = string,
  const NewerPath extends FieldPath = string,
>(
  older: ItemsIn<NoInfer<Older>, OlderPath>,
  newer: ItemsIn<NoInfer<Newer>, NewerPath>,
  ...rows: readonly Row<ItemOf<At<NoInfer<Older>, OlderPath>>, ItemOf<At<NoInfer<Newer>, NewerPath>>>[]
): Row<Older, Newer>;
export function each(older: FieldPath, newer: FieldPath, ...rows: readonly AnyRow[]): AnyRow {
  requirePaths("each", older, newer);
  requireRows("each", rows);
  const lens = lensOf(rows);
  return rowOf(older, newer, { lens, of: "items" }, ofEach);
}

/**
 * Maps an object by rows of its own, whose paths begin below it: `within("spec.door", "spec.entrance", ...rows)`. For rows
 * that several objects share; a single field is as well moved by its whole path.
 * @throws {Error} if a path or a row is missing, or is something else
 */
export function within<
  Older = unknown,
  Newer = unknown,
  const OlderPath extends FieldPath = string,
  const NewerPath extends FieldPath = string,
>(
  older: PathIn<NoInfer<Older>, OlderPath>,
  newer: PathIn<NoInfer<Newer>, NewerPath>,
  ...rows: readonly Row<At<NoInfer<Older>, OlderPath>, At<NoInfer<Newer>, NewerPath>>[]
): Row<Older, Newer>;
export function within(older: FieldPath, newer: FieldPath, ...rows: readonly AnyRow[]): AnyRow {
  requirePaths("within", older, newer);
  requireRows("within", rows);
  const lens = lensOf(rows);
  return rowOf(older, newer, { lens, of: "object" }, ofObject);
}

function rowOf(
  older: FieldPath,
  newer: FieldPath,
  inner: Inner,
  ofValue: (convert: Lens["up"]) => (value: Json) => Json | undefined,
): AnyRow {
  return {
    older: { value: older },
    newer: { value: newer },
    up: mapValueBy(ofValue(inner.lens.up)),
    down: mapValueBy(ofValue(inner.lens.down)),
    inner,
  };
}

function ofEach(convert: Lens["up"]): (value: Json) => Json | undefined {
  const convertItem = (item: Json) => (isObject(item) ? convert(item) : item);
  return (value) => {
    if (isArray(value)) return value.map(convertItem);
    return isObject(value) ? mapValues(value, convertItem) : undefined;
  };
}

/** An object that rows leave nothing of is not there, as a parent that a row left empty. */
function ofObject(convert: Lens["up"]): (value: Json) => Json | undefined {
  return (value) => {
    if (!isObject(value)) return undefined;
    const converted = convert(value);
    return hasNoFields(converted) && !hasNoFields(value) ? undefined : converted;
  };
}
