import { parseDuration } from "../go/time.ts";
import { isNumber, toDouble } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { areOpposite } from "../values/opposites.ts";
import { contentSchemaOf } from "./content-schema.ts";
import type { Counterexample } from "./law.ts";
import { type LeafRow, leafRowsOf, rowsOfBranch } from "./leaf-rows.ts";
import { likeness, nameOfField } from "./likeness.ts";
import { allOf, isEmpty, placesBelow, type SchemaPlace, type SchemaStep, valuesIn } from "./places.ts";
import { type Setting, versionAt } from "./setting.ts";
import { textOf } from "./suggestions.ts";

/** What is wrong with a row, or with two fields that should have one. */
export type Fault = Pick<Counterexample, "field" | "expected" | "actual"> & { readonly hint: string };

/** Contents of both versions of a lens, drawn when they are first read. */
export interface Samples {
  readonly older: readonly JsonObject[];
  readonly newer: readonly JsonObject[];
}

/** The rows of a lens that map one field to one; with those in branches of unions, if they are meant too. */
function moves({ kind }: Setting, older: number, isInBranches = true) {
  const all = leafRowsOf(kind.chain.versions[older]?.lens?.rows ?? []);
  const inBranches = all.flatMap((leaf) =>
    Object.keys(leaf.row.union?.branches ?? {}).flatMap((branch) => rowsOfBranch(leaf, branch)),
  );
  return [...all, ...(isInBranches ? inBranches : [])].flatMap((each) => {
    const [from, ...others] = each.older;
    const [to, ...more] = each.newer;
    if (from === undefined || to === undefined || others.length + more.length > 0) return [];
    return [{ row: each.row, from: textOf(from), to: textOf(to) }];
  });
}

/** Pairs of rows of which each maps a field to the field that is named like the other's. */
export function crossedRows(setting: Setting, older: number): readonly Fault[] {
  const all = moves(setting, older);
  return all.flatMap((one, index) =>
    all.slice(index + 1).flatMap((other): Fault[] => {
      const [a, b, x, y] = [one.from, other.from, one.to, other.to].map(nameOfField) as [
        string,
        string,
        string,
        string,
      ];
      if (a === b || x === y) return [];
      const [crossed, straight] = [likeness(a, y) + likeness(b, x), likeness(a, x) + likeness(b, y)];
      if (crossed <= straight || likeness(a, y) === 0 || likeness(b, x) === 0) return [];
      const hint = `${other.from} maps to ${other.to}; by their names the two rows should exchange their newer fields`;
      return [{ field: one.from, expected: `maps to ${other.to}`, actual: `maps to ${one.to}`, hint }];
    }),
  );
}

/** Rows that convert a time into another one than the units in the names of their fields say. */
export function otherUnits(setting: Setting, older: number): readonly Fault[] {
  return moves(setting, older).flatMap(({ row, from, to }): Fault[] => {
    const [name = "", target = ""] = [Object.keys(row.older)[0], Object.keys(row.newer)[0]];
    const [units, others] = [unitOf(from), unitOf(to)];
    // A week, which all units divide.
    const given = units === undefined ? "168h0m0s" : week / units;
    const shown = asked(() => row.up({ [name]: given })[target]);
    const seconds = secondsOf(shown, others);
    if ((units ?? others) === undefined || seconds === undefined || seconds === week) return [];
    const hint = `${from} of ${JSON.stringify(given)} is ${to} of ${JSON.stringify(shown)}: look at the unit of the codec`;
    return [{ field: from, expected: `the same time in ${to}`, actual: shown, hint }];
  });
}

/** Rows that pass a switch on as it is to one that by its name says the opposite. */
export function otherSense(setting: Setting, older: number): readonly Fault[] {
  return moves(setting, older).flatMap(({ row, from, to }): Fault[] => {
    const [name = "", target = ""] = [Object.keys(row.older)[0], Object.keys(row.newer)[0]];
    if (!areOpposite(from, to) || asked(() => row.up({ [name]: true })[target]) !== true) return [];
    const hint = `${from} and ${to} are opposites by their names: table([true, false], [false, true]) negates`;
    return [{ field: from, expected: `${to} of true is false`, actual: true, hint }];
  });
}

