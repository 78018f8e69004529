import type { ExactNumber, Json } from "../json/json.ts";

// The types of fields by their paths, as the editor checks and completes them in a lens of generated types. Only the part of a
// type along a path is looked at, so that a schema with thousands of fields costs no more than a small one. A type that is
// not known (`unknown`, `Json`) admits every path, and its values are plain JSON.

/**
 * Where a field stands: names separated by dots, which lead through objects, and `[0]` for the first item of a list:
 * `spec.rules[0].size`. Or the names one by one, as `label` and `annotation` return them, for names with dots in them.
 */
export type FieldPath = string | readonly string[];

/** A path of an object type, if the type has it; else the paths that would be right as far as the path is. */
export type PathIn<T, P> =
  IsOpen<T> extends true
    ? P
    : P extends readonly string[]
      ? P
      : P extends Suggested<T, P>
        ? P
        : Suggested<T, P>;

/** The same for a path that leads to a list or a map. */
export type ItemsIn<T, P> =
  IsOpen<T> extends true
    ? P
    : P extends Suggested<T, P>
      ? [ItemOf<At<T, P>>] extends [never]
        ? `${P & string} is neither a list nor a map`
        : P
      : Suggested<T, P>;

/** The type of the field at a path: `At<RoomV1, "spec.location">`. A label or annotation is a string. */
export type At<T, P> =
  IsOpen<T> extends true
    ? Json
    : P extends `${infer Name}.${infer Rest}`
      ? At<FieldOf<T, Name>, Rest>
      : P extends string
        ? FieldOf<T, P>
        : string;

/** The type of the items of a list, or of the values of a map: `ItemOf<At<RoomV1, "spec.lights">>`. */
export type ItemOf<T> =
  IsOpen<T> extends true
    ? Json
    : T extends readonly (infer Item)[]
      ? Present<Item>
      : T extends Scalar
        ? never
        : string extends keyof T
          ? Present<T[keyof T]>
          : never;

/**
 * What conversion passes of a field's type to a lens: the JSON type is right, at any depth, and nothing else is. A value
 * that is stored may lie outside of its enum, lack required fields, have null in it, and be an integer beyond 2^53.
 */
export type Source<T> =
  IsOpen<T> extends true
    ? Json
    : T extends ExactNumber
      ? T
      : T extends string
        ? string
        : T extends number
          ? number | ExactNumber
          : T extends boolean
            ? boolean
            : T extends readonly (infer Item)[]
              ? readonly Source<Item>[]
              : string extends keyof T
                ? { readonly [name: string]: Source<T[keyof T]> | null }
                : { readonly [Name in keyof T]?: Source<T[Name]> | null };

/** What a lens may return for a field: its type, where a number may be an exact one. */
export type Result<T> =
  IsOpen<T> extends true
    ? Json
    : T extends ExactNumber | string | boolean
      ? T
      : T extends number
        ? number extends T
          ? number | ExactNumber
          : T
        : T extends readonly (infer Item)[]
          ? readonly Result<Item>[]
          : { readonly [Name in keyof T]: Result<T[Name]> };

/** What a lens sees of an object's type. */
export type ContentOf<T> = unknown extends T ? unknown : Omit<T, "apiVersion" | "kind" | "metadata">;

type IsOpen<T> = unknown extends T ? true : Exclude<Json, null> extends T ? true : false;

type Present<T> = Exclude<T, undefined | null>;

type Scalar = string | number | boolean | ExactNumber;

type NamesOf<T> = T extends Scalar | readonly unknown[] ? never : keyof T & string;

/** The first items of those fields that are lists. */
type FirstItemsOf<T> = {
  [Name in NamesOf<T>]: Present<T[Name]> extends readonly unknown[] ? `${Name}[0]` : never;
}[NamesOf<T>];

type FieldOf<T, Name extends string> =
  IsOpen<T> extends true
    ? Json
    : Name extends keyof T
      ? Present<T[Name]>
      : Name extends `${infer List}[0]`
        ? ItemOf<FieldOf<T, List>>
        : never;

/** The paths that begin like the given one as far as it is right, and go one name further. */
type Suggested<T, P> = P extends `${infer Name}.${infer Rest}`
  ? Name extends NamesOf<T> | FirstItemsOf<T>
    ? IsOpen<FieldOf<T, Name>> extends true
      ? `${Name}.${Rest}`
      : [NamesOf<FieldOf<T, Name>>] extends [never]
        ? Name
        : `${Name}.${Suggested<FieldOf<T, Name>, Rest> & string}`
    : NamesOf<T>
  : P extends `${string}[0]`
    ? FirstItemsOf<T>
    : NamesOf<T>;
