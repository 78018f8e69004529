import { GoFault } from "../../go/fault.ts";
import { isInt64 } from "../../go/json.ts";
import { compileRegexp } from "../../go/regexp.ts";
import { quote, runeCount } from "../../go/text.ts";
import { isNumber, toDouble } from "../../json/exact.ts";
import { isArray, isObject, type Json, ownField } from "../../json/json.ts";
import { formatOf, isFormatOf } from "../format/format.ts";
import { invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "../model/fault.ts";
import type { Correlation } from "../model/ratcheting.ts";
import type { Schema } from "../model/schema.ts";
import { combinatorsOf } from "./combinators.ts";
import { isOneOf, printedEnum } from "./enum.ts";
import { faultsOfNumber, isJsonInteger } from "./number.ts";
import {
  additional as additionalSpot,
  type Check,
  type Draft,
  draft,
  fieldOf,
  indexed,
  isRoot,
  type Location,
  merge,
  nameOf,
  property,
  type SchemaValidator,
  should,
  wrongType,
} from "./outcome.ts";

/** How a schema is read: a default is checked by the schema as it is written, an object by one whose format fits its type. */
type Purpose = "object" | "default";

/** Compiles the validator of a schema. */
export function schemaValidatorOf(schema: Schema, purpose: Purpose = "object"): SchemaValidator {
  const types = typesOf(schema, purpose);
  const format = purpose === "object" ? fittingFormat(schema, types) : schema.format;
  const checks: Check[] = [
    ...(types.length > 0 || format !== "" ? [typeCheck(types, format)] : []),
    combinatorsOf(schema, (branch) => schemaValidatorOf(branch, purpose)),
    textCheck(schema),
    formatCheck(format),
    numberCheck({ ...schema, format }, types),
    listCheck(schema, purpose),
    enumCheck(schema),
    objectCheck(schema, purpose),
  ].filter((check) => check !== undefined);
  const walk: SchemaValidator = (value, location, correlation) => {
    const result = draft();
    if (value === null) {
      checkNull(schema, types, location, result);
      return result;
    }
    for (const check of checks) check(value, location, result, correlation);
    result.matches++;
    return result;
  };
  return (value, location, correlation) => {
    const result = walk(value, location, correlation);
    if (result.faults.length === 0 || correlation?.isUnchanged !== true) return result;
    return { faults: [], matches: result.matches };
  };
}

/** The types that a value may have. */
function typesOf({ type, intOrString }: Schema, purpose: Purpose): readonly string[] {
  if (intOrString && purpose === "object") return ["integer", "string"];
  return type === "" ? [] : [type];
}

/** A format counts only where the API server knows it for the type (apiextensions, validation/formats.go). */
function fittingFormat({ format }: Schema, types: readonly string[]): string {
  const [type = "", second] = types;
  return isFormatOf(second === undefined ? type : "", format) ? format : "";
}

function checkNull(schema: Schema, types: readonly string[], location: Location, to: Draft): void {
  if (types.length > 0 && !schema.nullable && !types.includes("null")) {
    to.faults.push(wrongType(location, types.join(","), "null"));
  } else to.matches++;
  if (schema.enum.length > 0) to.faults.push(notSupported(fieldOf(location), null, printedEnum(schema.enum)));
}

function typeCheck(types: readonly string[], format: string): Check {
  const numeric = types.includes("number") || types.includes("integer");
  return checking(isAny, (value, location, to) => {
    const [type, found] = typeOf(value);
    const isListOrText = type === "string" || type === "array";
    const isAlike =
      types.includes(type) ||
      (type === "number" && types.includes("integer") && isNumber(value) && isJsonInteger(toDouble(value))) ||
      (type === "integer" && types.includes("number"));
    if (!isListOrText && format !== "" && !isAlike && found !== format) {
      to.faults.push(wrongType(location, format, found));
    } else if (!isAlike && !(isListOrText && format !== "" && !numeric)) {
      to.faults.push(wrongType(location, types.join(","), type));
    } else to.matches++;
  });
}

/** The type of a value, and what format a number of Go's has. */
function typeOf(value: Json): readonly [type: string, format: string] {
  if (typeof value === "string") return ["string", ""];
  if (typeof value === "boolean") return ["boolean", ""];
  if (isNumber(value)) return isInt64(value) ? ["integer", "int64"] : ["number", "float64"];
  return isArray(value) ? ["array", ""] : ["object", ""];
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

function isAny(_value: Json): _value is Json {
  return true;
}

/** A check of values of one type, which passes over all others. */
function checking<T extends Json>(
  isOne: (value: Json) => value is T,
  run: (value: T, location: Location, to: Draft, correlation: Correlation | undefined) => void,
): Check {
  return (value, location, to, correlation) => {
    if (!isOne(value)) return;
    run(value, location, to, correlation);
    to.matches++;
  };
}

/** The first thing that is wrong with a text. */
function textCheck({ maxLength, minLength, pattern }: Schema): Check {
  const compiled = pattern === "" ? undefined : compileRegexp(pattern);
  return checking(isText, (text, location, to) => {
    const length = maxLength === undefined && minLength === undefined ? 0 : runeCount(text);
    if (maxLength !== undefined && length > maxLength) to.faults.push(tooLong(fieldOf(location), maxLength));
    else if (minLength !== undefined && length < minLength) {
      to.faults.push(should(location, quote(text), `be at least ${minLength} chars long`));
    } else if (compiled instanceof GoFault) {
      to.faults.push(
        should(location, quote(text), `match '${pattern}, but pattern is invalid: ${compiled.message}'`),
      );
    } else if (compiled !== undefined && !compiled.isFoundIn(text)) {
      to.faults.push(should(location, quote(text), `match '${pattern}'`));
    }
  });
}

function formatCheck(format: string): Check | undefined {
  const isValid = format === "" ? undefined : formatOf(format);
  if (isValid === undefined) return undefined;
  return checking(isText, (text, location, to) => {
    if (isValid(text)) return;
    const sentence = `${nameOf(location)} in body must be of type ${format}: ${quote(text)}`;
    to.faults.push(typeInvalid(fieldOf(location), text, sentence));
  });
}

function numberCheck(schema: Schema, types: readonly string[]): Check {
  return checking(isNumber, (value, location, to) => {
    for (const fault of faultsOfNumber(value, schema, types, location)) to.faults.push(fault);
    to.matches++;
  });
}

function listCheck({ items, minItems, maxItems }: Schema, purpose: Purpose): Check {
  const validate = items === undefined ? undefined : schemaValidatorOf(items, purpose);
  return checking(isArray, (list, location, to, correlation) => {
    if (validate !== undefined) {
      for (const [index, item] of list.entries())
        merge(to, validate(item, indexed(location, index), correlation?.index(index)));
    }
    if (minItems !== undefined && list.length < minItems) {
      to.faults.push(should(location, String(list.length), `have at least ${minItems} items`));
    }
    if (maxItems !== undefined && list.length > maxItems) {
      to.faults.push(tooMany(fieldOf(location), list.length, maxItems));
    }
    to.matches++;
  });
}

function enumCheck({ enum: known }: Schema): Check {
  const printed = printedEnum(known);
  return checking(isAny, (value, location, to) => {
    if (known.length > 0 && !isOneOf(value, known))
      to.faults.push(notSupported(fieldOf(location), value, printed));
  });
}

function objectCheck(schema: Schema, purpose: Purpose): Check {
  const { properties, additional, allowsAdditional, minProperties, maxProperties } = schema;
  const fields = new Map([...properties].map(([name, below]) => [name, schemaValidatorOf(below, purpose)]));
  const other = additional && schemaValidatorOf(additional, purpose);
  return checking(isObject, (object, location, to, correlation) => {
    const keys = Object.keys(object);
    const below = (key: string) =>
      isRoot(location) && (key === "kind" || key === "apiVersion") ? undefined : correlation?.key(key);
    if (minProperties !== undefined && keys.length < minProperties) {
      to.faults.push(should(location, String(keys.length), `have at least ${minProperties} properties`));
    }
    if (maxProperties !== undefined && keys.length > maxProperties) {
      to.faults.push(tooMany(fieldOf(location), keys.length, maxProperties));
    }
    const entries = allowsAdditional === undefined ? [] : Object.entries(object);
    for (const [key, value] of entries.filter(([each]) => !fields.has(each))) {
      if (!allowsAdditional) {
        to.faults.push(
          invalid(fieldOf(location), key, `${nameOf(location)}.${key} in body is a forbidden property`),
        );
      } else if (other !== undefined) {
        merge(to, other(value, additionalSpot(location, key), below(key)));
      }
    }
    for (const [key, validate] of fields) {
      const value = ownField(object, key);
      if (value !== undefined) merge(to, validate(value, property(location, key), below(key)));
    }
    for (const key of schema.required) {
      if (!Object.hasOwn(object, key)) to.faults.push(required(fieldOf(additionalSpot(location, key))));
    }
  });
}
