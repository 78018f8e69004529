import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Difference } from "../judge/differences.ts";
import type { Setting } from "./setting.ts";

/** An object on its way through the versions. */
export interface View {
  /** `v1, by the lens alone`. */
  readonly what: string;
  readonly object: Json;
}

/** How a law is broken: the object, the path through the versions, the steps, and the difference. */
export interface Counterexample {
  /** The claim that is broken. */
  readonly claim: string;
  /** The path through the versions: `v1 → v1beta1 → v1`. */
  readonly versions: string;
  /** The object that the case starts from. */
  readonly object: Json;
  readonly steps: readonly string[];
  /** What the object became at each version on the way. */
  readonly views?: readonly View[];
  /** What the author of the kind can do. */
  readonly hint?: string;
  /** The field that differs; empty for the whole object. */
  readonly field: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
  /** What else breaks the law, a sentence each, where one run finds it. */
  readonly also?: readonly string[];
  /** The stack of what the code of the kind's author threw, if that is what broke the claim. */
  readonly stack?: string;
}

/** The result of one case: undefined if the claim holds. */
export type Finding = Omit<Counterexample, "claim" | "versions"> | undefined;

/** A part of a law, for one path through the versions. */
export interface Claim {
  readonly says: string;
  readonly versions: string;
  /** Tries a number of cases, drawn by the seed, and shrinks the first one that breaks the claim. */
  readonly check: (runs: number, seed: number, limits?: Limits) => Trial;
}

/** What limits a trial, and who watches it. */
export interface Limits {
  /** When it stops, with the cases that it tried until then. */
  readonly milliseconds?: number;
  /** Called as a case begins and as it ends. */
  readonly onCase?: (isBegun: boolean) => void;
}

/** The result of testing a claim. */
export interface Trial {
  readonly runs: number;
  /** How many cases were not tried, because the time was over. */
  readonly untried?: number;
  readonly counterexample?: Counterexample;
}

/** A property that every kind obeys. */
export interface Law {
  readonly name: string;
  readonly statement: string;
  /** What the law needs to have cases, besides several versions. */
  readonly needs?: string;
  readonly claims: (setting: Setting) => readonly Claim[];
}

/** A claim about every case that is drawn. A case in which the engine throws breaks it. */
export function claim<Case>(
  says: string,
  versions: string,
  cases: fc.Arbitrary<Case>,
  find: (each: Case) => Finding,
): Claim {
  const findSafely = (each: Case): Finding => {
    try {
      return find(each);
    } catch (error) {
      return { ...thrown(error), object: isObject(each as Json) ? (each as JsonObject) : null };
    }
  };
  const check: Claim["check"] = (runs, seed, { milliseconds, onCase = () => {} } = {}) => {
    const property = fc.property(cases, (each) => {
      onCase(true);
      const found = findSafely(each);
      onCase(false);
      return found === undefined;
    });
    const limit = milliseconds === undefined ? {} : { interruptAfterTimeLimit: Math.max(1, milliseconds) };
    const details = fc.check(property, { numRuns: runs, seed, endOnFailure: false, ...limit });
    const [shrunk] = details.counterexample ?? [];
    if (!details.failed || details.counterexample === null)
      return details.interrupted
        ? { runs: details.numRuns, untried: runs - details.numRuns }
        : { runs: details.numRuns };
    const finding = findSafely(shrunk as Case);
    const unclear = {
      object: null,
      steps: [],
      field: "",
      expected: "a claim that holds or not",
      actual: String(details.errorInstance ?? null),
    };
    return { runs: details.numRuns, counterexample: { claim: says, versions, ...(finding ?? unclear) } };
  };
  return { says, versions, check };
}

/** The finding that code of a kind throws; its object is not known. */
export function thrown(error: unknown): NonNullable<Finding> {
  const actual =
    error instanceof Error ? `throws ${error.name}: ${error.message}` : `throws ${String(error)}`;
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    object: null,
    steps: [],
    field: "",
    expected: "no throw",
    actual,
    ...(stack === undefined ? {} : { stack }),
  };
}

/** A finding from a difference, if there is one. The steps are described only then. */
export function finding(
  object: JsonObject,
  steps: () => readonly string[],
  difference: Difference | undefined,
): Finding {
  return difference === undefined ? undefined : { object, steps: steps(), ...difference };
}

/** The steps of a finding that needs none. */
export const noSteps = (): readonly string[] => [];
