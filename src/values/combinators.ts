import { equal } from "../json/equal.ts";
import { isNumber, toDouble } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";

// `allOf`, `anyOf` and `oneOf` of a structural schema say more of values that the schema describes elsewhere: an enumeration
// for a field of a field, or what is required beside it. A maker of values needs to read all that at the value's own schema.

/** Schemas of which one holds. */
type Alternatives = readonly JsonObject[];

/** The most alternatives that are kept of one combinator, and of all combinators of a schema together. */
const most = 16;

/**
 * A schema with the same meaning for the drawing of values: what combinators say of a field or of items stands at the
 * schema of that field or these items. `not` and `required` stay where they are. The result is not larger
 * than the schema.
 */
export function settled(schema: JsonObject): JsonObject {
  return settle(schema, []);
}

function settle(schema: JsonObject, given: readonly Alternatives[]): JsonObject {
  const { allOf: _, anyOf: __, oneOf: ___, ...own } = schema;
  const { properties, items, additionalProperties, ...plain } = own;
  const groups = [...given, ...groupsOf(schema)];
  let here: JsonObject = plain;
  const choices: JsonObject[] = [];
  for (const group of groups) {
    const own = distinct(group.map(withoutBelow));
    const [only] = own;
    if (own.length === 1 && only !== undefined) here = both(here, only);
    else if (own.some((each) => !saysOnlyType(each))) choices.push({ anyOf: own });
  }
  const below = (name: string, inner: Json): Json =>
    isObject(inner) ? settle(inner, groupsBelow(groups, "properties", name)) : inner;
  const inside = (name: string, inner: Json | undefined): JsonObject =>
    inner === undefined ? {} : { [name]: isObject(inner) ? settle(inner, groupsBelow(groups, name)) : inner };
  const fields = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, below(name, inner)]))
    : undefined;
  return {
    ...here,
    ...(choices.length === 0 ? {} : { allOf: choices }),
    ...(fields === undefined ? {} : { properties: fields }),
    ...inside("items", items),
    ...inside("additionalProperties", additionalProperties),
  };
}

const knownBranches = new WeakMap<JsonObject, readonly JsonObject[]>();

/** A schema in all ways in which its combinators can be met, the first one first; the schema itself if it has none. */
export function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const { allOf, anyOf, oneOf, ...plain } = schema;
  if (![allOf, anyOf, oneOf].some(isArray)) return [schema];
  const known = knownBranches.get(schema);
  if (known !== undefined) return known;
  const made = groupsOf(schema).reduce<readonly JsonObject[]>(
    (branches, group) => branches.flatMap((branch) => group.map((each) => both(branch, each))).slice(0, most),
    [plain],
  );
  knownBranches.set(schema, made);
  return made;
}

/** What the combinators of a schema demand: of each group one. */
function groupsOf(schema: JsonObject): readonly Alternatives[] {
  const listed = (name: string) => {
    const list = get(schema, name);
    return isArray(list) ? list.filter(isObject) : [];
  };
  const chosen = ["anyOf", "oneOf"].map((name) => listed(name).flatMap(waysOf).slice(0, most));
  return [...listed("allOf").map(waysOf), ...chosen].filter((group) => group.length > 0);
}

/** A schema's meaning as alternatives without combinators. */
function waysOf(schema: JsonObject): Alternatives {
  const { allOf: _, anyOf: __, oneOf: ___, ...plain } = schema;
  return groupsOf(schema).reduce<Alternatives>(
    (ways, group) => ways.flatMap((way) => group.map((each) => both(way, each))).slice(0, most),
    [plain],
  );
}

/** What alternatives say of a field or of items. One that says nothing admits everything, and comes last. */
function groupsBelow(groups: readonly Alternatives[], ...path: readonly string[]): readonly Alternatives[] {
  return groups.flatMap((group) => {
    const said = group.map((each) => get(each, ...path)).filter(isObject);
    if (said.length === 0) return [];
    const ways = distinct(said.flatMap(waysOf)).slice(0, most);
    return [said.length < group.length ? [...ways, {}] : ways];
  });
}

function withoutBelow(schema: JsonObject): JsonObject {
  const { properties: _, items: __, ...own } = schema;
  return own;
}

/** As `anyOf: [{type: integer}, {type: string}]` beside `x-kubernetes-int-or-string`. */
function saysOnlyType(schema: JsonObject): boolean {
  return Object.keys(schema).every((name) => name === "type");
}

function distinct(schemas: Alternatives): Alternatives {
  return schemas.filter((each, index) => schemas.findIndex((other) => equal(each, other)) === index);
}

/** One schema that demands what two do. */
function both(a: JsonObject, b: JsonObject): JsonObject {
  return Object.entries(b).reduce((made, [name, value]) => {
    const old = get(made, name);
    return set(made, name, old === undefined ? value : (joined[name]?.(old, value) ?? old));
  }, a);
}

const joined: Readonly<Record<string, (a: Json, b: Json) => Json>> = {
  enum: (a, b) => (isArray(a) && isArray(b) ? a.filter((each) => b.some((other) => equal(each, other))) : a),
  required: (a, b) => (isArray(a) && isArray(b) ? [...a, ...b.filter((each) => !a.includes(each))] : a),
  properties: (a, b) => (isObject(a) && isObject(b) ? fieldsOfBoth(a, b) : a),
  items: belowBoth,
  minimum: higher,
  minLength: higher,
  minItems: higher,
  minProperties: higher,
  maximum: lower,
  maxLength: lower,
  maxItems: lower,
  maxProperties: lower,
  // Of two patterns the one of the combinator is the narrower one as a rule; the validation knows both.
  pattern: (_, b) => b,
  format: (_, b) => b,
};

function fieldsOfBoth(a: JsonObject, b: JsonObject): JsonObject {
  return Object.entries(b).reduce((made, [name, value]) => {
    const old = get(made, name);
    return set(made, name, old === undefined ? value : belowBoth(old, value));
  }, a);
}

function belowBoth(a: Json, b: Json): Json {
  return isObject(a) && isObject(b) ? both(a, b) : a;
}

function higher(a: Json, b: Json): Json {
  return isNumber(a) && isNumber(b) && toDouble(b) > toDouble(a) ? b : a;
}

function lower(a: Json, b: Json): Json {
  return isNumber(a) && isNumber(b) && toDouble(b) < toDouble(a) ? b : a;
}
