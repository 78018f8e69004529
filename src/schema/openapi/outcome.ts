import { quote } from "../../go/text.ts";
import type { Json } from "../../json/json.ts";
import { invalid, invalidAs, type SchemaFault, typeInvalid } from "../model/fault.ts";
import type { Place } from "../model/place.ts";
import type { Correlation } from "../model/ratcheting.ts";

/** What checking a value against a schema gave: faults, and how many checks it passed, by which the best branch is chosen. */
export interface Outcome {
  readonly faults: readonly SchemaFault[];
  readonly matches: number;
}

/**
 * Checks a value against a schema as kube-openapi does (pkg/validation/validate), check by check in its order; what is
 * wrong with a value that did not change is not a fault. Siblings come in the order of the schema, which is random there.
 */
export type SchemaValidator = (value: Json, location: Location, correlation?: Correlation) => Outcome;

/** One of the checks of a schema; it counts as passed where it applies. */
export type Check = (
  value: Json,
  location: Location,
  to: Draft,
  correlation: Correlation | undefined,
) => void;

/** An outcome in the making. */
export interface Draft {
  readonly faults: SchemaFault[];
  matches: number;
}

export function draft(): Draft {
  return { faults: [], matches: 0 };
}

/** Adds another outcome, its faults and its passes. */
export function merge(to: Draft, { faults, matches }: Outcome): void {
  for (const fault of faults) to.faults.push(fault);
  to.matches += matches;
}

/** The faults, each once: kube-openapi merges equal messages of any level (validate.Result). */
export function onceEach({ faults }: Outcome): readonly SchemaFault[] {
  if (faults.length < 2) return faults;
  const seen = new Set<string>();
  return faults.filter(({ field, message }) => {
    const before = seen.size;
    return seen.add(`${field}\0${message}`).size > before;
  });
}

// The messages of kube-openapi (pkg/validation/errors), as the API server turns them into causes.

/**
 * A place within what is validated, which need not be the whole object: a status and a default are roots of their own.
 * Most places have no fault, so that how one prints is computed only for a fault.
 */
export type Location = Root | Below;

interface Root {
  /** Where the root of the schema stands. */
  readonly base: Place;
}

interface Below {
  readonly parent: Location;
  readonly step: string | number;
  /** Whether it is a value of a map, whose name begins with a dot below a root. */
  readonly inMap: boolean;
}

export function locationAt(base: Place): Location {
  return { base };
}

/** The location of a declared field. */
export function property(parent: Location, step: string): Location {
  return { parent, step, inMap: false };
}

/** The location of a value of a map. */
export function additional(parent: Location, step: string): Location {
  return { parent, step, inMap: true };
}

/** The location of an item. */
export function indexed(parent: Location, step: number): Location {
  return { parent, step, inMap: false };
}

/** Whether it is a root, of which apiVersion and kind are never left as they were. */
export function isRoot(location: Location): boolean {
  return "base" in location;
}

/** The place within the schema, as sentences name it; empty at its root. */
export function nameOf(location: Location): string {
  const steps: string[] = [];
  let here = location;
  for (; !("base" in here); here = here.parent) {
    const isFirst = "base" in here.parent && !here.inMap;
    steps.push(typeof here.step === "number" ? `[${here.step}]` : isFirst ? here.step : `.${here.step}`);
  }
  return steps.reverse().join("");
}

/** The field that the API server reports for a location. */
export function fieldOf(location: Location): Place {
  const steps: (string | number)[] = [];
  let here = location;
  for (; !("base" in here); here = here.parent) steps.push(here.step);
  const { base } = here;
  const name = nameOf(location);
  if (name === "" || name === ".") return base;
  const text = name.startsWith(".") ? name.slice(1) : name;
  return {
    text: base.text === "" ? text : `${base.text}.${text}`,
    path: [...base.path, ...steps.reverse()],
  };
}

/** A value of another type than the schema says. */
export function wrongType(location: Location, type: string, found: string): SchemaFault {
  return typeInvalid(
    fieldOf(location),
    found,
    `${nameOf(location)} in body must be of type ${type}: ${quote(found)}`,
  );
}

/** `spec.a in body should …`, of a value that is printed already. */
export function should(location: Location, value: string, what: string): SchemaFault {
  return invalidAs(fieldOf(location), value, `${nameOf(location)} in body should ${what}`);
}

/** A sentence that the API server reports without a field of its own. */
export function atLarge(location: Location, sentence: string): SchemaFault {
  let here = location;
  while (!("base" in here)) here = here.parent;
  return invalid(here.base, "", sentence);
}
