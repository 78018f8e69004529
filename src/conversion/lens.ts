import type { Json, JsonObject } from "../json/json.ts";
import type { FieldPath } from "./field-types.ts";
import type { MappedMetadata } from "./marks.ts";

/** How a version meets its next newer neighbour, as the engine reads it; authors have it as a DefinedLens. */
export interface Lens extends LensFunctions {
  /** Where a field of the older version stands in the newer one, for fields named in `shared` by older lenses. */
  readonly follow?: (field: string) => readonly string[];
  /** The rows that the lens was made of; undefined for a lens written by hand. */
  readonly rows?: readonly AnyRow[];
  /** The stack of the call that made it from rows, so that faults of the rows name a line. */
  readonly madeAt?: string;
}

/**
 * Two plain functions over whole objects, for a lens that is not made of rows. Neither throws, neither changes its argument,
 * neither invents: what one side cannot say is absent from the other.
 */
export interface LensFunctions {
  /** Toward the newer version. */
  readonly up: (older: JsonObject) => JsonObject;
  /** Toward the older version. */
  readonly down: (newer: JsonObject) => JsonObject;
  /**
   * Newer fields that share one older field with others, as dotted names that lead through lists:
   * `spec.lights.brightness`. They are stored even where they would come back by themselves, so that they survive when
   * server-side apply removes the older field because the manager of another newer field gave that up.
   */
  readonly shared?: readonly string[];
  /**
   * Older fields that are spread over several newer ones, such as one brightness for all lights. They are stored even
   * where they would come back by themselves, so that server-side apply still finds the older field when it converts the
   * object without those newer fields that no manager owns.
   */
  readonly spread?: readonly string[];
  /**
   * Names of labels that are a field in one of the versions. The lens reads and writes them as strings below
   * `metadata.labels`; it sees nothing else of metadata.
   */
  readonly labels?: readonly string[];
  /** Names of annotations that are a field in one of the versions, likewise below `metadata.annotations`. */
  readonly annotations?: readonly string[];
  /**
   * Fields of either version that may come back as another value, each with the reason: `{"spec.level": "whole percents"}`.
   * Dotted names that lead through lists. Only the laws read them (src/laws/faithful.ts).
   */
  readonly lossy?: Readonly<Record<string, string>>;
}

declare const defined: unique symbol;

/** A lens as authors hold it: made by `lens` or `defineLens`, given to `version`, and read by the engine alone. */
export interface DefinedLens {
  readonly [defined]: true;
}

/** Defines a lens by two functions, where rows cannot say it. The whole object is then one row. */
export function defineLens(functions: LensFunctions): DefinedLens {
  return asDefined(functions);
}

/** The same lens, as authors hold it. */
export function asDefined(lens: Lens): DefinedLens {
  return lens as unknown as DefinedLens;
}

/** The same lens, as the engine reads it. */
export function lensIn(lens: DefinedLens): Lens {
  return lens as unknown as Lens;
}

/** One function between any two versions of a kind, in place of lenses between neighbours. */
export interface Converter {
  /** What content of one version is at another one, by their indexes. It throws Unanswered where that is not known yet. */
  readonly image: (content: JsonObject, from: number, to: number) => JsonObject;
  /** The labels and annotations that count as content; there may be more before the next conversion. */
  readonly mapped: MappedMetadata;
}

/** Thrown by a converter that must first find out about an image. The caller asks, and converts once more. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
}

/** The values of a row's fields, by short names; a field that is absent or null is undefined. */
export type Parts = { readonly [name: string]: Json | undefined };

/** One row of a lens: fields that are mapped together. All rows have this form, whichever function made them. */
export interface AnyRow extends RowOptions {
  /** Where the fields stand in each version, by short names; of fields that only one version has, there is no path in the other. */
  readonly older: Readonly<Record<string, FieldPath>>;
  readonly newer: Readonly<Record<string, FieldPath>>;
  readonly up: (older: Parts) => Parts;
  readonly down: (newer: Parts) => Parts;
  /** Whether the value of its field passes as it is, without a codec. */
  readonly isSame?: boolean;
  /** The fields that repeat keys of a map, in the version that has the map: no value of another field can be made of theirs. */
  readonly derived?: { readonly older: readonly string[]; readonly newer: readonly string[] };
  /** Of a union: the field that names the branch, and the rows of each. Its fields depend on each other in both versions. */
  readonly union?: Union;
  /** The rows of the objects below the row's field named `value`, if it has such rows. */
  readonly inner?: Inner;
}

/** A row for objects of these types: it fits only into a lens of such types. A row of unknown types fits into any lens. */
export interface Row<Older = unknown, Newer = unknown> extends AnyRow {
  /** Never there: it ties the row to the types. */
  readonly types?: (older: Older, newer: Newer) => void;
}

/** What a union is made of. */
interface Union {
  readonly by: Readonly<Record<string, FieldPath>>;
  readonly branches: Readonly<Record<string, readonly AnyRow[]>>;
}

/** The lens of the objects below a row's field: of one object, or of each item of a list and each value of a map. */
export interface Inner {
  readonly lens: Lens;
  readonly of: "object" | "items";
}

/** What a row says of its fields besides how they are mapped. */
export interface RowOptions {
  /** Newer fields that share one older field with others (see Lens): unless given, all of a group that has fewer older ones. */
  readonly shared?: readonly string[];
  /** Older fields that are spread over several newer ones (see Lens). */
  readonly spread?: readonly string[];
  /**
   * Why a value of the row's fields may come back from the other version as another value; or of single fields, by their
   * short names.
   */
  readonly lossy?: string | Readonly<Record<string, string>>;
}
