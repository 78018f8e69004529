import { quote } from "../../go/text.ts";
import { invalid, invalidAs, type SchemaFault, typeInvalid } from "../fault.ts";
import type { Place } from "../place.ts";

/** What checking a value against a schema gave: faults, and how many checks it passed, by which the best branch is told. */
export interface Outcome {
  readonly faults: readonly SchemaFault[];
  readonly matches: number;
}

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

/** The faults, each once: kube-openapi takes what was said for one thing (validate.Result), at whatever level. */
export function onceEach({ faults }: Outcome): readonly SchemaFault[] {
  if (faults.length < 2) return faults;
  const said = new Set<string>();
  return faults.filter(({ field, message }) => {
    const before = said.size;
    return said.add(`${field}\0${message}`).size > before;
  });
}

// What kube-openapi says (pkg/validation/errors), as the API server turns it into causes.

/**
 * A place within what is validated, which need not be the whole object: a status and a default are roots of their own.
 * Most places have no fault: how one prints is worked out when it has.
 */
export type Spot = Root | Below;

interface Root {
  /** Where the root of the schema stands. */
  readonly base: Place;
}

interface Below {
  readonly parent: Spot;
  readonly step: string | number;
  /** Whether it is a value of a map, whose name begins with a dot below a root. */
  readonly inMap: boolean;
}

export function spotAt(base: Place): Spot {
  return { base };
}

/** The spot of a declared field. */
export function property(parent: Spot, step: string): Spot {
  return { parent, step, inMap: false };
}

/** The spot of a value of a map. */
export function additional(parent: Spot, step: string): Spot {
  return { parent, step, inMap: true };
}

/** The spot of an item. */
export function indexed(parent: Spot, step: number): Spot {
  return { parent, step, inMap: false };
}

/** Whether it is a root, of which apiVersion and kind are never left as they were. */
export function isRoot(spot: Spot): boolean {
  return "base" in spot;
}

/** The place within the schema, as sentences name it; empty at its root. */
export function nameOf(spot: Spot): string {
  const steps: string[] = [];
  let here = spot;
  for (; !("base" in here); here = here.parent) {
    const isFirst = "base" in here.parent && !here.inMap;
    steps.push(typeof here.step === "number" ? `[${here.step}]` : isFirst ? here.step : `.${here.step}`);
  }
  return steps.reverse().join("");
}

/** The field that the API server answers for a spot. */
export function fieldOf(spot: Spot): Place {
  const steps: (string | number)[] = [];
  let here = spot;
  for (; !("base" in here); here = here.parent) steps.push(here.step);
  const { base } = here;
  const name = nameOf(spot);
  if (name === "" || name === ".") return base;
  const text = name.startsWith(".") ? name.slice(1) : name;
  return {
    text: base.text === "" ? text : `${base.text}.${text}`,
    path: [...base.path, ...steps.reverse()],
  };
}

/** A value of another type than the schema says. */
export function wrongType(spot: Spot, type: string, found: string): SchemaFault {
  return typeInvalid(
    fieldOf(spot),
    found,
    `${nameOf(spot)} in body must be of type ${type}: ${quote(found)}`,
  );
}

/** `spec.a in body should …`, of a value that is printed already. */
export function should(spot: Spot, value: string, what: string): SchemaFault {
  return invalidAs(fieldOf(spot), value, `${nameOf(spot)} in body should ${what}`);
}

/** A sentence that the API server answers without a field of its own. */
export function atLarge(spot: Spot, sentence: string): SchemaFault {
  let here = spot;
  while (!("base" in here)) here = here.parent;
  return invalid(here.base, "", sentence);
}