/** What a row makes of a value; nothing if it throws. The value may be one that no schema allows, and Total tries those that do. */
export function asked(convert: () => Json | undefined): Json | undefined {
  try {
    return convert();
  } catch {
    return undefined;
  }
}

const week = 604_800;

const secondsIn: readonly (readonly [name: RegExp, seconds: number])[] = [
  [/millis(econds)?$/i, 0.001],
  [/(?<!nano|micro|milli)seconds$/i, 1],
  [/minutes$/i, 60],
  [/hours$/i, 3600],
  [/days$/i, 86_400],
];

/** The seconds in the unit that the name of a field ends with. */
function unitOf(field: string): number | undefined {
  return secondsIn.find(([name]) => name.test(nameOfField(field)))?.[1];
}

function secondsOf(value: Json | undefined, unit: number | undefined): number | undefined {
  if (unit !== undefined) return isNumber(value) ? toDouble(value) * unit : undefined;
  const nanoseconds = typeof value === "string" ? parseDuration(value) : undefined;
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e9;
}

/** Values of a row's field without a counterpart, although the other field has values to spare. */
export function leftOver(setting: Setting, older: number): readonly Fault[] {
  const [schemas, others] = [older, older + 1].map((version) => schemasAt(setting, version));
  const ofUnions = leafRowsOf(setting.kind.chain.versions[older]?.lens?.rows ?? []).flatMap((each) =>
    otherBranches(each, [schemas, others]),
  );
  // A value that one branch of a union does not map may be another one's.
  const ofMoves = moves(setting, older, false).flatMap(({ row, from, to }): Fault[] => {
    const [[name] = [], [target] = []] = [Object.keys(row.older), Object.keys(row.newer)];
    if (row.lossy !== undefined || name === undefined || target === undefined) return [];
    const left = without(choicesOf(schemas?.get(from)), (value) =>
      asked(() => row.up({ [name]: value })[target]),
    );
    const spare = without(choicesOf(others?.get(to)), (value) =>
      asked(() => row.down({ [target]: value })[name]),
    );
    const [value] = left ?? [];
    const [other] = spare ?? [];
    const isText = (schema: JsonObject | undefined) => schema?.type === "string" && schema.enum === undefined;
    if (value !== undefined && (other !== undefined || isText(others?.get(to))))
      return [unmapped(from, value, to, other)];
    return other !== undefined && isText(schemas?.get(from)) ? [unmapped(to, other, from, undefined)] : [];
  });
  return [...ofUnions, ...ofMoves];
}

/** Branches of a union that its enum does not have, and choices of the enum without a branch. */
function otherBranches(
  { row: { union, older, newer }, ...fields }: LeafRow,
  schemas: readonly (ReadonlyMap<string, JsonObject> | undefined)[],
): readonly Fault[] {
  if (union === undefined) return [];
  const side = union.by.older === undefined ? "newer" : "older";
  const at = Object.values({ older, newer }[side]).indexOf(union.by[side] ?? "");
  const field = textOf(fields[side][at] ?? []);
  const choices = choicesOf(schemas[side === "older" ? 0 : 1]?.get(field));
  if (choices === undefined) return [];
  const branches = Object.keys(union.branches);
  const without = choices.find((choice) => !branches.includes(String(choice)));
  const unknown = branches.find((branch) => !choices.includes(branch));
  if (without === undefined && unknown === undefined) return [];
  const hint = `the union of ${field} needs a branch for each of ${choices.map(String).join(", ")}, an empty one where the other version has no fields for it, and no others`;
  return [{ field, expected: without ?? "one of the choices", actual: unknown ?? "no branch", hint }];
}

function unmapped(field: string, value: Json, to: string, spare: Json | undefined): Fault {
  const other = spare === undefined ? "some value" : `perhaps ${JSON.stringify(spare)}`;
  const hint = `the row has no counterpart for ${JSON.stringify(value)}; ${to} can hold ${other}`;
  return { field, expected: `a counterpart in ${to} for ${JSON.stringify(value)}`, actual: "none", hint };
}

/** All values of a field that has few: of an enum or a boolean. */
function choicesOf(schema: JsonObject | undefined): readonly Json[] | undefined {
  if (isArray(schema?.enum)) return schema.enum;
  return schema?.type === "boolean" ? [true, false] : undefined;
}

