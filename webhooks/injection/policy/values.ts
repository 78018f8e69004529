import { get, isArray, type Json, type JsonObject, own, type Path, set } from "antechamber";
import { parseQuantity } from "antechamber/apimachinery";
import { compileRegexp, GoFault, quote, type Regexp } from "antechamber/go";
import { objectsAt, optionalStringAt, stringAt, stringsAt } from "../../kruise/shared/read.ts";

/** A value that an annotation of the pod holds, and the fields of the policy in which it stands. */
export interface ValueRule {
  readonly name: string;
  readonly annotation: string;
  readonly type: string;
  readonly pattern?: { readonly text: string; readonly regexp: Regexp };
  /** For pods without the annotation. */
  readonly fallback?: string;
  readonly places: readonly Path[];
  /** Where it is in the policy. */
  readonly path: Path;
}

/** What is wrong with a value in a policy, and where. */
interface ValueFault {
  readonly path: Path;
  readonly value: Json | undefined;
  readonly message: string;
}

/** Reads `values` of a policy's spec. A rule with a fault is left out. */
export function readValues(spec: Json | undefined): {
  readonly rules: readonly ValueRule[];
  readonly faults: readonly ValueFault[];
} {
  const read = objectsAt(spec, "values").map((item, index) =>
    readValue(item, ["spec", "values", index], spec),
  );
  return {
    rules: read.flatMap(({ rule, faults }) => (faults.length === 0 ? [rule] : [])),
    faults: read.flatMap(({ faults }) => faults),
  };
}

/** Why a text is not a value of a rule; undefined if it is one. */
function valueFault(
  { type, pattern }: Pick<ValueRule, "type" | "pattern">,
  text: string,
): string | undefined {
  if (!isOfType(type, text)) return `is not ${nouns[type] ?? type}`;
  if (pattern !== undefined && !pattern.regexp.isFoundIn(text))
    return `does not match the pattern ${pattern.text}`;
  return undefined;
}

/** The spec with texts at the places of rules. */
export function withValues(
  spec: JsonObject,
  values: readonly { readonly rule: ValueRule; readonly text: string }[],
): JsonObject {
  const replaced = (value: Json, [step, ...rest]: Path, text: string): Json => {
    if (step === undefined) return text;
    if (typeof step === "number") {
      return isArray(value)
        ? value.map((item, index) => (index === step ? replaced(item, rest, text) : item))
        : value;
    }
    const object = (value ?? {}) as JsonObject;
    return set(object, step, replaced(own(object, step) ?? {}, rest, text));
  };
  return values.reduce<JsonObject>(
    (here, { rule, text }) =>
      rule.places.reduce((spec, place) => replaced(spec, place, text) as JsonObject, here),
    spec,
  );
}

interface ReadValue {
  readonly rule: ValueRule;
  readonly faults: readonly ValueFault[];
}

function readValue(item: JsonObject, path: Path, spec: Json | undefined): ReadValue {
  const [type, pattern] = [stringAt(item, "type"), optionalStringAt(item, "pattern")];
  const fallback = optionalStringAt(item, "default");
  const compiled = pattern === undefined ? undefined : compiledWhole(pattern);
  const faults: ValueFault[] = [];
  const fault = (key: string | readonly [string, number], value: Json | undefined, message: string) =>
    faults.push({ path: [...path, ...(typeof key === "string" ? [key] : key)], value, message });
  if (compiled instanceof GoFault) fault("pattern", pattern, `invalid pattern: ${compiled.message}`);
  const places = stringsAt(item, "fields").flatMap((text, index) => {
    const place = placeOf(text, spec);
    if ("fault" in place) fault(["fields", index], text, place.fault);
    else if (place.isAmount && type !== "quantity") {
      fault(["fields", index], text, "is an amount, in which only a value of type quantity may stand");
    } else return [place.path];
    return [];
  });
  const rule: ValueRule = {
    name: stringAt(item, "name"),
    annotation: stringAt(item, "annotation"),
    type,
    ...(pattern === undefined || compiled === undefined || compiled instanceof GoFault
      ? {}
      : { pattern: { text: pattern, regexp: compiled } }),
    ...(fallback === undefined ? {} : { fallback }),
    places,
    path,
  };
  const wrong = fallback === undefined ? undefined : valueFault(rule, fallback);
  if (wrong !== undefined) fault("default", fallback, wrong);
  return { rule, faults };
}

