import { printFixed } from "../../../go/numbers.ts";
import { forbidden, type SchemaFault } from "../../model/fault.ts";
import type { Place } from "../../model/place.ts";
import { most } from "./range.ts";

// apiextensions validation.go: StaticEstimatedCostLimit, StaticEstimatedCRDCostLimit
const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;

/** The largest possible cost. */
export const largestCost = most;

/** The estimated costs of all rules of a schema together. */
export interface Total {
  /** Adds what a rule may cost; a fault if that is too much for one. */
  readonly add: (place: Place, name: string, cost: number) => SchemaFault | undefined;
  /** The faults of all together. */
  readonly faults: () => readonly SchemaFault[];
}

/** No cost yet, of a schema that stands at a place. */
export function total(at: Place): Total {
  const expensive: { readonly place: Place; readonly cost: number }[] = [];
  let whole = 0;
  return {
    add: (place, name, cost) => {
      whole = Math.min(whole + cost, most);
      if (cost >= schemaLimit / 100) expensive.push({ place, cost });
      return cost > ruleLimit ? forbidden(place, costMessage(name, cost, ruleLimit)) : undefined;
    },
    faults: () => (whole > schemaLimit ? totalFaults(whole, expensive, at) : []),
  };
}

function totalFaults(
  whole: number,
  expensive: readonly { readonly place: Place; readonly cost: number }[],
  at: Place,
): readonly SchemaFault[] {
  const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const worst = expensive.toSorted((a, b) => b.cost - a.cost).slice(0, 4);
  const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...worst.map(({ place }) => forbidden(place, detail)),
    forbidden(at, costMessage(name, whole, schemaLimit)),
  ];
}

function costMessage(name: string, cost: number, limit: number): string {
  return `${name} exceeds budget by factor of ${factorOf(cost / limit)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

function factorOf(factor: number): string {
  if (factor > 100) return "more than 100x";
  return `${printFixed(factor, factor < 1.5 ? 6 : 1)}x`;
}