function without(
  values: readonly Json[] | undefined,
  counterpart: (value: Json) => Json | undefined,
): readonly Json[] | undefined {
  return values?.filter((value) => value !== null && counterpart(value) === undefined);
}

/** Rows that give values of another type than their field's, or whose codec would fit the other way round. */
export function unfit(setting: Setting, older: number, samples: Samples): readonly Fault[] {
  const schemas = [older, older + 1].map((version) => schemasAt(setting, version));
  const places = [older, older + 1].map((version) => stepsAt(setting, version));
  const valuesOf = (contents: readonly JsonObject[], steps: readonly SchemaStep[] | undefined) =>
    steps === undefined ? [] : contents.flatMap((content) => valuesIn(content, steps));
  return moves(setting, older).flatMap(({ row, from, to }): Fault[] => {
    const [name = "", target = ""] = [Object.keys(row.older)[0], Object.keys(row.newer)[0]];
    const given = valuesOf(samples.older, places[0]?.get(from));
    const found = valuesOf(samples.newer, places[1]?.get(to));
    const up = (values: readonly Json[]) =>
      results(values, (value) => asked(() => row.up({ [name]: value })[target]));
    const down = (values: readonly Json[]) =>
      results(values, (value) => asked(() => row.down({ [target]: value })[name]));
    const [shown, back] = [up(given), down(found)];
    // An empty list is one of anything.
    const fits = (all: readonly Json[], fitting: readonly Json[]) =>
      all.every(isEmpty) || !fitting.every(isEmpty);
    if (!fits(shown, shown.filter(isOf(schemas[1]?.get(to)))))
      return [misfit(from, given[0], to, shown[0], "the row needs a codec that gives values of its type")];
    if (!fits(back, back.filter(isOf(schemas[0]?.get(from)))))
      return [misfit(to, found[0], from, back[0], "the row needs a codec that gives values of its type")];
    const isReversed = shown.length + back.length === 0 && down(given).length > 0 && up(found).length > 0;
    return isReversed
      ? [misfit(from, given[0], to, undefined, "the codec is the wrong way round: reverse(…) turns it")]
      : [];
  });
}

function misfit(
  field: string,
  given: Json | undefined,
  to: string,
  actual: Json | undefined,
  hint: string,
): Fault {
  return { field, expected: `a value of ${to} for ${JSON.stringify(given)}`, actual, hint: `${to}: ${hint}` };
}

/** What a codec makes of values, as far as it takes them. */
function results(values: readonly Json[], convert: (value: Json) => Json | undefined): readonly Json[] {
  return values.flatMap((value) => {
    const made = convert(value);
    return made === undefined ? [] : [made];
  });
}

/** Whether a value may be of the type of a schema, and an object in it has a field of it; an exact number is one of any. */
function isOf(schema: JsonObject | undefined): (value: Json) => boolean {
  return (value) => {
    const { type, properties } = schema ?? {};
    if (type === undefined || value === null) return true;
    if (isNumber(value)) return type === "integer" || type === "number";
    if (isArray(value)) return type === "array" && value.every(isOf(objectIn(schema, "items")));
    if (typeof value !== type) return false;
    return !isObject(value) || !isObject(properties) || Object.keys(value).some((name) => name in properties);
  };
}

function objectIn(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  const inner = get(schema, name);
  return isObject(inner) ? inner : undefined;
}

function stepsAt(setting: Setting, version: number): ReadonlyMap<string, readonly SchemaStep[]> {
  return new Map(allOf(placesOf(setting, version)).map(({ text, steps }) => [nameOf(text), steps]));
}

/** A place as rows name it, which write values of a map like items of a list. */
export function nameOf(text: string): string {
  return text.replaceAll(".*", "[]");
}

export function placesOf(setting: Setting, version: number): readonly SchemaPlace[] {
  return placesBelow(contentSchemaOf(versionAt(setting, version).entry));
}

function schemasAt(setting: Setting, version: number): ReadonlyMap<string, JsonObject> {
  return new Map(allOf(placesOf(setting, version)).map(({ text, schema }) => [nameOf(text), schema]));
}