/** The pattern for a whole text. On its own it must be one too: `)(` is none. */
function compiledWhole(pattern: string): Regexp | GoFault {
  const alone = compileRegexp(pattern);
  return alone instanceof GoFault ? alone : compileRegexp(`^(?:${pattern})$`);
}

const nouns: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  boolean: "true or false",
  quantity: "a quantity, such as 500m or 2Gi",
};

function isOfType(type: string, text: string): boolean {
  switch (type) {
    case "string":
      return true;
    case "integer":
      return /^[-+]?\d{1,18}$/.test(text);
    case "boolean":
      return text === "true" || text === "false";
    case "quantity":
      return parseQuantity(text) !== undefined;
    default:
      return false;
  }
}

// Fields that hold a string, and that do not decide what the pod may do on its node.
const container =
  /^(?:image|imagePullPolicy|workingDir|args\[\]|command\[\]|env\[\]\.value|volumeMounts\[\]\.(?:mountPath|subPath)|resources\.(?:limits|requests)\.[^[\]]+)$/;
const others =
  /^(?:volumes\[\]\.(?:secret\.secretName|configMap\.name|emptyDir\.sizeLimit)|app\.(?:env\[\]\.value|volumeMounts\[\]\.(?:mountPath|subPath)))$/;

type Place = { readonly path: Path; readonly isAmount: boolean } | { readonly fault: string };

/** The path below spec of a field such as `containers[proxy].env[LEVEL].value`; items are named by their name, args by index. */
function placeOf(text: string, spec: Json | undefined): Place {
  const general = text.replaceAll(/\[[^[\]]*\]/g, "[]");
  const inContainer = /^(?:initC|c)ontainers\[\]\.(.*)$/s.exec(general)?.[1];
  if (!(inContainer === undefined ? others.test(general) : container.test(inContainer))) {
    return { fault: "is not a field in which a value may stand" };
  }
  const path: (string | number)[] = [];
  let here = spec;
  // A resource may have dots in its name, as example.com/gpu.
  const [, before = "", resource] = /^(.*\.(?:limits|requests)\.)(.+)$/s.exec(text) ?? [undefined, text];
  for (const [, key = "", item] of before.matchAll(/([^.[\]]+)(?:\[([^[\]]*)\])?/g)) {
    path.push(key);
    here = own(here, key);
    if (item === undefined) continue;
    const index = indexOf(here, item);
    if (index === undefined) return { fault: `there is no ${key}[${item}]` };
    path.push(index);
    here = isArray(here) ? here[index] : undefined;
  }
  return {
    path: resource === undefined ? path : [...path, resource],
    isAmount: resource !== undefined || general.endsWith(".sizeLimit"),
  };
}

function indexOf(list: Json | undefined, item: string): number | undefined {
  if (!isArray(list)) return undefined;
  const index = list.findIndex((each, at) =>
    typeof each === "string" ? String(at) === item : get(each, "name") === item,
  );
  return index < 0 ? undefined : index;
}

/** The value of a rule for a pod: of its annotation, else the default; undefined if there is neither. */
export function textFor(
  { annotation, fallback }: ValueRule,
  annotations: Json | undefined,
): string | undefined {
  return optionalStringAt(annotations, annotation) ?? fallback;
}

/** Why a pod's annotation does not hold a value of a rule, as a sentence. */
export function annotationFault(rule: ValueRule, text: string): string | undefined {
  const fault = valueFault(rule, text);
  return fault === undefined
    ? undefined
    : `annotation ${rule.annotation} of the pod is ${quote(text.slice(0, 100))}, which ${fault}`;
}
