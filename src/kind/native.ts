import type { Verdict } from "../admission/verdict.ts";
import type { JsonObject } from "../json/json.ts";
import type { Gate } from "./gate.ts";
import type { Lister, ListerNeed } from "./lister.ts";

/** The circumstances of a request to create or update an object of a native kind, passed in so that functions stay pure. */
export interface NativeCircumstances {
  readonly operation: "CREATE" | "UPDATE";
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  /** The stored object; absent on CREATE. */
  readonly oldObject?: JsonObject;
  /** The current time, from the clock that was passed in. */
  readonly now: Date;
  /** A random number from 0 up to, but not including, 1, from the source that was passed in. */
  readonly random: () => number;
  /** A lister for each of the kind's needs, by the name that the kind gave it. */
  readonly listers: Readonly<Record<string, Lister>>;
  /** Each of the kind's feature gates, and whether it is open. */
  readonly gates: Readonly<Record<string, boolean>>;
}

/**
 * A kind that is built into the API server: it has one version, and neither a schema here nor a CRD. Its folder holds
 * `kind.ts` and, optionally, `examples`.
 */
export interface NativeDefinition {
  readonly native: true;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** The operations that call `mutate`; all others are allowed unchanged. */
  readonly operations: readonly ("CREATE" | "UPDATE")[];
  readonly needs?: Readonly<Record<string, ListerNeed>>;
  readonly gates?: Readonly<Record<string, Gate>>;
  /** The keys that identify items of lists, by the list's field: `{"spec.containers": ["name"]}`. */
  readonly listKeys?: Readonly<Record<string, readonly string[]>>;
  /**
   * The defaults that the API server fills in before it calls webhooks, as far as `mutate` depends on them: commands that
   * work without a server do it themselves. What is not changed must stay the same value.
   */
  readonly defaults?: (object: JsonObject) => JsonObject;
  /** Starts costly preparation at start-up, with the listers of the kind's needs, so that no request waits for it. */
  readonly prepare?: (listers: Readonly<Record<string, Lister>>) => void;
  /** The verdict of the mutating webhook. */
  readonly mutate: (object: JsonObject, circumstances: NativeCircumstances) => Verdict;
}

/** Defines a native kind: the default export of a `kind.ts`. */
export function defineNativeKind<const Definition extends Omit<NativeDefinition, "native">>(
  definition: Definition,
): Definition & { readonly native: true } {
  return { ...definition, native: true };
}

/** A native kind whose definition and examples are valid. */
export interface NativeKind {
  readonly definition: NativeDefinition;
  /** Absolute path of its folder. */
  readonly folder: string;
  /** `Pod`, or `Deployment.apps`, as the API server prints a kind with its group. */
  readonly name: string;
  readonly examples: readonly { readonly file: string; readonly object: JsonObject }[];
}
