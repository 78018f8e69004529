import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import { built, schemaBelow } from "../../values/smallest.ts";
import { valueAt } from "./build.ts";
import { isLoss, isOwn } from "./cases.ts";
import { isReprinted, isZero } from "./changes.ts";
import type { Finding } from "./finding.ts";
import { type Findings, viewOf } from "./findings.ts";
import { openPaths } from "./storage.ts";
import { faultsOf, merged, placeIn, type SubjectVersion, schemaAt } from "./subject.ts";
import type { Gone } from "./texts.ts";
import type { Pair, Trip } from "./trip.ts";

/** A leaf of an object. */
interface Leaf {
  readonly path: Path;
  readonly value: Json;
}

/** A value that a view does not show. */
interface Candidate {
  readonly finding: Finding;
  readonly view: JsonObject;
  readonly leaf: Leaf;
  /** What stands in the view beside what the object has: it may be the value in other words. */
  readonly foreign: readonly string[];
}

/** As many places have a leaf in their views that has nothing to do with what is set there, such as a default. */
const always = 3;

/**
 * Values that the other version does not show although it could: they come back from an annotation alone, and clients of that
 * version neither see nor change them.
 */
export class Hidden {
  readonly #pair: Pair;
  /** The leaves of views that show a value of a place. */
  readonly #shown = new Map<string, Map<string, Path>>();
  /** The places of which views have a leaf that their objects do not have. */
  readonly #foreign = new Map<string, Set<string>>();
  readonly #found = new Map<string, Candidate>();

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  /** Notes which values of a case a view shows, and which not. */
  note({ each: { place, object }, trip }: Gone): void {
    const { from, to } = this.#pair;
    const { view, back, changes } = trip;
    if (view === undefined || back?.state !== "converted") return;
    const { missing, others } = unshown(trip.object, view, from);
    const isOfPlace = ({ path }: Leaf) => isOwn({ sort: "lost", path }, place, this.#pair);
    const own = missing.filter(isOfPlace);
    const leaves = leavesOf(valueAt(object, place.path) ?? null, place.path);
    const [first] = own;
    if (first === undefined) this.#noteShown(place.text, leaves, view, others);
    const foreign = others.filter(
      ({ value }) => !contentOf(trip.object).some((each) => isSame(each.value, value)),
    );
    for (const leaf of foreign) this.#noteForeign(leaf, place.text);
    if (first === undefined || hasAsKey(view, to, own)) return;
    if (changes.some((each) => isLoss(each) && isOwn(each, place, this.#pair)) || !isLostBare(trip, own))
      return;
    const text = own.length >= leaves.length ? place.text : placeIn(from, first.path);
    if (this.#found.has(text)) return;
    const finding: Finding = {
      kind: "hidden",
      check: "conversion",
      versions: [from.name, to.name],
      place: text,
      places: [text],
      field: fieldOf(first.path),
      before: first.value,
      message: `${to.name} could show it, and the webhook keeps it in an annotation alone`,
      views: [viewOf(from, trip.object), viewOf(to, view)],
    };
    this.#found.set(text, { finding, view, leaf: first, foreign: foreign.map(keyOf) });
  }

  #noteShown(place: string, leaves: readonly Leaf[], view: JsonObject, others: readonly Leaf[]): void {
    const [leaf] = leaves;
    if (leaf === undefined) return;
    const isThere = isSame(valueAt(view, leaf.path), leaf.value);
    const found = isThere ? leaf : others.find(({ value }) => isSame(value, leaf.value));
    if (found === undefined) return;
    const shown = this.#shown.get(place) ?? new Map<string, Path>();
    this.#shown.set(place, shown.set(keyOf(found), found.path));
  }

  #noteForeign(leaf: Leaf, place: string): void {
    const places = this.#foreign.get(keyOf(leaf)) ?? new Set<string>();
    this.#foreign.set(keyOf(leaf), places.add(place));
  }

  /** Reports what is hidden at places that the other version has too, or at which the webhook showed another value. */
  report(findings: Findings): void {
    for (const [place, { finding, view, leaf, foreign }] of this.#found) {
      const isSaid = foreign.some((key) => !this.#isAlways(key));
      if (!isSaid && this.#hasPlace(place, view, leaf)) findings.add(finding);
    }
  }

  /** Whether a leaf, by its key, has nothing to do with what is set. */
  #isAlways(key: string): boolean {
    return (this.#foreign.get(key)?.size ?? 0) >= always;
  }

  /** Whether the other version admits a value at the same path, or where another value of its place was shown. */
  #hasPlace(place: string, view: JsonObject, { path, value }: Leaf): boolean {
    const { from, to } = this.#pair;
    const [own, other] = [from, to].map(({ schema }) => schemaAt(schema, path));
    const isAlike = isObject(own) && isObject(other) && own.type === other.type;
    const shown = [...(this.#shown.get(place) ?? [])].filter(([key]) => !this.#isAlways(key));
    return [...(isAlike ? [path] : []), ...shown.map(([, each]) => each)].some((at) => {
      const filled = merged(view, built(to.schema, at, value)) as JsonObject;
      return faultsOf(to, filled).length <= faultsOf(to, view).length;
    });
  }
}

/**
 * The leaves of an object that a view shows nowhere, and the leaves of the view that the object has elsewhere or not at all.
 * A value that stands elsewhere is shown; of equal values as many as stand there.
 */
function unshown(
  object: JsonObject,
  view: JsonObject,
  from: SubjectVersion,
): { readonly missing: readonly Leaf[]; readonly others: readonly Leaf[] } {
  const closed = new Set(openPaths(object, from.schema).map(fieldOf));
  const isOpen = ({ path }: Leaf) => path.some((_, index) => closed.has(fieldOf(path.slice(0, index + 1))));
  const gone = contentOf(object).filter(
    (leaf) => !isSame(valueAt(view, leaf.path), leaf.value) && !isOpen(leaf),
  );
  const others = contentOf(view).filter(({ path, value }) => !isSame(valueAt(object, path), value));
  const count = (list: readonly Leaf[], { value }: Leaf) =>
    list.filter((each) => isSame(each.value, value)).length;
  return { missing: gone.filter((leaf) => count(others, leaf) < count(gone, leaf)), others };
}

function keyOf({ path, value }: Leaf): string {
  return `${fieldOf(path)}=${JSON.stringify(value)}`;
}

/** Whether values do not come back when the annotations are gone. */
function isLostBare({ bare }: Trip, leaves: readonly Leaf[]): boolean {
  if (bare === undefined) return false;
  if (bare.back.state !== "converted") return true;
  const lost = bare.changes.filter(isLoss).map(({ path }) => path);
  return leaves.some((leaf) => lost.some((path) => isAbove(path, leaf.path)));
}

/** Whether a view has a missing text as the key of a map. */
function hasAsKey(view: JsonObject, { schema }: SubjectVersion, missing: readonly Leaf[]): boolean {
  const texts = new Set(missing.map(({ value }) => value));
  const visit = (value: Json, here: Json | undefined): boolean => {
    if (isArray(value)) return value.some((item) => visit(item, get(here, "items")));
    if (!isObject(value)) return false;
    return Object.entries(value).some(
      ([name, inner]) =>
        (get(here, "properties", name) === undefined && texts.has(name)) ||
        visit(inner, schemaBelow(here, name)),
    );
  };
  const { apiVersion: _, kind: __, metadata: ___, ...content } = view;
  return visit(content, schema);
}

function contentOf({ apiVersion: _, kind: __, metadata: ___, ...content }: JsonObject): readonly Leaf[] {
  return leavesOf(content, []);
}

/** The texts, numbers and flags of a value that are not zero. */
function leavesOf(value: Json, path: Path): readonly Leaf[] {
  if (isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
  return isZero(value) ? [] : [{ path, value }];
}

function isSame(a: Json | undefined, b: Json): boolean {
  return equal(a, b) || isReprinted(a, b);
}

function isAbove(path: Path, below: Path): boolean {
  return path.every((step, index) => step === below[index]);
}
