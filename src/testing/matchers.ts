import { isObject, type JsonObject } from "../json/json.ts";
import { changedLines } from "../offline/diff.ts";
import { comparable, isSameObject } from "./same.ts";
import type { DeniedField, Outcome } from "./write.ts";

/** The result of a matcher, as vitest and jest expect it. */
export interface MatchResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Matchers for `expect.extend(matchers)` of vitest or jest:
 * - `expect(object).toBeTheSameObjectAs(other)`: equal but for the carriers of conversion, and of metadata only what is
 *   expected;
 * - `expect(outcome).toBeAllowed()`: the outcome of `validate` or `admit`;
 * - `expect(outcome).toBeDenied({ field: "spec.position", message: "less than" })`: for this cause, or for any without one.
 */
export const matchers = {
  toBeTheSameObjectAs(actual: unknown, expected: JsonObject): MatchResult {
    if (!isObject(actual))
      return { pass: false, message: () => `expected an object, not ${JSON.stringify(actual) ?? actual}` };
    const sides = comparable(actual, expected);
    const lines = () => changedLines(sides.expected, sides.actual).map(({ text }) => text);
    const pass = isSameObject(actual, expected);
    return {
      pass,
      message: () =>
        pass
          ? "expected another object, but for the carriers of conversion"
          : ["expected the same object: - expected, + actual", ...lines()].join("\n"),
    };
  },
  toBeAllowed(actual: unknown): MatchResult {
    const outcome = outcomeOf(actual);
    return {
      pass: outcome.allowed,
      message: () =>
        outcome.allowed
          ? "expected the write to be denied, but it is allowed"
          : `expected the write to be allowed, but it is denied: ${outcome.message}`,
    };
  },
  toBeDenied(actual: unknown, cause: Partial<DeniedField> = {}): MatchResult {
    const outcome = outcomeOf(actual);
    const pass = !outcome.allowed && (isAny(cause) || outcome.causes.some((each) => isMeant(each, cause)));
    return {
      pass,
      message: () =>
        pass
          ? `expected the write not to be denied for ${JSON.stringify(cause)}`
          : outcome.allowed
            ? "expected the write to be denied, but it is allowed"
            : `expected the write to be denied for ${JSON.stringify(cause)}, but it is: ${outcome.message}`,
    };
  },
};

/** The matchers as a test calls them, for a declaration of types as docs/guides/testing.md shows. */
export interface ObjectMatchers<Result = unknown> {
  toBeTheSameObjectAs(expected: JsonObject): Result;
  toBeAllowed(): Result;
  toBeDenied(cause?: Partial<DeniedField>): Result;
}

function outcomeOf(value: unknown): Outcome {
  if (typeof value === "object" && value !== null && "allowed" in value && "causes" in value)
    return value as Outcome;
  throw new TypeError("this matcher takes the result of validate or admit of antechamber/testing");
}

function isAny(cause: Partial<DeniedField>): boolean {
  return Object.keys(cause).length === 0;
}

/** Whether a cause has the field and the reason, and contains the message. */
export function isMeant(cause: DeniedField, { field, message, reason }: Partial<DeniedField>): boolean {
  return (
    (field === undefined || cause.field === field) &&
    (reason === undefined || cause.reason === reason) &&
    (message === undefined || cause.message.includes(message))
  );
}
