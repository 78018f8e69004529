import fc from "fast-check";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { contentSchemaOf } from "../../laws/content-schema.ts";
import { withHints } from "../../laws/hints.ts";
import { smallest } from "../../laws/smallest.ts";
import { valuesOf } from "../../laws/values.ts";
import { candidatesOf } from "./candidates.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { type Effect, effectsOf, sortOf } from "./effects.ts";
import { leastOf } from "./least.ts";
import { mended, validObject } from "./mend.ts";
import { pathOf, schemaAt, valueAt, withValue } from "./place-values.ts";
import { reasonsOf } from "./reasons.ts";
import { bareObject, type Revision, type RevisionVersion } from "./revision.ts";
import { sliceOf } from "./slice.ts";
import { refusedUpdate, type Update } from "./updates.ts";

/** An effect with the smallest object found that shows it. */
interface Shown {
  readonly effect: Effect;
  readonly object: JsonObject;
}

/** What a search found. */
export interface Searched {
  readonly differences: readonly Difference[];
  readonly shown: readonly Shown[];
  /** Updates that the old version accepts and the new one refuses, though it would accept the new object's creation. */
  readonly updates: readonly Update[];
}

/** How a search is limited. */
export interface SearchOptions {
  /** Objects that are drawn by chance for each version. */
  readonly runs: number;
  readonly seed: number;
  /** Valid objects to start from, such as examples. */
  readonly seeds: readonly JsonObject[];
  /** Whether a CRD without `spec.conversion` has a webhook all the same, which is added later. */
  readonly isConverted?: boolean;
}

/** A version in two revisions; a search asks what the first one accepts and the second one does not. */
interface Sides {
  readonly revision: Revision;
  readonly old: RevisionVersion;
  readonly new: RevisionVersion;
}

/** How many objects are judged for one difference, how many of them mended before, and how many kinds of finding a place has. */
const mostTrials = 250;
const mostMended = 16;
const mostOfOnePlace = 3;
const mostPooled = 40;
/** Mending large objects takes long, and others are drawn soon. */
const mostForDrawn = 60;
const mostDrawnMended = 40;

/**
 * Searches for objects that the old version accepts and the new one refuses, prunes or defaults otherwise: for each difference
 * of the schemas, and by chance. Deterministic by the seed.
 */
export function search(sides: Sides, options: SearchOptions): Searched {
  const differences = differencesOf(sides.old.schema, sides.new.schema);
  const findings = new Findings(sides);
  const bases = basesOf(sides, options);
  const updates: Update[] = [];
  for (const difference of differences) {
    const pool = [...trials(difference, differences, bases, sides, findings, options)];
    const update = hasTransition(difference) ? refusedUpdate(sides, pool) : undefined;
    if (update !== undefined) updates.push({ ...update, place: difference.place });
  }
  for (const object of drawnObjects(sides, differences, options)) findings.note(object);
  for (const object of options.seeds) findings.note(object);
  return { differences, shown: findings.smallest(), updates };
}

/** Valid objects in which the values of a difference are tried. */
function basesOf({ revision, old, new: after }: Sides, { seeds }: SearchOptions): readonly JsonObject[] {
  const least = leastOf(contentSchemaOf(old.entry));
  const bare = { ...(isObject(least) ? least : {}), ...bareObject(revision, old) };
  return [mended([old, after], bare) ?? mended([old], bare) ?? bare, ...seeds.slice(0, 4)];
}

/** Tries the values of a difference, until one shows an effect at its place. Yields the objects that the old version accepts. */
function* trials(
  difference: Difference,
  all: readonly Difference[],
  bases: readonly JsonObject[],
  sides: Sides,
  findings: Findings,
  { seed }: SearchOptions,
): Generator<JsonObject> {
  const path = pathOf(difference.steps);
  const values = valuesFor(difference, seed);
  const budget = { trials: mostTrials, mends: mostMended };
  const isNeeded = hasTransition(difference);
  let isShown = false;
  let pooled = 0;
  for (const value of values) {
    for (const base of bases) {
      if (budget.trials-- <= 0 || (isShown && (!isNeeded || pooled >= mostPooled))) return;
      const object = placed(base, sides.old.schema, path, value);
      if (object === undefined) continue;
      for (const accepted of acceptedForms(object, path, sides, budget, () => isShown)) {
        if (findings.note(accepted).some((effect) => isAbout(effect, difference, all))) isShown = true;
        if (pooled++ < mostPooled) yield accepted;
      }
    }
  }
}

