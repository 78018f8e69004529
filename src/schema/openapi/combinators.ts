import { quote } from "../../go/text.ts";
import type { Schema } from "../model/schema.ts";
import { atLarge, type Check, draft, merge, nameOf, type Outcome, type SchemaValidator } from "./outcome.ts";

/**
 * allOf, anyOf, oneOf and not, with the faults of the branch that came nearest (validate/schema_props.go). What did not
 * change counts within a branch as well: only the whole node may be left as it was.
 */
export function combinatorsOf(schema: Schema, validatorOf: (branch: Schema) => SchemaValidator): Check {
  const anyOf = schema.anyOf.map(validatorOf);
  const oneOf = schema.oneOf.map(validatorOf);
  const allOf = schema.allOf.map(validatorOf);
  const not = schema.not === undefined ? undefined : validatorOf(schema.not);
  return (value, location, to) => {
    const main = draft();
    const run = (validate: SchemaValidator) => validate(value, location);
    if (anyOf.length > 0) {
      const { best, valid, first } = tried(anyOf, run, 1);
      if (valid === 0)
        main.faults.push(
          atLarge(location, `${quote(nameOf(location))} must validate at least one schema (anyOf)`),
        );
      merge(main, first ?? best);
    }
    if (oneOf.length > 0) {
      const { best, valid, first } = tried(oneOf, run, oneOf.length);
      const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
      if (valid !== 1) {
        main.faults.push(
          atLarge(
            location,
            `${quote(nameOf(location))} must validate one and only one schema (oneOf). ${found}`,
          ),
        );
      }
      if (valid === 0) merge(main, best);
      if (valid === 1) merge(main, first ?? best);
    }
    if (allOf.length > 0) {
      const outcomes = allOf.map(run);
      const valid = outcomes.filter(isValid).length;
      for (const outcome of outcomes) merge(main, outcome);
      if (valid < outcomes.length) {
        const none = valid === 0 ? ". None validated" : "";
        main.faults.push(
          atLarge(location, `${quote(nameOf(location))} must validate all the schemas (allOf)${none}`),
        );
      }
    }
    if (not !== undefined && isValid(run(not))) {
      main.faults.push(atLarge(location, `${quote(nameOf(location))} must not validate the schema (not)`));
    }
    main.matches++;
    merge(to, main);
    to.matches++;
  };
}

interface Tried {
  /** The outcome of the invalid branch that passed most checks. */
  readonly best: Outcome;
  readonly valid: number;
  readonly first?: Outcome;
}

/** Tries branches until so many are valid. */
function tried(
  branches: readonly SchemaValidator[],
  run: (validate: SchemaValidator) => Outcome,
  enough: number,
): Tried {
  let best: Outcome | undefined;
  let first: Outcome | undefined;
  let valid = 0;
  for (const branch of branches) {
    const outcome = run(branch);
    if (isValid(outcome)) {
      first ??= outcome;
      valid++;
      if (valid === enough) break;
    } else if (valid === 0 && (best === undefined || outcome.matches > best.matches)) best = outcome;
  }
  const none: Outcome = { faults: [], matches: 0 };
  return { best: best ?? none, valid, ...(first === undefined ? {} : { first }) };
}

function isValid({ faults }: Outcome): boolean {
  return faults.length === 0;
}
