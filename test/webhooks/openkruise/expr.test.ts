import { describe, expect, it } from "vitest";
import { parseQuantity } from "../../../src/apimachinery/quantity.ts";
import type { Json } from "../../../src/json/json.ts";
import {
  type Evaluation,
  evaluate,
  parseExpression,
  printValue,
  type Value,
} from "../../../webhooks/kruise/shared/evaluate.ts";
import { goldenCases } from "./cases.ts";

const cases = goldenCases("expr").map((each) => [each.name, each] as const);

describe("expressions have the values that OpenKruise computes", () => {
  it.each(cases)("%s", (_name, { input, output }) => {
    const variables = new Map(
      Object.entries(input.variables ?? {}).map(([key, text]) => [key, variableOf(text)]),
    );
    expect(recordOf(evaluate(parseExpression(String(input.expression)), variables))).toEqual(output);
  });
});

function variableOf(text: Json): Value {
  const [, number] = /^number:(.*)$/.exec(String(text)) ?? [];
  if (number !== undefined) return { number: Number(number) };
  const quantity = parseQuantity(String(text));
  if (quantity === undefined) throw new Error(`${String(text)} is not a quantity`);
  return { quantity };
}

function recordOf(evaluation: Evaluation): Json {
  if ("fault" in evaluation) return { error: evaluation.fault };
  const { value } = evaluation;
  return "quantity" in value
    ? { kind: "quantity", value: printValue(value), format: value.quantity.format }
    : { kind: "number", value: printValue(value) };
}