/** An object with a value at a path. Where the value is to be missing, there is at least the object that lacks it. */
function placed(
  base: JsonObject,
  schema: JsonObject,
  path: Path,
  value: Json | undefined,
): JsonObject | undefined {
  if (path.length === 0) return isObject(value) ? { ...base, ...value } : undefined;
  const parent = path.slice(0, -1);
  const around = valueAt(base, parent) ?? leastOf(schemaAt(schema, parent));
  const object = withValue(withValue(base, schema, parent, around), schema, path, value);
  return isObject(object) ? object : undefined;
}

/** The object as the old version accepts it, and then, where the new one refuses it for another reason, as both accept the rest. */
function* acceptedForms(
  object: JsonObject,
  path: Path,
  { old, new: after }: Sides,
  budget: { mends: number },
  isShown: () => boolean,
): Generator<JsonObject> {
  const isValid = old.store(object).allowed;
  const accepted = isValid ? object : budget.mends-- > 0 ? mended([old], object, path) : undefined;
  if (accepted === undefined) return;
  yield accepted;
  if (isShown() || after.store(accepted).allowed || budget.mends-- <= 0) return;
  const agreed = mended([old, after], accepted, path);
  if (agreed !== undefined) yield agreed;
}

function valuesFor(difference: Difference, seed: number): readonly (Json | undefined)[] {
  // The old version knows no value for a new field; what counts is whether it is filled in.
  if (difference.keyword === "property" && difference.before === undefined) return [undefined];
  return candidatesOf(difference, seed);
}

/** Whether an effect shows a difference and not one of the others. */
function isAbout(effect: Effect, difference: Difference, all: readonly Difference[]): boolean {
  return reasonsOf(effect, all).includes(difference);
}

function hasTransition({ keyword, new: after }: Difference): boolean {
  const rules = keyword === "x-kubernetes-validations" ? after[keyword] : undefined;
  return isArray(rules) && rules.some((rule) => String(get(rule, "rule")).includes("oldSelf"));
}

/** Objects drawn from the parts of the old schema that decide about the differences. */
function drawnObjects(
  { revision, old, new: after }: Sides,
  differences: readonly Difference[],
  { runs, seed }: SearchOptions,
): readonly JsonObject[] {
  const places = differences.filter(({ before }) => before !== undefined).map(({ steps }) => steps);
  if (places.length === 0) return [];
  const [own, other] = [old, after].map(({ entry }) => sliceOf(contentSchemaOf(entry), places));
  const contents = valuesOf(own, "", withHints(new Map(), own ?? {}, other ?? {}), "valid");
  let mends = mostDrawnMended;
  return fc.sample(contents, { numRuns: runs, seed }).flatMap((content) => {
    const object = { ...(isObject(content) ? content : {}), ...bareObject(revision, old) };
    const accepted = validObject(old, object, mends-- > 0 ? mostForDrawn : 0);
    return accepted === undefined ? [] : [accepted];
  });
}

/** The effects that objects have shown, each with the smallest object so far. */
class Findings {
  readonly #sides: Sides;
  readonly #found = new Map<string, Shown>();

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  /** Notes what an object shows, and returns it. */
  note(object: JsonObject): readonly Effect[] {
    const effects = effectsOf(this.#sides.old, this.#sides.new, object);
    for (const effect of effects) this.#add(effect, object);
    return effects;
  }

  #add(effect: Effect, object: JsonObject): void {
    const sort = sortOf(effect);
    const known = this.#found.get(sort);
    const alike = [...this.#found.values()].filter((each) => each.effect.place === effect.place).length;
    if (known === undefined ? alike < mostOfOnePlace : sizeOf(object) < sizeOf(known.object))
      this.#found.set(sort, { effect, object });
  }

  /** The effects, each with an object from which nothing can be removed. */
  smallest(): readonly Shown[] {
    return [...this.#found].map(([sort, { object, effect }]) => {
      const shown = (each: JsonObject) =>
        effectsOf(this.#sides.old, this.#sides.new, each).find((it) => sortOf(it) === sort);
      const least = smallest(object, (each) => shown(each) !== undefined, attemptsFor(object));
      return { effect: shown(least) ?? effect, object: least };
    });
  }
}

/** A large object takes long to judge; what is removed first of it is most of it. */
function attemptsFor(object: JsonObject): number {
  return Math.min(1_000, Math.max(60, Math.round(200_000 / sizeOf(object))));
}

function sizeOf(object: JsonObject): number {
  return JSON.stringify(object).length;
}
