import { expect } from "vitest";
import { exceptions } from "./expectations.ts";
import { knownInCell } from "./known-actions.ts";
import type { Finding } from "./trial.ts";

/** What is expected of an action, for the name of a test. */
export function claimOf({ name }: { readonly name: string }): string {
  const outcome = exceptions.get(name)?.outcome;
  if (outcome === undefined) return `${name}: everything is kept`;
  if (outcome === "lost" || outcome === "stays") return `${name}: ${outcome}, without an error`;
  return `${name}: everything is kept, and ${outcome}`;
}

/** An object on which an action was tried. */
interface Tried {
  /** What it is, for the messages. */
  readonly object: string;
  readonly instead?: string | undefined;
  readonly writesCarriers: boolean;
}

/** Fails where an action lost, refused or wrote more than is expected of it, and no known fault says so. */
export function judge(
  { name }: { readonly name: string },
  { object, instead, writesCarriers }: Tried,
  finding: Finding,
): void {
  if (knownInCell(object, name, finding) !== undefined) return;
  const outcome = exceptions.get(name)?.outcome;
  const { lost, refused, churns, carriersNamed } = finding;
  const appears = lost.filter((each) => each.includes(" appears: "));
  const isReworded = (each: string) =>
    outcome === "lost" && instead !== undefined && each.startsWith(instead);
  if (outcome !== "stays")
    expect(
      appears.filter((each) => !isReworded(each)),
      object,
    ).toEqual([]);
  if (outcome === "lost" || outcome === "stays") expect(lost, object).not.toEqual([]);
  else expect(lost, object).toEqual([]);
  const codes = refused.map((each) => each.slice(0, 3));
  const answers = [object, ...refused].join("\n");
  expect(codes, answers).toEqual(outcome === "refused" ? ["409"] : []);
  // What was lost by an apply comes back with the next one: that is a write.
  if (outcome === undefined || outcome.startsWith("refused")) expect(churns, object).toEqual([]);
  if (!writesCarriers) expect(carriersNamed, object).toEqual([]);
}
