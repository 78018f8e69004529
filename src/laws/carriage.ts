import { convert } from "../conversion/convert.ts";
import { type Carried, carriedBy } from "../conversion/explain.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { fieldOf } from "../json/path.ts";
import { contentSchemaOf } from "./content-schema.ts";
import type { Pair } from "./pair.ts";
import { allOf, isEmpty, isItemKey, placeOfLeaf, valuesIn } from "./places.ts";

/** A place in a schema whose values travel in the complement, always or sometimes. */
export interface Carriage {
  readonly place: string;
  /** The reasons, in the order in which they were found. */
  readonly why: readonly Carried["why"][];
  /** Whether every object with a value there carries it. */
  readonly always: boolean;
  /**
   * A value that is carried (for a whole item its name), and what would come back without it; absent if nothing would.
   */
  readonly value?: Json;
  readonly shown?: Json;
}

/** The places that travel when objects of one version are converted to the other, in the order of the schema. */
export function carriagesOf(pair: Pair): readonly Carriage[] {
  const found = new Map<string, { readonly bearers: number; readonly leaves: readonly Carried[] }>();
  for (const object of pair.objects) {
    for (const [place, leaves] of carriedWith(pair, object)) {
      const known = found.get(place) ?? { bearers: 0, leaves: [] };
      const fresh = leaves.slice(0, 1).filter(({ why }) => !known.leaves.some((each) => each.why === why));
      found.set(place, { bearers: known.bearers + 1, leaves: [...known.leaves, ...fresh] });
    }
  }
  const order = allOf(pair.places);
  const rank = new Map(order.map(({ text }, index) => [text, index]));
  const rankOf = (place: string) => rank.get(place) ?? order.length;
  return [...found]
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([place, { bearers, leaves }]): Carriage => {
      const steps = order[rankOf(place)]?.steps;
      const objectsWithValue =
        steps && pair.objects.filter((object) => valuesIn(object, steps).some((value) => !isEmpty(value)));
      const [first] = leaves;
      return {
        place,
        why: leaves.map(({ why }) => why),
        always: bearers >= (objectsWithValue?.length ?? 0),
        ...(first?.value === undefined ? {} : { value: first.value }),
        ...(first?.shown === undefined ? {} : { shown: first.shown }),
      };
    });
}

/** The leaves that one object carries, by place. An item whose key is carried is carried as a whole. */
function carriedWith({ kind, from, to }: Pair, object: JsonObject): ReadonlyMap<string, readonly Carried[]> {
  const { versions, chain } = kind;
  const view = convert(object, chain, versions.indexOf(from), versions.indexOf(to));
  const leaves = carriedBy(view).get(from === kind.hub ? "hub" : from.name) ?? [];
  const schema = contentSchemaOf(from.entry);
  const keys = leaves.filter(({ place }) => isItemKey(place, schema));
  const items = new Set(keys.map(({ place }) => JSON.stringify(place.slice(0, -1))));
  const raised = leaves
    .filter(({ value }) => value === undefined || !isEmpty(value))
    // Labels or annotations that are null or empty as a whole say nothing.
    .filter(({ place }) => place[0] !== "metadata" || place.length > 2)
    .map((leaf): Carried => {
      const item = leaf.place.findIndex((_, index) =>
        items.has(JSON.stringify(leaf.place.slice(0, index + 1))),
      );
      if (item < 0) return leaf;
      const place = leaf.place.slice(0, item + 1);
      return { place, value: place.at(-1), why: leaf.why, shown: undefined };
    });
  // A mapped label is in metadata, which no schema describes.
  return Map.groupBy(raised, ({ place }) =>
    place[0] === "metadata" ? fieldOf(place) : placeOfLeaf(place, schema),
  );
}
