import type { JsonObject } from "../json/json.ts";
import type { Transform } from "../schema/transform.ts";
import type { Always } from "./complement.ts";
import { type Complement, complementFor, complementTreeFor, type TreeText } from "./complement-code.ts";
import type { Lens } from "./lens.ts";
import { fitInto, type Shape } from "./shape.ts";
import type { Tree } from "./tree.ts";

/** What conversion needs of one version. */
export interface ChainVersion {
  readonly name: string;
  /** `group/version`, as it stands in an object. */
  readonly apiVersion: string;
  /** To the next newer version; the newest has none. */
  readonly lens?: Lens;
  readonly shape: Shape;
  readonly defaulted: Transform;
  /** Whether its schema declares the reserved field of status. */
  readonly carriesStatus: boolean;
}

/** What a spoke and the hub cannot say of each other. */
export interface Complements {
  /** Of the hub, to travel in the spoke's views: it is only written. */
  readonly ofHub: Complement<TreeText>;
  /** Of the spoke, to be stored with the hub. */
  readonly ofSpoke: Complement<Tree>;
}

/** The versions of one kind, oldest first, the last one the hub. */
export interface VersionChain {
  readonly versions: readonly ChainVersion[];
  /** For each spoke. */
  readonly complements: readonly Complements[];
  /** The labels that lenses map: they are content, wherever they stand. */
  readonly labels: readonly string[];
}

/** The chain of a kind's versions, oldest first. */
export function versionChainOf(versions: readonly ChainVersion[]): VersionChain {
  const hub = versionAt(versions, versions.length - 1);
  const complements = versions.slice(0, -1).map(({ lens, shape }, spoke) => ({
    ofHub: complementFor(hub.shape, alwaysOf(sharedAbove(versions.slice(spoke, -1)))),
    ofSpoke: complementTreeFor(shape, alwaysOf(lens?.spread ?? [])),
  }));
  return { versions, complements, labels: versions.flatMap(({ lens }) => lens?.labels ?? []) };
}

/** The hub's fields that share one word of the oldest of these spokes with others. */
function sharedAbove(spokes: readonly ChainVersion[]): readonly string[] {
  let shared: readonly string[] = [];
  for (const { lens } of spokes) {
    shared = [...shared.flatMap((field) => lens?.follow?.(field) ?? [field]), ...(lens?.shared ?? [])];
  }
  return shared;
}

/**
 * The image of an object through the lenses alone: what is lost is lost, and carriers are content like any other.
 * What has no place or a wrong type in a version's schema is left out on both sides of its lens, so that a lens meets
 * only values of the types that the schema declares, and what it cannot carry is the complement's, not a guess.
 */
export function image(content: JsonObject, chain: VersionChain, from: number, to: number): JsonObject {
  return imageOfFitted(fitInto(content, versionAt(chain.versions, from).shape), chain, from, to);
}

/** The image of what fits the shape of its version already, such as of an image. */
export function imageOfFitted(
  content: JsonObject,
  { versions }: VersionChain,
  from: number,
  to: number,
): JsonObject {
  let here = content;
  for (let at = from; at < to; at++)
    here = fitInto(lensAt(versions, at).up(here), versionAt(versions, at + 1).shape);
  for (let at = from; at > to; at--)
    here = fitInto(lensAt(versions, at - 1).down(here), versionAt(versions, at - 1).shape);
  return here;
}

/** What is always remembered, from fields as dotted names that lead through lists; undefined for none. */
export function alwaysOf(fields: readonly string[]): Always | undefined {
  return branchesOf(fields.map((field) => field.split(".")));
}

function branchesOf(paths: readonly (readonly string[])[]): Always | undefined {
  if (paths.length === 0) return undefined;
  if (paths.some((path) => path.length === 0)) return true;
  const groups = Map.groupBy(paths, ([name = ""]) => name);
  return new Map(
    [...groups].map(([name, these]) => [
      name,
      branchesOf(these.map((path) => path.slice(1))) ?? new Map<string, Always>(),
    ]),
  );
}

function lensAt(versions: readonly ChainVersion[], index: number): Lens {
  const { lens } = versionAt(versions, index);
  if (lens === undefined) throw new Error(`version  of the version chain has no lens to the next`);
  return lens;
}

/** A version of a chain by its index. Throws where there is none: a fault of the caller's. */
export function versionAt(versions: readonly ChainVersion[], index: number): ChainVersion {
  const version = versions[index];
  if (version === undefined) throw new Error(`the version chain has no version ${index}`);
  return version;
}

/** The complements of a spoke and the hub. Throws for the hub itself, and where there is no such version. */
export function complementsOf({ complements }: VersionChain, spoke: number): Complements {
  const found = complements[spoke];
  if (found === undefined) throw new Error(`version  of the version chain is not a spoke`);
  return found;
}
