import { fieldAt, isArray, isObject, type Json, type JsonObject, ownField } from "../json/json.ts";
import { keyedItems } from "./keyed-list.ts";
import { below, type Shape } from "./shape.ts";

/** What is shown, without what is neither said nor known; the very same object where that is nothing. */
export function withoutUnsaid(
  shown: JsonObject,
  said: JsonObject,
  known: JsonObject,
  shape: Shape,
): JsonObject {
  return fieldsWithoutUnsaid(shown, said, known, shape);
}

function valueWithoutUnsaid(
  shown: Json,
  said: Json | undefined,
  known: Json | undefined,
  shape: Shape | undefined,
): Json {
  if (isObject(shown)) {
    return fieldsWithoutUnsaid(
      shown,
      isObject(said) ? said : nothing,
      isObject(known) ? known : nothing,
      shape,
    );
  }
  return isArray(shown) ? itemsWithoutUnsaid(shown, said, known, shape) : shown;
}

function fieldsWithoutUnsaid(
  shown: JsonObject,
  said: JsonObject,
  known: JsonObject,
  shape: Shape | undefined,
): JsonObject {
  let isSame = true;
  const kept: [string, Json][] = [];
  for (const name in shown) {
    const value = fieldAt(shown, name);
    const [saidHere, knownHere] = [ownField(said, name), ownField(known, name)];
    if (saidHere === value) {
      kept.push([name, value]);
      continue;
    }
    const left =
      saidHere === undefined && knownHere === undefined
        ? undefined
        : valueWithoutUnsaid(value, saidHere, knownHere, shape && below(shape, name));
    if (left !== undefined) kept.push([name, left]);
    if (left !== value) isSame = false;
  }
  return isSame ? shown : Object.fromEntries(kept);
}

/** Items of a keyed list are found by their keys, others by their places, if there are as many. */
function itemsWithoutUnsaid(
  shown: readonly Json[],
  said: Json | undefined,
  known: Json | undefined,
  shape: Shape | undefined,
): readonly Json[] {
  const keys = shape?.keys;
  const items = keys && keyedItems(shown, keys);
  const kept =
    keys === undefined || items === undefined
      ? byPlace(shown, said, known, shape?.items)
      : byKey(items, keyedItems(said ?? [], keys), keyedItems(known ?? [], keys), shape?.items);
  return kept.length === shown.length && kept.every((item, at) => item === shown[at]) ? shown : kept;
}

const nothing: JsonObject = {};

type Items = ReturnType<typeof keyedItems>;

function byKey(
  shown: NonNullable<Items>,
  said: Items,
  known: Items,
  shape: Shape | undefined,
): readonly Json[] {
  return [...shown].flatMap(([key, item]) => {
    const [saidHere, knownHere] = [said?.get(key), known?.get(key)];
    if (saidHere === undefined && knownHere === undefined) return [];
    return [valueWithoutUnsaid(item, saidHere, knownHere, shape)];
  });
}

function byPlace(
  shown: readonly Json[],
  said: Json | undefined,
  known: Json | undefined,
  shape: Shape | undefined,
): readonly Json[] {
  if (!isArray(said) || said.length !== shown.length) return shown;
  const knownItems = isArray(known) && known.length === shown.length ? known : [];
  return shown.map((item, at) => valueWithoutUnsaid(item, said[at], knownItems[at], shape));
}
