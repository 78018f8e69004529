import { isArray, isObject, type Json, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { labelKeyFaults, labelValueFaults } from "./names.ts";

/** A parsed label selector. */
export interface Selector {
  /** Those of matchLabels first, in their order, as `In` with one value; empty if everything matches. */
  readonly requirements: readonly Requirement[];
  /** Whether labels, as in metadata, satisfy all requirements. */
  readonly matches: (labels: Json | undefined) => boolean;
}

/** A requirement on one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

type Operator = "In" | "NotIn" | "Exists" | "DoesNotExist";

/** A fault of a selector and its path; `message` is complete, `detail` is the part after the value. */
export interface SelectorFault {
  readonly path: Path;
  readonly reason: "FieldValueInvalid" | "FieldValueRequired" | "FieldValueForbidden";
  readonly detail: string;
  readonly message: string;
}

/** A parsed selector, or its fault. */
type SelectorReading = { readonly selector: Selector } | { readonly fault: SelectorFault };

/**
 * Parses a metav1.LabelSelector as `LabelSelectorAsSelector` does, but without checking the syntax of labels, so that stored
 * selectors remain usable: absent or null matches nothing, `{}` everything. `selectorFaults` checks the syntax too.
 */
export function selectorOf(labelSelector: Json | undefined): SelectorReading {
  if (labelSelector === undefined || labelSelector === null) return { selector: nothing };
  const fault = shapeFaults(labelSelector, [])[0] ?? operatorFault(labelSelector);
  if (fault !== undefined) return { fault };
  const requirements = requirementsOf(labelSelector);
  return {
    selector: { requirements, matches: (labels) => requirements.every((each) => meets(each, labels)) },
  };
}

/** The faults of a selector, with the messages of `ValidateLabelSelector` (apimachinery v0.32, meta/v1/validation). */
export function selectorFaults(labelSelector: Json | undefined, path: Path): readonly SelectorFault[] {
  if (labelSelector === undefined || labelSelector === null) return [];
  const shape = shapeFaults(labelSelector, path);
  if (shape.length > 0) return shape;
  return [
    ...entriesOf(labelSelector).flatMap(([key, value]) => [
      ...labelKeyFaults(key).map((detail) => invalid([...path, "matchLabels"], key, detail)),
      ...labelValueFaults(value).map((detail) => invalid([...path, "matchLabels"], value, detail)),
    ]),
    ...expressionsOf(labelSelector).flatMap((expression, index) =>
      requirementFaults(expression, [...path, "matchExpressions", index]),
    ),
  ];
}

const nothing: Selector = { requirements: [], matches: () => false };

const operators: ReadonlySet<Json | undefined> = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

/** Whether labels satisfy a requirement. */
export function meets({ key, operator, values }: Requirement, labels: Json | undefined): boolean {
  const value = own(labels, key);
  const isIn = typeof value === "string" && values.includes(value);
  switch (operator) {
    case "In":
      return isIn;
    case "NotIn":
      return !isIn;
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}

function requirementsOf(labelSelector: Json): readonly Requirement[] {
  return [
    ...entriesOf(labelSelector).map(([key, value]) => ({ key, operator: "In" as const, values: [value] })),
    ...expressionsOf(labelSelector).map((expression) => ({
      key: own(expression, "key") as string,
      operator: own(expression, "operator") as Operator,
      values: (own(expression, "values") ?? []) as readonly string[],
    })),
  ];
}

function entriesOf(labelSelector: Json): readonly (readonly [string, string])[] {
  return Object.entries((own(labelSelector, "matchLabels") ?? {}) as Record<string, string>);
}

function expressionsOf(labelSelector: Json): readonly Json[] {
  return (own(labelSelector, "matchExpressions") ?? []) as readonly Json[];
}

/** Values of a wrong type, which the API's decoder would reject. */
function shapeFaults(labelSelector: Json, path: Path): readonly SelectorFault[] {
  if (!isObject(labelSelector)) return [typeFault(path, "an object")];
  const labels = own(labelSelector, "matchLabels") ?? {};
  const expressions = own(labelSelector, "matchExpressions") ?? [];
  if (!isObject(labels)) return [typeFault([...path, "matchLabels"], "an object of texts")];
  if (!isArray(expressions)) return [typeFault([...path, "matchExpressions"], "a list")];
  return [
    ...Object.entries(labels).flatMap(([key, value]) =>
      typeof value === "string" ? [] : [typeFault([...path, "matchLabels", key], "a text")],
    ),
    ...expressions.flatMap((each, index) =>
      isExpression(each)
        ? []
        : [
            typeFault(
              [...path, "matchExpressions", index],
              "a key, an operator and values, all of them texts",
            ),
          ],
    ),
  ];
}

function isExpression(expression: Json): boolean {
  const values = own(expression, "values") ?? [];
  const isText = (value: Json | undefined) => typeof value === "string";
  return (
    isText(own(expression, "key")) &&
    isText(own(expression, "operator")) &&
    isArray(values) &&
    values.every(isText)
  );
}

function operatorFault(labelSelector: Json): SelectorFault | undefined {
  const expressions = expressionsOf(labelSelector);
  const index = expressions.findIndex((each) => !operators.has(own(each, "operator")));
  return index < 0 ? undefined : badOperator(expressions[index] ?? null, ["matchExpressions", index]);
}

function badOperator(expression: Json, path: Path): SelectorFault {
  return invalid([...path, "operator"], own(expression, "operator"), "not a valid selector operator");
}

function requirementFaults(expression: Json, path: Path): readonly SelectorFault[] {
  const key = own(expression, "key") as string;
  const values = (own(expression, "values") ?? []) as readonly string[];
  return [
    ...valuesFaults(expression, values, path),
    ...labelKeyFaults(key).map((detail) => invalid([...path, "key"], key, detail)),
    ...values.flatMap((value, index) =>
      labelValueFaults(value).map((detail) => invalid([...path, "values", index], value, detail)),
    ),
  ];
}

function valuesFaults(expression: Json, values: readonly string[], path: Path): readonly SelectorFault[] {
  const at = [...path, "values"];
  switch (own(expression, "operator")) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [plain(at, "FieldValueRequired", "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [
            plain(
              at,
              "FieldValueForbidden",
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    default:
      return [badOperator(expression, path)];
  }
}

function invalid(path: Path, value: Json | undefined, detail: string): SelectorFault {
  const message = `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`;
  return { path, reason: "FieldValueInvalid", detail, message };
}

function typeFault(path: Path, expected: string): SelectorFault {
  return plain(path, "FieldValueInvalid", `must be ${expected}`);
}

function plain(path: Path, reason: SelectorFault["reason"], detail: string): SelectorFault {
  const words = {
    FieldValueInvalid: "Invalid value",
    FieldValueRequired: "Required value",
    FieldValueForbidden: "Forbidden",
  };
  return { path, reason, detail, message: `${words[reason]}: ${detail}` };
}
