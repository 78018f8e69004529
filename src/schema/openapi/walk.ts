import { GoFault } from "../../go/fault.ts";
import { isInt64 } from "../../go/json.ts";
import { compileRegexp } from "../../go/regexp.ts";
import { quote, runeCount } from "../../go/text.ts";
import { toDouble } from "../../json/exact.ts";
import {
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from "../../json/json.ts";
import type { Correlation } from "../correlation.ts";
import { invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "../fault.ts";
import { formatOf } from "../format/format.ts";
import type { Schema } from "../model.ts";
import { isOneOf, printedEnum } from "./enum.ts";
import { junctorsOf } from "./junctors.ts";
import { faultsOfNumber, isJsonInteger } from "./number.ts";
import {
  additional as additionalSpot,
  type Draft,
  draft,
  fieldOf,
  indexed,
  isRoot,
  merge,
  nameOf,
  type Outcome,
  property,
  type Spot,
  should,
  wrongType,
} from "./outcome.ts";

/**
 * Checks a value against a schema as kube-openapi does (pkg/validation/validate), check by check in its order; what is
 * wrong with a value that did not change since is no fault. Siblings come in the order of the schema, which is random there.
 */
export type Walk = (value: Json, spot: Spot, correlation?: Correlation) => Outcome;

/** How a schema is read: a default is checked by the schema as it is written, an object by one made fit (see fitted). */
export type Reading = "object" | "default";

/** Compiles the walk of a schema. */
export function walkOf(schema: Schema, reading: Reading = "object"): Walk {
  const types = typesOf(schema, reading);
  const format = reading === "object" ? fittingFormat(schema, types) : schema.format;
  const checks: Check[] = [
    ...(types.length > 0 || format !== "" ? [typeCheck(types, format)] : []),
    junctorsOf(schema, (branch) => walkOf(branch, reading)),
    textCheck(schema),
    formatCheck(format),
    numberCheck({ ...schema, format }, types),
    listCheck(schema, reading),
    enumCheck(schema),
    objectCheck(schema, reading),
  ].filter((check) => check !== undefined);
  const walk: Walk = (value, spot, correlation) => {
    const result = draft();
    if (value === null) {
      checkNull(schema, types, spot, result);
      return result;
    }
    for (const check of checks) {
      if (check.of === undefined || check.of(value)) {
        check.run(value, spot, result, correlation);
        result.matches++;
      }
    }
    result.matches++;
    return result;
  };
  return (value, spot, correlation) => {
    const result = walk(value, spot, correlation);
    if (result.faults.length === 0 || correlation?.isUnchanged !== true) return result;
    return { faults: [], matches: result.matches };
  };
}

/** One of the checks of a schema, and of which values it is one; of all where it does not say. */
export interface Check {
  readonly of?: (value: Json) => boolean;
  readonly run: (value: Json, spot: Spot, to: Draft, correlation: Correlation | undefined) => void;
}

/** The types that a value may have. */
function typesOf({ type, intOrString }: Schema, reading: Reading): readonly string[] {
  if (intOrString && reading === "object") return ["integer", "string"];
  return type === "" ? [] : [type];
}

/** A format counts only where the API server knows it for the type (apiextensions, validation/formats.go). */
function fittingFormat({ format }: Schema, types: readonly string[]): string {
  const type = types.length === 1 ? types[0] : "";
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  if (type === "number") return format === "float" || format === "double" ? format : "";
  return (type === "" || type === "string") && formatOf(format) !== undefined ? format : "";
}

function checkNull(schema: Schema, types: readonly string[], spot: Spot, to: Draft): void {
  if (types.length > 0 && !schema.nullable && !types.includes("null")) {
    to.faults.push(wrongType(spot, types.join(","), "null"));
  } else to.matches++;
  if (schema.enum.length > 0) to.faults.push(notSupported(fieldOf(spot), null, printedEnum(schema.enum)));
}

function typeCheck(types: readonly string[], format: string): Check {
  const numeric = types.includes("number") || types.includes("integer");
  return {
    run(value, spot, to) {
      const [type, found] = typeOf(value);
      const isListOrText = type === "string" || type === "array";
      const isAlike =
        types.includes(type) ||
        (type === "number" && types.includes("integer") && isJsonInteger(toDouble(value as number))) ||
        (type === "integer" && types.includes("number"));
      if (!isListOrText && format !== "" && !isAlike && found !== format) {
        to.faults.push(wrongType(spot, format, found));
      } else if (!isAlike && !(isListOrText && format !== "" && !numeric)) {
        to.faults.push(wrongType(spot, types.join(","), type));
      } else to.matches++;
    },
  };
}

/** The type of a value, and what format a number of Go's has. */
function typeOf(value: Json): readonly [type: string, format: string] {
  if (typeof value === "string") return ["string", ""];
  if (typeof value === "boolean") return ["boolean", ""];
  if (isNumber(value)) return isInt64(value) ? ["integer", "int64"] : ["number", "float64"];
  return isArray(value) ? ["array", ""] : ["object", ""];
}

function isNumber(value: Json) {
  return typeof value === "number" || isExactNumber(value);
}

function isText(value: Json) {
  return typeof value === "string";
}

/** The first thing that is wrong with a text. */
function textCheck({ maxLength, minLength, pattern }: Schema): Check {
  const compiled = pattern === "" ? undefined : compileRegexp(pattern);
  return {
    of: isText,
    run(value, spot, to) {
      const text = value as string;
      const length = maxLength === undefined && minLength === undefined ? 0 : runeCount(text);
      if (maxLength !== undefined && length > maxLength) to.faults.push(tooLong(fieldOf(spot), maxLength));
      else if (minLength !== undefined && length < minLength) {
        to.faults.push(should(spot, quote(text), `be at least ${minLength} chars long`));
      } else if (compiled instanceof GoFault) {
        to.faults.push(
          should(spot, quote(text), `match '${pattern}, but pattern is invalid: ${compiled.message}'`),
        );
      } else if (compiled !== undefined && !compiled.isFoundIn(text)) {
        to.faults.push(should(spot, quote(text), `match '${pattern}'`));
      }
    },
  };
}

function formatCheck(format: string): Check | undefined {
  const isValid = format === "" ? undefined : formatOf(format);
  if (isValid === undefined) return undefined;
  return {
    of: isText,
    run(value, spot, to) {
      const text = value as string;
      if (isValid(text)) return;
      const sentence = `${nameOf(spot)} in body must be of type ${format}: ${quote(text)}`;
      to.faults.push(typeInvalid(fieldOf(spot), text, sentence));
    },
  };
}

function numberCheck(schema: Schema, types: readonly string[]): Check {
  return {
    of: isNumber,
    run(value, spot, to) {
      for (const fault of faultsOfNumber(value as number, schema, types, spot)) to.faults.push(fault);
      to.matches++;
    },
  };
}

function listCheck({ items, minItems, maxItems }: Schema, reading: Reading): Check {
  const walk = items === undefined ? undefined : walkOf(items, reading);
  return {
    of: isArray,
    run(value, spot, to, correlation) {
      const list = value as JsonArray;
      for (const [index, item] of walk === undefined ? [] : list.entries()) {
        merge(to, (walk as Walk)(item, indexed(spot, index), correlation?.index(index)));
      }
      if (minItems !== undefined && list.length < minItems) {
        to.faults.push(should(spot, String(list.length), `have at least ${minItems} items`));
      }
      if (maxItems !== undefined && list.length > maxItems) {
        to.faults.push(tooMany(fieldOf(spot), list.length, maxItems));
      }
      to.matches++;
    },
  };
}

function enumCheck({ enum: known }: Schema): Check {
  const printed = printedEnum(known);
  return {
    run(value, spot, to) {
      if (known.length > 0 && !isOneOf(value, known))
        to.faults.push(notSupported(fieldOf(spot), value, printed));
    },
  };
}

function objectCheck(schema: Schema, reading: Reading): Check {
  const { properties, additional, allowsAdditional, minProperties, maxProperties } = schema;
  const walks = new Map([...properties].map(([name, below]) => [name, walkOf(below, reading)]));
  const other = additional && walkOf(additional, reading);
  return {
    of: isObject,
    run(value, spot, to, correlation) {
      const object = value as JsonObject;
      const keys = Object.keys(object);
      const below = (key: string) =>
        isRoot(spot) && (key === "kind" || key === "apiVersion") ? undefined : correlation?.key(key);
      if (minProperties !== undefined && keys.length < minProperties) {
        to.faults.push(should(spot, String(keys.length), `have at least ${minProperties} properties`));
      }
      if (maxProperties !== undefined && keys.length > maxProperties) {
        to.faults.push(tooMany(fieldOf(spot), keys.length, maxProperties));
      }
      for (const key of allowsAdditional === undefined ? [] : keys.filter((each) => !walks.has(each))) {
        if (!allowsAdditional) {
          to.faults.push(
            invalid(fieldOf(spot), key, `${nameOf(spot)}.${key} in body is a forbidden property`),
          );
        } else if (other !== undefined) {
          merge(to, other(object[key] as Json, additionalSpot(spot, key), below(key)));
        }
      }
      for (const [key, walk] of walks) {
        if (Object.hasOwn(object, key)) merge(to, walk(object[key] as Json, property(spot, key), below(key)));
      }
      for (const key of schema.required) {
        if (!Object.hasOwn(object, key)) to.faults.push(required(fieldOf(additionalSpot(spot, key))));
      }
    },
  };
}
