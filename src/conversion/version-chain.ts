import type { JsonObject } from "../json/json.ts";
import type { Transform } from "../schema/structural/transform.ts";
import { type AlwaysStored, type Complement, complementFor } from "./complement.ts";
import type { Converter, Lens } from "./lens.ts";
import { loneItemsOf } from "./lone-items.ts";
import type { MappedMetadata } from "./marks.ts";
import { fieldOf, type GroupedField, groupsBetween } from "./row-groups.ts";
import { hasGuards, withRowGuards } from "./row-guards.ts";
import { fitInto, type Shape, withNamedItems, withRequired } from "./shape.ts";
import {
  alone,
  fieldsApart,
  firstItemLists,
  joinedFields,
  type StoredFields,
  sharedFields,
  spreadFields,
} from "./sharing.ts";

/** What conversion needs of one version. */
export interface ChainVersion {
  readonly name: string;
  /** `group/version`, as it stands in an object. */
  readonly apiVersion: string;
  /** To the next newer version; the newest has none. */
  readonly lens?: Lens;
  readonly shape: Shape;
  /** The part of the shape for which the CRD in force has a place (see in-force.ts); undefined where that is all of it. */
  readonly inForce?: Shape;
  /** A stored object as the API server reads it: without nulls that the schema does not allow, and with its defaults. */
  readonly defaulted: Transform;
  /** Whether its schema declares the reserved field of status. */
  readonly carriesStatus: boolean;
}

/** What a spoke and the hub cannot say of each other: functions that compare an object with what comes back of it. */
interface Complements {
  /** What only the hub can say. It travels in the spoke's views. */
  readonly hubOnly: Complement;
  /** What only the spoke can say. It is stored with the hub. */
  readonly spokeOnly: Complement;
  /**
   * The same for an object that server-side apply has applied at the spoke; the very same function where that makes no
   * difference.
   */
  readonly ofApplied: Complement;
}

/** The two ways of a lens between content that fits: each takes what fits its version's shape, and returns such. */
type FittedLens = Pick<Lens, "up" | "down">;

/** The versions of one kind, oldest first; the last one is the hub. Versions are addressed by their index. */
export interface VersionChain {
  readonly versions: readonly ChainVersion[];
  /** One for each spoke, by its index: its lens to the next newer version. */
  readonly lenses: readonly FittedLens[];
  /** One for each spoke, by its index. */
  readonly complements: readonly Complements[];
  /** One for each spoke, by its index: which fields of the hub, and of the spoke, are mapped together between the two. */
  readonly groups: readonly { readonly ofHub: GroupedField; readonly ofSpoke: GroupedField }[];
  /** The labels and annotations that lenses map. They count as content. */
  readonly mapped: MappedMetadata;
  /** What converts between any two versions, in place of lenses. */
  readonly converter: Converter | undefined;
}

/**
 * Makes the chain of a kind's versions, oldest first. Compiles lenses and complements, about 0.1 ms for each version. `stored` are
 * further fields of the hub that are always stored in views. With a converter versions need no lenses.
 */
export function versionChainOf(
  given: readonly ChainVersion[],
  stored: readonly string[] = [],
  converter?: Converter,
): VersionChain {
  const last = given.length - 1;
  const versions = given.map((version, at) => withFirsts(version, given, at));
  const hub = versionAt({ versions }, last);
  const groupsFrom = (from: number, to: number) =>
    fieldOf(groupsBetween(versions, from, to, (object) => image(object, chain, from, to)));
  const groups = versions.slice(0, -1).map((_, spoke) => ({
    ofHub: groupsFrom(last, spoke),
    ofSpoke: groupsFrom(spoke, last),
  }));
  const complements = versions.slice(0, -1).map(({ shape }, spoke) => {
    const above = versions.slice(spoke);
    const spread = spreadFields(above);
    const [shared, joined] =
      converter === undefined ? [sharedFields(above), joinedFields(above)] : fieldsApart(hub.shape, shape);
    const roundTrip = (from: number, by: number) => (content: JsonObject) =>
      image(image(content, chain, from, by), chain, by, from);
    // A converter may be slow to ask: items that it hides are found by what they have in common instead.
    const loneOf = converter === undefined ? loneItemsOf : () => undefined;
    const lone = loneOf(shape, roundTrip(spoke, last));
    const complementWith = (always: readonly StoredFields[]): Complement => {
      const complement = complementFor(shape, alwaysStoredOf(always), lone);
      const grouped = groups[spoke]?.ofSpoke;
      if (grouped === undefined || !hasGuards(grouped)) return complement;
      return (source, ...others) => withRowGuards(complement(source, ...others), source, grouped, shape);
    };
    const spokeOnly = complementWith(spread);
    return {
      hubOnly: complementFor(
        hub.shape,
        alwaysStoredOf([...shared, ...alone(stored)]),
        loneOf(hub.shape, roundTrip(last, spoke)),
      ),
      spokeOnly,
      ofApplied: joined.length === 0 ? spokeOnly : complementWith([...spread, ...joined]),
    };
  });
  const mapped = converter?.mapped ?? mappedBy(versions.flatMap(({ lens }) => lens ?? []));
  const spokes = converter === undefined ? versions.slice(0, -1) : [];
  const lenses = spokes.map(({ name, lens, shape }, at) => {
    if (lens === undefined) throw new Error(`the version ${name} of the chain has no lens to the next`);
    const above = versionAt({ versions }, at + 1).shape;
    return { up: fitted(lens.up, above), down: fitted(lens.down, shape) };
  });
  const chain: VersionChain = { versions, lenses, complements, groups, mapped, converter };
  return chain;
}

