import fc from "fast-check";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { obviousKeys } from "../judge/trespasses.ts";
import type { Kind } from "../kind/kind.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { type Change, changed, type Edit, firstOf, type Target, targetsOf, text } from "./edits.ts";
import { type Harvest, placeBelow } from "./harvest.ts";
import { lazily } from "./lazy.ts";
import { valuesOf } from "./values.ts";

/** A new value of a list: of its items, some drawn numbers to choose among them, and a drawn item. */
type Operation = (items: readonly Json[], picks: readonly [number, number], fresh: Json) => readonly Json[];

const operations: Readonly<Record<string, Operation>> = {
  append: (items, _, fresh) => [...items, fresh],
  insert: (items, [pick], fresh) => items.toSpliced(pick % (items.length + 1), 0, fresh),
  remove: (items, [pick]) => items.toSpliced(at(items, pick), 1),
  move: (items, [from, to]) => {
    const [moved] = items.slice(at(items, from));
    const rest = items.toSpliced(at(items, from), 1);
    return moved === undefined ? items : rest.toSpliced(to % (rest.length + 1), 0, moved);
  },
  duplicate: (items, [pick, to]) => {
    const twin = items[at(items, pick)];
    return twin === undefined ? items : items.toSpliced(to % (items.length + 1), 0, twin);
  },
  "change a field of": (items, [pick, which], fresh) =>
    withItem(items, pick, (item) =>
      withField(item, fresh, Object.keys(item)[which % (Object.keys(item).length || 1)]),
    ),
  "change the key of": (items, [pick], fresh) =>
    withItem(items, pick, (item) =>
      withField(
        item,
        fresh,
        obviousKeys.find((key) => get(item, key) !== undefined),
      ),
    ),
  "replace all": (_, __, fresh) => [fresh],
};

/** The places of a schema where lists of objects have no keys, so that server-side apply treats each as a whole. */
function atomicListsOf(schema: Json | undefined): readonly Target[] {
  return targetsOf(schema, [], "").filter(
    ({ schema: each }) =>
      isObject(get(each, "items", "properties")) && get(each, "x-kubernetes-list-map-keys") === undefined,
  );
}

/** Edits of the lists of objects without keys, item by item; undefined if a version has no such list. */
export function listEditsOf(kind: Kind, version: number, found: Harvest): fc.Arbitrary<Edit> | undefined {
  const targets = atomicListsOf(contentSchemaOf((kind.versions[version] ?? kind.hub).entry));
  if (targets.length === 0) return undefined;
  const changes = targets.map((target) => lazily(() => changesOf(target, found)));
  return fc.array(fc.oneof(...changes), { minLength: 1, maxLength: 5 }).map(firstOf);
}

function changesOf({ steps, schema, place }: Target, found: Harvest): fc.Arbitrary<Change> {
  const picks = fc.array(fc.nat(30), { minLength: steps.length, maxLength: steps.length });
  const fresh = valuesOf(get(schema, "items"), `${place}[]`, found, "partial");
  return fc
    .tuple(fc.constantFrom(...Object.keys(operations)), picks, fc.tuple(fc.nat(9), fc.nat(9)), fresh)
    .map(([name, chosen, numbers, item]) => ({
      words: `${name} item ${numbers.join(", ")} of ${placeBelow("", place)} by ${text(item)}`,
      apply: (object) =>
        (changed(object, steps, chosen, (list) =>
          isArray(list) && list.every(isObject) ? (operations[name] as Operation)(list, numbers, item) : list,
        ) ?? {}) as JsonObject,
    }));
}

function at(items: readonly Json[], pick: number): number {
  return items.length === 0 ? 0 : pick % items.length;
}

function withItem(items: readonly Json[], pick: number, update: (item: JsonObject) => Json): readonly Json[] {
  return items.map((item, index) => (index === at(items, pick) && isObject(item) ? update(item) : item));
}

/** An item with one field from another one, or without it. */
function withField(item: JsonObject, fresh: Json, name: string | undefined): JsonObject {
  return name === undefined ? item : set(item, name, get(fresh, name));
}
