import type { Cause } from "./admission/verdict.ts";
import type { Lens } from "./conversion/lens.ts";
import type { JsonObject } from "./json/json.ts";

/** A read-only view of cluster objects of one kind, in its hub version: a cache in a cluster, files offline. */
export interface Lister {
  /** All objects of a namespace; of a cluster-scoped kind all there are, with an empty namespace. */
  readonly list: (namespace: string) => readonly JsonObject[];
}

/** What a kind asks to be listed for its functions. */
export interface ListerNeed {
  readonly group: string;
  readonly kind: string;
}

/** The circumstances of an admission request, passed in so that functions stay pure. Objects are in the hub version. */
export interface Circumstances {
  readonly operation: "CREATE" | "UPDATE";
  /** What was there before; absent on CREATE. */
  readonly oldObject?: JsonObject;
  readonly namespace: string;
  /** The present, by the clock that was passed in. */
  readonly now: Date;
  /** A lister for each of the kind's needs, by the name that the kind gave it. */
  readonly listers: Readonly<Record<string, Lister>>;
}

/** What a kind's `validate` found: causes refuse the write, warnings (120 characters at most) go to its author. */
export interface Findings {
  readonly causes?: readonly Cause[];
  readonly warnings?: readonly string[];
}

/** One version of a kind: its name, the lens to its next newer neighbour unless it is the newest. */
export interface VersionDefinition {
  readonly name: string;
  readonly lens?: Lens;
  /** Fields that the next version dropped, and what to use instead: `{"spec.owner": "a label of your own"}`. */
  readonly retired?: Readonly<Record<string, string>>;
}

/** A kind as its folder defines it. Beside it lie one `<version>.yaml` a version and a folder `examples`. */
export interface KindDefinition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly categories?: readonly string[];
  readonly shortNames?: readonly string[];
  /** Oldest first; the newest is the hub. */
  readonly versions: readonly VersionDefinition[];
  readonly needs?: Readonly<Record<string, ListerNeed>>;
  /** The object with what its author left out, in the hub version; the same object when nothing is missing. */
  readonly default?: (object: JsonObject, circumstances: Circumstances) => JsonObject;
  /** What is wrong with the object beyond its schema, in the hub version. */
  readonly validate?: (object: JsonObject, circumstances: Circumstances) => Findings;
}

/** Defines a kind: the default export of a `kind.ts`. */
export function defineKind<const Definition extends KindDefinition>(definition: Definition): Definition {
  return definition;
}

/** A version and how it meets its next newer neighbour; the newest has no lens. */
export function version(
  name: string,
  lens?: Lens,
  more: Pick<VersionDefinition, "retired"> = {},
): VersionDefinition {
  return lens === undefined ? { name, ...more } : { name, lens, ...more };
}

/** Names the kind that a lister must hold. */
export function lister(group: string, kind: string): ListerNeed {
  return { group, kind };
}