/** A version whose shape says of which lists rows map the first item: that one is known by its place. */
function withFirsts(version: ChainVersion, versions: readonly ChainVersion[], at: number): ChainVersion {
  const lists =
    at < versions.length - 1
      ? firstItemLists(versions.slice(at)).ofSpoke
      : versions.flatMap((_, spoke) => firstItemLists(versions.slice(spoke)).ofHub);
  if (lists.length === 0) return version;
  const named = (shape: Shape) =>
    lists.reduce((here, list) => withNamedItems(here, list.split("."), []) ?? here, shape);
  const { shape, inForce } = version;
  return { ...version, shape: named(shape), ...(inForce === undefined ? {} : { inForce: named(inForce) }) };
}

function fitted(convert: Lens["up"], shape: Shape): Lens["up"] {
  return (content) => withRequired(fitInto(convert(content), shape), content, shape);
}

function mappedBy(lenses: readonly Lens[]): MappedMetadata {
  return {
    labels: lenses.flatMap(({ labels }) => labels ?? []),
    annotations: lenses.flatMap(({ annotations }) => annotations ?? []),
  };
}

/**
 * The image of an object through the lenses alone: what is lost is lost, and carriers are content like any other.
 * What has no place or a wrong type in a version's schema is left out on both sides of its lens, so that a lens meets
 * only values of the types that the schema declares, and what it cannot carry is the complement's, not a guess.
 */
export function image(content: JsonObject, chain: VersionChain, from: number, to: number): JsonObject {
  return imageOfFitted(fitInto(content, versionAt(chain, from).shape), chain, from, to);
}

/** The same for content that fits its version's shape already, such as an image. */
export function imageOfFitted(
  content: JsonObject,
  chain: VersionChain,
  from: number,
  to: number,
): JsonObject {
  const { converter } = chain;
  if (converter !== undefined && from !== to)
    return fitted((each) => converter.image(each, from, to), versionAt(chain, to).shape)(content);
  let here = content;
  for (let at = from; at < to; at++) here = lensAt(chain, at).up(here);
  for (let at = from; at > to; at--) here = lensAt(chain, at - 1).down(here);
  return here;
}

/** What the lenses make of a spoke's content at the hub, with the values that are of a wrong type for the hub. */
export function unfittedAtHub(content: JsonObject, chain: VersionChain, from: number): JsonObject {
  const { converter } = chain;
  if (converter !== undefined)
    return converter.image(fitInto(content, versionAt(chain, from).shape), from, hubOf(chain));
  const below = hubOf(chain) - 1;
  const lens = versionAt(chain, below).lens;
  return lens === undefined ? content : lens.up(image(content, chain, from, below));
}

/** The fields to be always stored, as a tree; undefined for none. */
function alwaysStoredOf(fields: readonly StoredFields[]): AlwaysStored | undefined {
  return branchesOf(
    fields.flatMap(({ stored, row }) =>
      stored.map((field) => ({ path: field.split("."), beside: namesBeside(field, row) })),
    ),
  );
}

/** A field below an object, and the names of the other fields of its object that are in its row. */
interface StoredField {
  readonly path: readonly string[];
  readonly beside: readonly string[];
}

function namesBeside(field: string, row: readonly string[]): readonly string[] {
  const parentOf = (path: string) => path.slice(0, path.lastIndexOf(".") + 1);
  const siblings = row.filter((other) => other !== field && parentOf(other) === parentOf(field));
  return siblings.map((other) => other.slice(parentOf(other).length));
}

function branchesOf(fields: readonly StoredField[]): AlwaysStored | undefined {
  if (fields.length === 0) return undefined;
  const here = fields.filter(({ path }) => path.length === 0);
  if (here.length > 0) return here.flatMap(({ beside }) => beside);
  const groups = Map.groupBy(fields, ({ path: [name = ""] }) => name);
  return new Map(
    [...groups].map(([name, these]) => [
      name,
      branchesOf(these.map(({ path, beside }) => ({ path: path.slice(1), beside }))) ??
        new Map<string, AlwaysStored>(),
    ]),
  );
}

function lensAt({ lenses }: VersionChain, index: number): FittedLens {
  const lens = lenses[index];
  if (lens === undefined) throw new Error(`version ${index} of the chain has no lens to the next`);
  return lens;
}

/** A version by its index. Throws where the chain has no such version, which is an error of the caller. */
export function versionAt({ versions }: Pick<VersionChain, "versions">, index: number): ChainVersion {
  const version = versions[index];
  if (version === undefined) throw new Error(`the chain of versions has no version ${index}`);
  return version;
}

/** The index of the hub. */
export function hubOf({ versions }: VersionChain): number {
  return versions.length - 1;
}

/** The complements of a spoke and the hub. Throws for the hub itself, and where there is no such version. */
export function complementsOf({ complements }: VersionChain, spoke: number): Complements {
  const found = complements[spoke];
  if (found === undefined) throw new Error(`version ${spoke} of the chain is not a spoke`);
  return found;
}

/** Which fields of a version are mapped together on the way to another one; one of the two is the hub. */
export function groupsAt({ versions, groups }: VersionChain, at: number, writer: number): GroupedField {
  const isHub = at === versions.length - 1;
  const found = groups[isHub ? writer : at];
  if (found === undefined) throw new Error(`the chain of versions has no version ${at}`);
  return isHub ? found.ofHub : found.ofSpoke;
}
