import { quote } from "../../go/text.ts";
import type { Schema } from "../model.ts";
import { atLarge, draft, merge, nameOf, type Outcome } from "./outcome.ts";
import type { Check, Walk } from "./walk.ts";

/**
 * allOf, anyOf, oneOf and not, with the faults of the branch that came nearest (validate/schema_props.go). What did not
 * change counts within a branch as well: only the whole node may be left as it was.
 */
export function junctorsOf(schema: Schema, walkOf: (branch: Schema) => Walk): Check {
  const anyOf = schema.anyOf.map(walkOf);
  const oneOf = schema.oneOf.map(walkOf);
  const allOf = schema.allOf.map(walkOf);
  const not = schema.not === undefined ? undefined : walkOf(schema.not);
  return {
    run(value, spot, to) {
      const main = draft();
      const run = (walk: Walk) => walk(value, spot);
      if (anyOf.length > 0) {
        const { best, valid, first } = tried(anyOf, run, 1);
        if (valid === 0)
          main.faults.push(atLarge(spot, `${quote(nameOf(spot))} must validate at least one schema (anyOf)`));
        merge(main, first ?? best);
      }
      if (oneOf.length > 0) {
        const { best, valid, first } = tried(oneOf, run, oneOf.length);
        const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
        if (valid !== 1) {
          main.faults.push(
            atLarge(spot, `${quote(nameOf(spot))} must validate one and only one schema (oneOf). ${found}`),
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
            atLarge(spot, `${quote(nameOf(spot))} must validate all the schemas (allOf)${none}`),
          );
        }
      }
      if (not !== undefined && isValid(run(not))) {
        main.faults.push(atLarge(spot, `${quote(nameOf(spot))} must not validate the schema (not)`));
      }
      main.matches++;
      merge(to, main);
    },
  };
}

interface Tried {
  /** The outcome of the invalid branch that passed most checks. */
  readonly best: Outcome;
  readonly valid: number;
  readonly first?: Outcome;
}

/** Tries branches until so many are valid. */
function tried(branches: readonly Walk[], run: (walk: Walk) => Outcome, enough: number): Tried {
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
