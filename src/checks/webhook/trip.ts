import { equal } from "../../json/equal.ts";
import { get, isObject, type JsonObject, set } from "../../json/json.ts";
import type { Outcome } from "./ask.ts";
import { type Change, changesOf } from "./changes.ts";
import type { Storage } from "./storage.ts";
import type { SubjectVersion } from "./subject.ts";
import type { Webhook } from "./webhook.ts";

/** An object's way to another version and back, as far as it came. */
export interface Trip {
  readonly object: JsonObject;
  readonly there: Outcome;
  /** The object at the other version, as its clients see it. */
  readonly view?: JsonObject;
  /** The answer when the object was sent a second time, among others. */
  readonly again?: Outcome;
  readonly back?: Outcome;
  readonly changes: readonly Change[];
  /** The same without the annotations that the webhook added; absent if it added none. */
  readonly bare?: { readonly view: JsonObject; readonly back: Outcome; readonly changes: readonly Change[] };
}

/** Two versions in the direction in which objects go first. */
export interface Pair {
  readonly from: SubjectVersion;
  readonly to: SubjectVersion;
  /** Where the webhook stores what a version cannot express, as far as it was seen. */
  readonly storage: Storage;
  /** Whether nothing is sent back: no API server asks for objects of a version that is neither served nor stored. */
  readonly isOneWay?: boolean;
}

/**
 * Sends objects to another version and back. On the way there each has a review of its own, so that an object which ends
 * the process is known; then all go again together, and back together.
 */
export async function trips(
  webhook: Webhook,
  pair: Pair,
  objects: readonly JsonObject[],
): Promise<readonly Trip[]> {
  const { from, to, storage } = pair;
  const there: Outcome[] = [];
  for (const object of objects) there.push(await webhook.convert(object, to.apiVersion));
  const going = objects.flatMap((object, index) => {
    const outcome = there[index];
    return outcome?.state === "converted" ? [{ object, index, view: seen(to, outcome.object) }] : [];
  });
  const again = await webhook.convertAll(
    going.map(({ object }) => object),
    to.apiVersion,
  );
  const views = pair.isOneWay ? [] : going.map(({ view }) => view);
  const back = await webhook.convertAll(views, from.apiVersion);
  for (const [index, { object, view }] of going.entries()) {
    await webhook.pace.rest();
    storage.learn(object, to, view);
    const returned = back[index];
    if (returned?.state === "converted") storage.learn(object, from, seen(from, returned.object));
  }
  const bareViews = going.map(({ object, view }) => bareOf(view, object));
  const marked = going.flatMap(({ view }, index) =>
    pair.isOneWay || equal(view, bareViews[index]) ? [] : [index],
  );
  const bareBack = await webhook.convertAll(
    marked.map((index) => bareViews[index] as JsonObject),
    from.apiVersion,
  );
  const places = new Map(going.map(({ index }, at) => [index, at]));
  const turns = new Map(marked.map((at, turn) => [at, turn]));
  const made: Trip[] = [];
  for (const [index, object] of objects.entries()) {
    await webhook.pace.rest();
    const at = places.get(index) ?? -1;
    const outcome = there[index] ?? { state: "refused", sentence: "no answer" };
    const [second, returned, view] = [again[at], back[at], going[at]?.view];
    if (second === undefined || view === undefined) {
      made.push({ object, there: outcome, changes: [] });
      continue;
    }
    if (returned === undefined) {
      made.push({ object, there: outcome, view, again: second, changes: [] });
      continue;
    }
    const bareView = bareViews[at];
    const bareReturned = bareBack[turns.get(at) ?? -1];
    const bare =
      bareView === undefined || bareReturned === undefined
        ? {}
        : { bare: { view: bareView, back: bareReturned, changes: changesBack(pair, object, bareReturned) } };
    const changes = changesBack(pair, object, returned);
    made.push({ object, there: outcome, view, again: second, back: returned, changes, ...bare });
  }
  return made;
}

/** What differs after a round trip, besides what the webhook stored. */
export function changesBack(
  { from, storage }: Pick<Pair, "from" | "storage">,
  object: JsonObject,
  back: Outcome,
): readonly Change[] {
  if (back.state !== "converted") return [];
  return differencesOf({ from, storage }, object, seen(from, back.object));
}

/** What differs between two objects of the first version, besides what the webhook stored. */
export function differencesOf(
  { from, storage }: Pick<Pair, "from" | "storage">,
  before: JsonObject,
  after: JsonObject,
): readonly Change[] {
  return changesOf(storage.stripped(before, from), storage.stripped(after, from), from.schema);
}

/** A converted object as clients of its version see it: the API server prunes what its schema does not have. */
export function seen(version: SubjectVersion, object: JsonObject): JsonObject {
  return version.rules.prune(object).object;
}

/** A view with the annotations of the object that it was made from, and no others. */
export function bareOf(view: JsonObject, object: JsonObject): JsonObject {
  const annotations = get(object, "metadata", "annotations");
  const metadata = isObject(view.metadata) ? view.metadata : {};
  return { ...view, metadata: set(metadata, "annotations", annotations) };
}
