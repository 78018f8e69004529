import type { AnyRow } from "../conversion/lens.ts";
import { type FieldSteps, stepsOf } from "../conversion/row-fields.ts";
import { image } from "../conversion/version-chain.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type LeafRow, leafRowsOf, rowsOfBranch } from "./leaf-rows.ts";
import { likeness, nameOfField } from "./likeness.ts";
import { allOf, type SchemaPlace, valuesIn, withoutPlace } from "./places.ts";
import { asked, type Fault, nameOf, placesOf, type Samples } from "./row-faults.ts";
import { type Setting, versionAt } from "./setting.ts";
import { textOf } from "./suggestions.ts";
import { isNamed, isWithoutEffect } from "./unread.ts";

// Branches of a union share the field that names them, and often others. What one branch reads hides that another one does not, so
// that each is judged by the objects that are its own.

type Side = "older" | "newer";

/** A branch of a union, and its rows. */
interface Branch {
  readonly name: string;
  readonly union: LeafRow;
  /** The version that names the branch. */
  readonly named: Side;
  readonly rows: readonly LeafRow[];
}

function branchesOf({ kind }: Setting, older: number): readonly Branch[] {
  return leafRowsOf(kind.chain.versions[older]?.lens?.rows ?? []).flatMap((union): readonly Branch[] => {
    const { by, branches = {} } = union.row.union ?? {};
    const named = by?.older === undefined ? "newer" : "older";
    return Object.keys(branches).map((name) => ({ name, union, named, rows: rowsOfBranch(union, name) }));
  });
}

/** Branches without a row for a field that is called as they are, and that no row reads. */
export function forgottenBranches(
  setting: Setting,
  older: number,
  unread: (side: Side) => readonly SchemaPlace[],
): readonly Fault[] {
  return branchesOf(setting, older).flatMap(({ name, union, named, rows }): readonly Fault[] => {
    const side = named === "older" ? "newer" : "older";
    const above = textOf(union.at[side]);
    const fields = rows.flatMap((row) => row[side]);
    const isMeant = ({ text }: SchemaPlace) =>
      nameOf(text).startsWith(above) && likeness(nameOfField(text), name) === 1 && !isNamed(text, fields);
    const [field] = unread(side).filter(isMeant);
    const expected = `a row that maps it, in the branch ${name}`;
    const hint = `add rows for it to ${name} of the union, or name ${field?.text} in retired if it is something else`;
    return field === undefined
      ? []
      : [{ field: field.text, expected, actual: "no row reads it, nor writes it", hint }];
  });
}

/** The fewest objects of a branch in which a field has no effect: fewer may be chance. */
const fewest = 3;

/** Rows in branches that take values of their field, of which the union shows nothing. */
export function idleRows(setting: Setting, older: number, samples: Samples): readonly Fault[] {
  const places = { older: placesByName(setting, older), newer: placesByName(setting, older + 1) };
  return branchesOf(setting, older).flatMap((branch) =>
    (["older", "newer"] as const).flatMap((side) => {
      const [from, to] = side === "older" ? [older, older + 1] : [older + 1, older];
      const contents = samples[side].map((content) => ofBranch(content, branch, side, places[side]));
      const isIdle = isWithoutEffect(contents, (content) => image(content, setting.kind.chain, from, to));
      return branch.rows.flatMap((leaf) =>
        leaf[side].flatMap((field, index): readonly Fault[] => {
          const place = places[side].get(textOf(field));
          if (place === undefined) return [];
          const takes = contents.filter((content) =>
            valuesIn(content, place.steps).some((value) => isTaken(leaf.row, side, index, value)),
          );
          if (takes.length < fewest || !isIdle(place)) return [];
          const expected = `something of it in ${versionAt(setting, to).name}, in the branch ${branch.name}`;
          const hint = `a row of the branch ${branch.name} takes it, but another one writes in its place, or none of it is written`;
          return [{ field: place.text, expected, actual: "it has no effect", hint }];
        }),
      );
    }),
  );
}

/** Whether a row makes something of a value of one of its fields. */
function isTaken(row: AnyRow, side: Side, index: number, value: Json): boolean {
  const name = Object.keys(row[side])[index];
  if (name === undefined || value === null) return false;
  const way = side === "older" ? "up" : "down";
  return (
    asked(() => Object.values(row[way]({ [name]: value })).find((made) => made !== undefined)) !== undefined
  );
}

/** A content in which every object with the union is of a branch: others are empty, or lose the fields of other branches. */
function ofBranch(
  content: JsonObject,
  { name, union, named, rows }: Branch,
  side: Side,
  places: ReadonlyMap<string, SchemaPlace>,
): JsonObject {
  const { at, row } = union;
  const own = rows.flatMap((each) => each[side]).map(textOf);
  const by = row.union?.by[named];
  if (side === named) {
    const isOwn = (object: JsonObject) => get(object, ...stepsOf(by)) === name;
    return mapped(content, at[side], (object) => (isOwn(object) ? object : {})) as JsonObject;
  }
  const others = union[side].map(textOf).filter((field) => !own.includes(field));
  return others.reduce<JsonObject>((object, field) => {
    const steps = places.get(field)?.steps;
    return steps === undefined ? object : (withoutPlace(object, steps) as JsonObject);
  }, content);
}

/** A value with other objects at a place, where `[]` stands for each item of a list and each value of a map. */
function mapped(value: Json, [step, ...rest]: FieldSteps, change: (object: JsonObject) => Json): Json {
  if (step === undefined) return isObject(value) ? change(value) : value;
  if (isArray(value)) return step === "[]" ? value.map((item) => mapped(item, rest, change)) : value;
  if (!isObject(value)) return value;
  const isMeant = (name: string) => step === "[]" || name === step;
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    isMeant(name) ? mapped(inner, rest, change) : inner,
  ]);
  return Object.fromEntries(fields);
}

function placesByName(setting: Setting, version: number): ReadonlyMap<string, SchemaPlace> {
  return new Map(allOf(placesOf(setting, version)).map((place) => [nameOf(place.text), place]));
}
