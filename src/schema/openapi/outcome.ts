import type { Path } from "../../json/path.ts";
import { invalid, invalidAs, type SchemaFault, typeInvalid } from "../fault.ts";
import type { Place } from "../place.ts";
import { quote } from "../printed.ts";

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

/** A place within what is validated, which need not be the whole object: a status and a default are roots of their own. */
export interface Spot {
  /** The place within the schema, as sentences name it; empty at its root. */
  readonly name: string;
  /** Where the root of the schema stands. */
  readonly base: Place;
  readonly path: Path;
}

export function spotAt(base: Place): Spot {
  return { name: "", base, path: base.path };
}

/** The spot of a declared field. */
export function property({ name, base, path }: Spot, key: string): Spot {
  return { name: name === "" ? key : `${name}.${key}`, base, path: [...path, key] };
}

/** The spot of a value of a map: below a root its name begins with a dot. */
export function additional({ name, base, path }: Spot, key: string): Spot {
  return { name: `${name}.${key}`, base, path: [...path, key] };
}

/** The spot of an item. */
export function indexed({ name, base, path }: Spot, index: number): Spot {
  return { name: `${name}[${index}]`, base, path: [...path, index] };
}

/** The field that the API server answers for a spot. */
export function fieldOf({ name, base, path }: Spot): Place {
  const text = name.startsWith(".") ? name.slice(1) : name;
  if (name === "" || name === ".") return base;
  return { text: base.text === "" ? text : `${base.text}.${text}`, path };
}

/** A value of another type than the schema says. */
export function wrongType(spot: Spot, type: string, found: string): SchemaFault {
  return typeInvalid(fieldOf(spot), found, `${spot.name} in body must be of type ${type}: ${quote(found)}`);
}

/** `spec.a in body should …`, of a value that is printed already. */
export function should(spot: Spot, value: string, what: string): SchemaFault {
  return invalidAs(fieldOf(spot), value, `${spot.name} in body should ${what}`);
}

/** A sentence that the API server answers without a field of its own. */
export function atLarge({ base }: Spot, sentence: string): SchemaFault {
  return invalid(base, "", sentence);
}
