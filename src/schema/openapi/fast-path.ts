import { createRequire } from "node:module";
import type { AnySchemaObject, FuncKeywordDefinition } from "ajv";
import { GoFault } from "../../go/fault.ts";
import { compileRegexp } from "../../go/regexp.ts";
import type { Json } from "../../json/json.ts";
import { formatOf } from "../format/format.ts";
import { root } from "../model/place.ts";
import { childrenOf, readSchema, type Schema } from "../model/schema.ts";
import { isWithin, numberBounds } from "./fast-path-numbers.ts";
import { locationAt, type SchemaValidator } from "./outcome.ts";
import { schemaValidatorOf } from "./validate.ts";

/** Whether a value is certainly valid; where it is not certain, the validator decides. */
type FastPath = (value: Json) => boolean;

/**
 * Compiles the fast path that most objects take: keywords that ajv has are checked by ajv, translated so that whatever
 * passes is valid to the API server as well; all others are checked by our own validator.
 */
export function fastPathOf(schema: Schema): FastPath {
  const walks: SchemaValidator[] = [];
  const translation = translated(schema, walks);
  const walked: FuncKeywordDefinition = {
    keyword: "walked",
    validate: (index: number, value: Json) => walks[index]?.(value, locationAt(root)).faults.length === 0,
    errors: false,
  };
  const { Ajv } = load("ajv") as typeof import("ajv");
  const ajv = new Ajv({
    strict: false,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    messages: false,
    logger: false,
    // What ajv optimises in its code, V8 does as well: it takes half of the time and the checks are no faster for it.
    code: { regExp: engine, optimize: false },
    formats: Object.fromEntries(formatNames(schema).map((name) => [name, formatOf(name) ?? true])),
    keywords: [walked],
  });
  try {
    return ajv.compile(translation);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    // The process may not generate code from strings, which ajv needs: the validator decides everything.
    return () => false;
  }
}

/** Loaded by the first fast path: most commands end without one, and ajv is sixty files. */
const load = createRequire(import.meta.url);

/** Patterns are RE2's, in time linear in the text. */
function engine(source: string): RegExp {
  const pattern = compileRegexp(source);
  const test = (text: string) => !(pattern instanceof GoFault) && pattern.isFoundIn(text);
  return { test, toString: () => source } as RegExp;
}
engine.code = "re2";

function translated(schema: Schema, walks: SchemaValidator[]): AnySchemaObject {
  const walk = (node: Schema) => ({ walked: walks.push(schemaValidatorOf(node)) - 1 });
  if (isForeign(schema)) return walk(schema);
  const hasCombinator =
    schema.not !== undefined || [schema.allOf, schema.anyOf, schema.oneOf].some(({ length }) => length > 0);
  return {
    ...typeOf(schema),
    ...numberBounds(schema),
    ...texts(schema),
    ...(schema.enum.length > 0 ? { enum: schema.enum } : {}),
    ...lists(schema, walks),
    ...objects(schema, walks),
    ...(hasCombinator ? walk(combinatorsAlone(schema)) : {}),
  };
}

/** Whether a node has what ajv has no keyword for, or understands otherwise. */
function isForeign(schema: Schema): boolean {
  const { type, format, properties, required, intOrString } = schema;
  const sizes = [
    schema.maxLength,
    schema.minLength,
    schema.maxItems,
    schema.minItems,
    schema.maxProperties,
    schema.minProperties,
  ];
  return (
    sizes.some((size) => size !== undefined && size < 0) ||
    // A number that no double holds looks like an object to ajv: a key of that name is refused there.
    [...properties.keys(), ...required].some((key) => key in Object.prototype || key === "rawJSON") ||
    !schema.enum.every((value) => typeof value === "string" || typeof value === "boolean" || isSafe(value)) ||
    (format !== "" && type === "" && !intOrString) ||
    (schema.pattern !== "" && compileRegexp(schema.pattern) instanceof GoFault) ||
    !isWithin(schema)
  );
}

function isSafe(value: Json): boolean {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function typeOf({ type, intOrString, nullable, enum: known }: Schema): AnySchemaObject {
  const types = intOrString ? ["integer", "string"] : type === "" ? [] : [type];
  if (types.length === 0) return {};
  // Null is never one of an enum (validate.Enum).
  return { type: nullable && known.length === 0 ? [...types, "null"] : types };
}

function texts(schema: Schema): AnySchemaObject {
  const { maxLength, minLength, pattern } = schema;
  return {
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(pattern === "" ? {} : { pattern }),
    ...(hasTextFormat(schema) ? { format: schema.format } : {}),
  };
}

/** Whether a node has a format of texts, which ajv checks of texts alone, as the API server does. */
function hasTextFormat({ type, intOrString, format }: Schema): boolean {
  return (type === "string" || intOrString) && formatOf(format) !== undefined;
}

function lists({ items, maxItems, minItems }: Schema, walks: SchemaValidator[]): AnySchemaObject {
  return {
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(minItems === undefined ? {} : { minItems }),
    ...(items === undefined ? {} : { items: translated(items, walks) }),
  };
}

function objects(schema: Schema, walks: SchemaValidator[]): AnySchemaObject {
  const {
    type,
    intOrString,
    properties,
    additional,
    allowsAdditional,
    required,
    maxProperties,
    minProperties,
  } = schema;
  if (intOrString || (type !== "" && type !== "object")) return {};
  const fields = [...properties].map(([key, below]) => [key, translated(below, walks)] as const);
  const other = additional === undefined ? allowsAdditional : translated(additional, walks);
  return {
    properties: Object.fromEntries([...fields, ["rawJSON", false]]),
    ...(required.length > 0 ? { required } : {}),
    ...(maxProperties === undefined ? {} : { maxProperties }),
    ...(minProperties === undefined ? {} : { minProperties }),
    ...(other === undefined || other === true ? {} : { additionalProperties: other }),
  };
}

function combinatorsAlone({ allOf, anyOf, oneOf, not }: Schema): Schema {
  return { ...readSchema({ nullable: true }), allOf, anyOf, oneOf, not };
}

function formatNames(schema: Schema): readonly string[] {
  const own = hasTextFormat(schema) ? [schema.format] : [];
  return [...own, ...childrenOf(schema).flatMap(formatNames)];
}
