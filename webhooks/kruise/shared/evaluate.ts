import {
  addQuantities,
  compareQuantities,
  milliOf,
  negateQuantity,
  printQuantity,
  type Quantity,
  quantity,
  signOfQuantity,
  subtractQuantities,
} from "antechamber/apimachinery";
import { printFloat } from "antechamber/go";
import type { Expression, Value } from "./expression.ts";

export { type Expression, parseExpression, type Value } from "./expression.ts";

/** The value of an expression, or the message with which OpenKruise rejects it. */
export type Evaluation = { readonly value: Value } | { readonly fault: string };

/**
 * Evaluates an expression. Like OpenKruise's calculator it goes on after a fault and reports the last one, and it reports
 * such a fault rather than a later syntax error (pkg/util/calculator, calculator.go and calculator_y.go).
 */
export function evaluate(expression: Expression, variables: ReadonlyMap<string, Value>): Evaluation {
  const stack: (Value | undefined)[] = [];
  let fault: string | undefined;
  const fail = (message: string): undefined => {
    fault = message;
    return undefined;
  };
  for (const instruction of expression.instructions) {
    if ("push" in instruction) stack.push(instruction.push);
    else if ("fail" in instruction) stack.push(fail(instruction.fail));
    else if ("variable" in instruction) {
      stack.push(variables.get(instruction.variable) ?? fail(`undefined variable: ${instruction.variable}`));
    } else if ("negate" in instruction) stack.push(negated(stack.pop()));
    else if ("call" in instruction)
      stack.push(called(instruction.call, stack.splice(-instruction.count), fail));
    else stack.push(combined(instruction.binary, stack.splice(-2), fail));
  }
  const value = stack.pop();
  const found = fault ?? expression.fault ?? (value === undefined ? "no result from parser" : undefined);
  if (found !== undefined || value === undefined) return { fault: found ?? "no result from parser" };
  return isNegative(value) ? { fault: `calculation result is negative: ${printValue(value)}` } : { value };
}

/** A number as Go prints it with `%g`, or a quantity as the API server prints it. */
export function printValue(value: Value): string {
  return "quantity" in value ? printQuantity(value.quantity) : printFloat(value.number);
}

/** A value as a quantity; a number is truncated to thousandths. */
function toQuantity(value: Value): Quantity {
  return "quantity" in value ? value.quantity : quantity(toInt64(value.number * 1000), -3);
}

/** A double as Go converts it to int64 on amd64: truncated, and the smallest int64 if it is out of range. */
export function toInt64(value: number): bigint {
  const whole = Math.trunc(value);
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : -(2n ** 63n);
}

type Fail = (message: string) => undefined;

function combined(
  operator: "+" | "-" | "*" | "/",
  [left, right]: readonly (Value | undefined)[],
  fail: Fail,
): Value | undefined {
  if (left === undefined || right === undefined) return undefined;
  switch (operator) {
    case "+":
    case "-":
      return sum(left, right, operator);
    case "*":
      return product(left, right, fail);
    case "/":
      return ratio(left, right, fail);
  }
}

function sum(left: Value, right: Value, operator: "+" | "-"): Value {
  if ("number" in left && "number" in right) {
    return { number: operator === "+" ? left.number + right.number : left.number - right.number };
  }
  const add = operator === "+" ? addQuantities : subtractQuantities;
  return { quantity: add(toQuantity(left), toQuantity(right)) };
}

function product(left: Value, right: Value, fail: Fail): Value | undefined {
  if ("quantity" in left) {
    if ("quantity" in right) return fail("multiplication of two quantities");
    return scaled(left.quantity, (milli) => milli * right.number);
  }
  if ("quantity" in right) return scaled(right.quantity, (milli) => milli * left.number);
  return { number: left.number * right.number };
}

function ratio(left: Value, right: Value, fail: Fail): Value | undefined {
  if ("quantity" in right) return fail("division by quantity");
  if (right.number === 0) return fail("division by zero");
  if ("quantity" in left) return scaled(left.quantity, (milli) => milli / right.number);
  return { number: left.number / right.number };
}

/** Scales in doubles and truncates, as OpenKruise does: 29% of 100m is 28m. */
function scaled(whole: Quantity, scale: (milli: number) => number): Value {
  return { quantity: quantity(toInt64(scale(Number(milliOf(whole)))), -3, whole.format) };
}

function called(name: string, parts: readonly (Value | undefined)[], fail: Fail): Value | undefined {
  const word = name.toLowerCase();
  if (word !== "max" && word !== "min") return fail(`unknown function: ${name}`);
  if (parts.length !== 2) return fail(`${word} function requires exactly 2 arguments, got ${parts.length}`);
  const [left, right] = parts;
  if (left === undefined || right === undefined) return undefined;
  if ("number" in left && "number" in right) {
    const isLeft = word === "max" ? left.number >= right.number : left.number <= right.number;
    return isLeft ? left : right;
  }
  const [one, other] = [toQuantity(left), toQuantity(right)];
  const order = compareQuantities(one, other);
  return { quantity: (word === "max" ? order >= 0 : order <= 0) ? one : other };
}

function negated(value: Value | undefined): Value | undefined {
  if (value === undefined) return undefined;
  return "quantity" in value ? { quantity: negateQuantity(value.quantity) } : { number: -value.number };
}

function isNegative(value: Value): boolean {
  return "quantity" in value ? signOfQuantity(value.quantity) < 0 : value.number < 0;
}
