import { image, type VersionChain, versionChainOf } from "../../src/conversion/version-chain.ts";
import { plainValue } from "../../src/draft/example.ts";
import { equal } from "../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { contentSchemaOf } from "../../src/laws/content-schema.ts";
import { allOf, placesBelow, type SchemaPlace, type SchemaStep } from "../../src/laws/places.ts";
import { lens } from "../support/lens.ts";

/** How many fields a draft maps as a lens that was written by hand does, both ways between two versions. */
export interface Fidelity {
  readonly fields: number;
  /** Fields that the draft maps as the model does, and that a lens without rows maps so. */
  readonly same: number;
  readonly sameByItself: number;
  /** Fields that the draft maps differently, and not as a lens without rows would: its rows are wrong. */
  readonly wrong: readonly string[];
  /** Fields that the model moves or changes, and the draft leaves alone. */
  readonly missed: readonly string[];
}

/** Compares field by field: objects with a plain value for this field alone, converted by both. */
export function fidelityOf(draft: Kind, model: Kind, older: string, newer: string): Fidelity {
  const parts = [compared(draft, model, older, newer), compared(draft, model, newer, older)];
  return {
    fields: parts.reduce((sum, { fields }) => sum + fields, 0),
    same: parts.reduce((sum, { same }) => sum + same, 0),
    sameByItself: parts.reduce((sum, { sameByItself }) => sum + sameByItself, 0),
    wrong: parts.flatMap(({ wrong }) => wrong),
    missed: parts.flatMap(({ missed }) => missed),
  };
}

function compared(draft: Kind, model: Kind, from: string, to: string): Fidelity {
  const schema = contentSchemaOf(versionOf(draft, from).entry);
  const leaves = leavesOf(schema);
  const [ofModel, plain] = [withLensesOf(draft, model), withoutRows(draft)];
  const results = leaves.map((place) => {
    const object = objectWith(schema, place);
    const [expected, drafted, alone] = [ofModel, draft.chain, plain].map((chain) =>
      imageIn(chain, object, from, to),
    ) as [Json, Json, Json];
    const [isSame, isAlone] = [equal(drafted, expected), equal(alone, expected)];
    const name = `${from} ${place.text}`;
    return { isSame, isAlone, isWrong: !isSame && !equal(drafted, alone), name };
  });
  return {
    fields: results.length,
    same: results.filter(({ isSame }) => isSame).length,
    sameByItself: results.filter(({ isAlone }) => isAlone).length,
    wrong: results.filter(({ isWrong }) => isWrong).map(({ name }) => name),
    missed: results.filter(({ isSame, isWrong }) => !isSame && !isWrong).map(({ name }) => name),
  };
}

/** The fields of a schema that hold values. */
export function leavesOf(schema: JsonObject): readonly SchemaPlace[] {
  return allOf(placesBelow(schema)).filter(({ below }) => below.length === 0);
}

export function imageIn(chain: VersionChain, object: JsonObject, from: string, to: string): Json {
  const index = (name: string) => chain.versions.findIndex((each) => each.name === name);
  return withoutEmpty(image(object, chain, index(from), index(to)));
}

/** The lenses of the model with the schemas of the draft: tests take some fields out of the model's. */
export function withLensesOf({ versions }: Kind, model: Kind): VersionChain {
  const lensOf = (name: string) => model.versions.find((each) => each.name === name)?.lens ?? lens();
  return versionChainOf(
    versions.map((each) => (each.lens === undefined ? each : { ...each, lens: lensOf(each.name) })),
  );
}

export function withoutRows({ versions }: Kind): VersionChain {
  return versionChainOf(versions.map((each) => (each.lens === undefined ? each : { ...each, lens: lens() })));
}

/** A value without objects that have no fields: some lenses leave an object without fields where others leave nothing. */
export function withoutEmpty(value: Json): Json {
  if (isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, below]) => [name, withoutEmpty(below)] as const);
  return Object.fromEntries(fields.filter(([, below]) => !isObject(below) || Object.keys(below).length > 0));
}

export function versionOf({ versions }: Kind, name: string) {
  const found = versions.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no version ${name}`);
  return found;
}

/** An object with one value. Items of lists have their keys as well, without which conversion would not match them. */
function objectWith(root: JsonObject, { steps, schema }: SchemaPlace): JsonObject {
  const name = String(steps.findLast((step) => typeof step === "string") ?? "");
  return valueWith(root, steps, plainValue({ schema, name, width: 1 })) as JsonObject;
}

export function valueWith(
  schema: Json | undefined,
  [step, ...rest]: readonly SchemaStep[],
  value: Json,
): Json {
  if (step === undefined) return value;
  if (typeof step === "string") return { [step]: valueWith(get(schema, "properties", step), rest, value) };
  if (step.any === "entry") return { example: valueWith(get(schema, "additionalProperties"), rest, value) };
  const [items, keys] = [get(schema, "items"), get(schema, "x-kubernetes-list-map-keys")];
  const item = valueWith(items, rest, value);
  const named = (isArray(keys) ? keys : []).map((key) => {
    const below = get(items, "properties", String(key));
    return [
      String(key),
      isObject(below) ? plainValue({ schema: below, name: String(key), width: 0 }) : "example",
    ] as const;
  });
  return [isObject(item) ? { ...Object.fromEntries(named), ...item } : item];
}
