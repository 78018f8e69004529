import type { Cause } from "../admission/verdict.ts";
import { convert } from "../conversion/convert.ts";
import type { DefinedLens } from "../conversion/lens.ts";
import type { ChainVersion, VersionChain } from "../conversion/version-chain.ts";
import type { JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { CompiledSchema } from "../schema/crd/compile.ts";
import type { Gate } from "./gate.ts";
import type { Lister, ListerNeed } from "./lister.ts";
import type { NativeKind } from "./native.ts";

/** The circumstances of an admission request, passed in so that functions stay pure. Objects are in the hub version. */
export interface Circumstances {
  readonly operation: "CREATE" | "UPDATE";
  /** The stored object, which may be invalid by today's schema; absent on CREATE. */
  readonly oldObject?: JsonObject;
  readonly namespace: string;
  /** The current time, from the clock that was passed in. */
  readonly now: Date;
  /** A lister for each of the kind's needs, by the name that the kind gave it. */
  readonly listers: Readonly<Record<string, Lister>>;
  /** Each of the kind's feature gates, and whether it is open. */
  readonly gates: Readonly<Record<string, boolean>>;
}

/** The result of a kind's `validate`: causes reject the write, warnings (at most 120 characters) go to the client. */
export interface Findings {
  readonly causes?: readonly Cause[];
  readonly warnings?: readonly string[];
  /** For the audit log, by names like `unlocked-by`; never a secret. */
  readonly audit?: Readonly<Record<string, string>>;
}

/** One version of a kind: its name and, unless it is the newest, the lens to the next newer version. */
export interface VersionDefinition {
  readonly name: string;
  readonly lens?: DefinedLens;
  /** Fields that the next version dropped, each with advice: `{"spec.owner": "use a label of your own"}`. */
  readonly retired?: Readonly<Record<string, string>>;
  /**
   * Fields that identify the items of lists whose schema names no keys, by the list's path, which leads through lists:
   * `{"spec.receivers.routes": ["matcher"]}`. Conversion then recognises items by them; nothing else changes.
   */
  readonly listKeys?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The definition of a kind, of which `Hub` is the type of an object in the hub version: plain JSON, or the generated type
 * (`RoomV1`). Its folder also holds one `<version>.yaml` for each version and a folder `examples`. */
export interface KindDefinition<Hub = JsonObject> {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly categories?: readonly string[];
  readonly shortNames?: readonly string[];
  /**
   * The annotation `api-approved.kubernetes.io` of the CRD, which groups below `k8s.io` and `kubernetes.io` need: a URL, or a
   * reason that begins with `unapproved`.
   */
  readonly approval?: string;
  /** Oldest first; the newest is the hub. */
  readonly versions: readonly VersionDefinition[];
  readonly needs?: Readonly<Record<string, ListerNeed>>;
  readonly gates?: Readonly<Record<string, Gate>>;
  /**
   * What happens to a write at another version that the hub's schema forbids: it is rejected (`deny`, the default), or the
   * client gets a warning (`warn`).
   */
  readonly hubRules?: "deny" | "warn";
  // These two are methods, so that a function for plain JSON fits a kind with a type.
  /**
   * The object with its missing fields set, in the hub version; the same object when nothing is missing. The object was not
   * validated yet, as the API server calls mutating webhooks first: any value in it may be of another type, or null.
   */
  default?(object: Hub, circumstances: Circumstances): Hub | JsonObject;
  /**
   * What is wrong with the object beyond its schema, in the hub version. The object is valid by the hub's
   * schema, except for values that were stored before and that this write does not change (ratcheting).
   */
  validate?(object: Hub, circumstances: Circumstances): Findings;
}

/**
 * Defines a kind: the default export of a `kind.ts`. With the generated type of the hub, `defineKind<RoomV1>({ … })`, `default`
 * and `validate` get objects of that type.
 */
export function defineKind<Hub = JsonObject>(definition: KindDefinition<Hub>): KindDefinition<Hub> {
  return definition;
}

/** Defines a version, with the lens to the next newer one; the newest has no lens. */
export function version(
  name: string,
  lens?: DefinedLens,
  more: Pick<VersionDefinition, "retired" | "listKeys"> = {},
): VersionDefinition {
  return lens === undefined ? { name, ...more } : { name, lens, ...more };
}

/** A version of a valid kind, with everything that is prepared at start. */
export interface Version extends ChainVersion {
  /** Its entry of the CRD's `spec.versions`, the reserved status field declared. */
  readonly entry: JsonObject;
  readonly served: boolean;
  /** Its schema, as an API server would judge by it. */
  readonly schema: CompiledSchema;
  readonly retired: readonly { readonly path: Path; readonly instead: string }[];
}

/** An object that a kind's folder shows as an example. */
export interface Example {
  readonly file: string;
  readonly object: JsonObject;
  /** Index of its version. */
  readonly version: number;
}

/** A kind whose definition and files are valid. */
export interface Kind {
  readonly definition: KindDefinition;
  /** Absolute path of its folder. */
  readonly folder: string;
  /** `Room.home.antechamber.dev`, as the API server prints a kind with its group. */
  readonly name: string;
  /** Oldest first; the last one is the hub. */
  readonly versions: readonly Version[];
  readonly hub: Version;
  /** The versions as conversion uses them. */
  readonly chain: VersionChain;
  readonly examples: readonly Example[];
}

/** The kinds that are served, looked up by group and kind: custom ones, and native ones beside them. */
export interface Kinds {
  readonly all: readonly Kind[];
  readonly find: (group: string, kind: string) => Kind | undefined;
  readonly natives: readonly NativeKind[];
  readonly findNative: (group: string, kind: string) => NativeKind | undefined;
}

/** The index of a version of a kind by its apiVersion (`group/version`); undefined if there is none. */
export function versionIndex(kind: Kind, apiVersion: unknown): number | undefined {
  const index = kind.versions.findIndex((each) => each.apiVersion === apiVersion);
  return index < 0 ? undefined : index;
}

/** An object of a kind in its hub version. */
export function toHub(kind: Kind, object: JsonObject, version: number): JsonObject {
  return convert(object, kind.chain, version, kind.versions.length - 1);
}

/** A hub object of a kind in one of its versions. */
export function fromHub(kind: Kind, object: JsonObject, version: number): JsonObject {
  return convert(object, kind.chain, kind.versions.length - 1, version);
}
