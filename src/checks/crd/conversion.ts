import fc from "fast-check";
import { convert } from "../../conversion/convert.ts";
import type { JsonObject } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import type { Kind } from "../../kind/kind.ts";
import { bareOf } from "../../laws/bare.ts";
import { contentSchemaOf } from "../../laws/content-schema.ts";
import { servingEngine } from "../../laws/engine.ts";
import { harvestsOf } from "../../laws/harvest.ts";
import { objectsOf } from "../../laws/objects.ts";
import { placeOfPath } from "../../laws/places.ts";
import { smallest } from "../../laws/smallest.ts";
import { type Change, changesOf } from "./effects.ts";
import { bareObject, contentOf, type Revision, type RevisionVersion } from "./revision.ts";

/** An object that a version other than its own shows otherwise after the change of a lens. */
export interface ReadOtherwise extends Change {
  /** `v1 → v1beta1`. */
  readonly versions: string;
  readonly field: string;
  readonly place: string;
  readonly object: JsonObject;
}

/** How an object is written at one version and read at another, in both revisions. */
interface Trip {
  readonly old: Revision;
  readonly new: Revision;
  readonly kinds: readonly [Kind, Kind];
  readonly from: string;
  readonly to: string;
}

/** How many findings there are for each pair of versions: a changed lens changes many objects alike. */
const mostOfOnePair = 10;

/**
 * Objects that readers of another version see otherwise, because of the lenses of two revisions. None where a revision is not a
 * folder of kinds: what a webhook of somebody else does is unknown. Deterministic by the seed.
 */
export function readOtherwise(
  old: Revision,
  after: Revision,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): readonly ReadOtherwise[] {
  if (old.kind === undefined || after.kind === undefined) return [];
  const kinds = [old.kind, after.kind] as const;
  const names = old.versions.map(({ name }) => name).filter((name) => indexOf(kinds[1], name) >= 0);
  const trips = names.flatMap((from) =>
    names.filter((to) => to !== from).map((to): Trip => ({ old, new: after, kinds, from, to })),
  );
  return trips.flatMap((trip) => found(trip, objectsFor(trip, runs, seed)));
}

function indexOf(kind: Kind, version: string): number {
  return kind.versions.findIndex(({ name }) => name === version);
}

/** The examples of the old revision at a version, also those of other versions, and objects drawn from its schema. */
function objectsFor({ old, kinds: [kind], from }: Trip, runs: number, seed: number): readonly JsonObject[] {
  const at = indexOf(kind, from);
  const version = old.versions.find(({ name }) => name === from);
  if (version === undefined) return [];
  const examples = kind.examples.map((each) => convert(each.object, kind.chain, each.version, at));
  const harvest = harvestsOf(kind, servingEngine)[at] ?? new Map();
  const drawn = fc
    .sample(objectsOf(kind, at, harvest).valid, { numRuns: runs, seed })
    .map((object) => ({ ...contentOf(bareOf(object)), ...bareObject(old, version) }));
  return [...examples, ...drawn];
}

function found(trip: Trip, objects: readonly JsonObject[]): readonly ReadOtherwise[] {
  const known = new Map<string, JsonObject>();
  for (const object of objects) {
    for (const change of changesFor(trip, object)) {
      const sort = placeOf(trip, change);
      if (!known.has(sort) && known.size < mostOfOnePair) known.set(sort, object);
    }
  }
  return [...known].flatMap(([place, object]) => {
    const shown = (each: JsonObject) => changesFor(trip, each).find((it) => placeOf(trip, it) === place);
    const least = smallest(object, (each) => shown(each) !== undefined);
    const change = shown(least);
    if (change === undefined) return [];
    const versions = `${trip.from} → ${trip.to}`;
    return [{ ...change, versions, place, field: fieldOf(change.path), object: least }];
  });
}

/** What the two revisions show otherwise of an object that both accept. */
function changesFor(trip: Trip, object: JsonObject): readonly Change[] {
  const sides = [trip.old, trip.new].map(({ versions }) => versions.find(({ name }) => name === trip.from));
  if (!sides.every((side) => side?.store(object).allowed)) return [];
  const [before, after] = trip.kinds.map((kind) => {
    const read = convert(object, kind.chain, indexOf(kind, trip.from), indexOf(kind, trip.to));
    return contentOf(bareOf(read));
  });
  return changesOf(before, after);
}

function placeOf({ old, to }: Trip, { path }: { readonly path: Path }): string {
  const version: RevisionVersion | undefined = old.versions.find(({ name }) => name === to);
  return version === undefined ? "" : placeOfPath(path, contentSchemaOf(version.entry));
}
