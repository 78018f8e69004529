import type { JsonObject } from "../json/json.ts";
import type { Defaulting } from "../schema/defaults.ts";
import { fitInto, type Shape } from "../schema/shape.ts";
import type { Always } from "./complement.ts";
import type { Lens } from "./lens.ts";

/** What conversion needs of one version. */
export interface Rung {
  readonly name: string;
  /** `group/version`, as it stands in an object. */
  readonly apiVersion: string;
  /** To the next newer version; the newest has none. */
  readonly lens?: Lens;
  readonly shape: Shape;
  readonly defaulted: Defaulting;
  /** Whether its schema declares the reserved field of status. */
  readonly carriesStatus: boolean;
}

/**
 * The versions of one kind, oldest first, the last one the hub; and for each spoke what is always remembered: of the
 * hub in its views, and of it in the hub.
 */
export interface Ladder {
  readonly rungs: readonly Rung[];
  readonly always: readonly (Always | undefined)[];
  readonly spread: readonly (Always | undefined)[];
  /** The labels that lenses map: they are content, wherever they stand. */
  readonly labels: readonly string[];
}

/** The ladder of a kind's versions, oldest first. */
export function ladderOf(rungs: readonly Rung[]): Ladder {
  const always = rungs.map((_, spoke) => {
    let shared: readonly string[] = [];
    for (const { lens } of rungs.slice(spoke, -1)) {
      shared = [...shared.flatMap((field) => lens?.follow?.(field) ?? [field]), ...(lens?.shared ?? [])];
    }
    return alwaysOf(shared.map((field) => field.split(".")));
  });
  const spread = rungs.map(({ lens }) => alwaysOf((lens?.spread ?? []).map((word) => word.split("."))));
  return { rungs, always, spread, labels: rungs.flatMap(({ lens }) => lens?.labels ?? []) };
}

/**
 * The image of an object through the lenses alone: what is lost is lost, and carriers are content like any other.
 * What has no place or a wrong type in a version's schema is left out on both sides of its lens, so that a lens meets
 * only values of the types that the schema declares, and what it cannot carry is the complement's, not a guess.
 */
export function image(content: JsonObject, ladder: Ladder, from: number, to: number): JsonObject {
  return imageOfFitted(fitInto(content, rungAt(ladder.rungs, from).shape), ladder, from, to);
}

/** The image of what fits the shape of its version already, such as of an image. */
export function imageOfFitted(content: JsonObject, { rungs }: Ladder, from: number, to: number): JsonObject {
  let here = content;
  for (let at = from; at < to; at++) here = fitInto(lensAt(rungs, at).up(here), rungAt(rungs, at + 1).shape);
  for (let at = from; at > to; at--)
    here = fitInto(lensAt(rungs, at - 1).down(here), rungAt(rungs, at - 1).shape);
  return here;
}

function alwaysOf(paths: readonly (readonly string[])[]): Always | undefined {
  if (paths.length === 0) return undefined;
  if (paths.some((path) => path.length === 0)) return true;
  const groups = Map.groupBy(paths, ([name = ""]) => name);
  return new Map(
    [...groups].map(([name, these]) => [
      name,
      alwaysOf(these.map((path) => path.slice(1))) ?? new Map<string, Always>(),
    ]),
  );
}

function lensAt(rungs: readonly Rung[], index: number): Lens {
  const { lens } = rungAt(rungs, index);
  if (lens === undefined) throw new Error(`version ${index} of the ladder has no lens to the next`);
  return lens;
}

/** A version of a ladder by its index. Throws where there is none: a fault of the caller's. */
export function rungAt(rungs: readonly Rung[], index: number): Rung {
  const rung = rungs[index];
  if (rung === undefined) throw new Error(`the ladder has no version ${index}`);
  return rung;
}
