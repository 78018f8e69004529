import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import type { SchemaCause } from "../../schema/index.ts";
import { leastOf, requiredOf } from "./least.ts";
import { schemaAt, valueAt, withValue } from "./place-values.ts";
import type { RevisionVersion } from "./revision.ts";

/** How often an object is changed, and how many changes are tried each time: more helps rarely. */
const mostRounds = 12;
const mostRemedies = 80;
const mostJudged = 400;

/**
 * The object, changed until all of some versions accept it: required fields added, values that are at fault replaced or removed, fields
 * that a rule names set. What is at the pinned path stays. Undefined if that does not succeed in a few rounds.
 */
export function mended(
  versions: readonly RevisionVersion[],
  object: JsonObject,
  pinned: Path = [],
  budget = { judged: mostJudged },
): JsonObject | undefined {
  let here = object;
  let causes = faultsOf(versions, here);
  for (let round = 0; round < mostRounds && causes.length > 0; round++) {
    const better = bestOf(versions, remediesOf(here, causes, pinned, budget), weightOf(causes));
    if (better === undefined) return undefined;
    ({ object: here, causes } = better);
  }
  return causes.length === 0 ? here : undefined;
}

/** A cause, with the schema of the version that found it. */
interface Fault extends SchemaCause {
  readonly schema: JsonObject;
}

function faultsOf(versions: readonly RevisionVersion[], object: JsonObject): readonly Fault[] {
  return versions.flatMap((version) =>
    causesOf(version, object).map((cause) => ({ ...cause, schema: version.schema })),
  );
}

/** What is wrong with an object, its status included. */
export function causesOf(
  { compiled, hasStatus }: RevisionVersion,
  object: JsonObject,
): readonly SchemaCause[] {
  const { causes } = compiled.validate(object);
  if (!hasStatus || object.status === undefined) return causes;
  const status = compiled.validate(object, set(object, "status", undefined), { subresource: "status" });
  return [...causes, ...status.causes];
}

interface Mending {
  readonly object: JsonObject;
  readonly causes: readonly Fault[];
}

/** The remedy after which least is wrong; undefined if none makes it better. */
function bestOf(
  versions: readonly RevisionVersion[],
  remedies: Iterable<JsonObject>,
  weight: number,
): Mending | undefined {
  let best: Mending | undefined;
  let least = weight;
  for (const object of remedies) {
    const causes = faultsOf(versions, object);
    if (weightOf(causes) >= least) continue;
    best = { object, causes };
    least = weightOf(causes);
    if (least === 0) return best;
  }
  return best;
}

/** Rules are evaluated only when the rest is valid, so that mending the rest may show more of them. */
function weightOf(causes: readonly SchemaCause[]): number {
  return causes.reduce((sum, { reason }) => sum + (reason === "FieldValueInvalid" ? 1 : 10), 0);
}

function* remediesOf(
  object: JsonObject,
  causes: readonly Fault[],
  pinned: Path,
  budget: { judged: number },
): Generator<JsonObject> {
  let left = mostRemedies;
  for (const { path, reason, schema } of causes.slice(0, 4)) {
    if (path === undefined) continue;
    for (const [at, value] of changesAt(schema, object, path, reason)) {
      const changed = withValue(object, schema, at, value);
      if (!isObject(changed) || !keeps(object, changed, pinned)) continue;
      if (left-- <= 0 || budget.judged-- <= 0) return;
      yield changed;
    }
  }
}

function keeps(before: JsonObject, after: JsonObject, pinned: Path): boolean {
  return pinned.length === 0 || equal(valueAt(before, pinned), valueAt(after, pinned));
}

type Change = readonly [path: Path, value: Json | undefined];

function changesAt(
  root: JsonObject,
  object: JsonObject,
  path: Path,
  reason: SchemaCause["reason"],
): readonly Change[] {
  const schema = schemaAt(root, path);
  const value = valueAt(object, path);
  const parents: readonly Change[] = path.map((_, depth) => [path.slice(0, path.length - depth), undefined]);
  if (reason === "FieldValueRequired")
    return [...valuesFor(schema).map((it): Change => [path, it]), ...parents];
  const inside = isObject(value) ? fieldChanges(schema, value, path) : [];
  return [...inside, ...valuesFor(schema).map((it): Change => [path, it]), ...parents.slice(0, 2)];
}

/** Some values that a schema may accept. */
function valuesFor(schema: Json | undefined): readonly Json[] {
  return [0, 1, 2, 3].map((nth) => leastOf(schema, nth));
}

/** Changes of the fields of an object that breaks a rule, a `oneOf` and so on: fields that these name come first. */
function fieldChanges(schema: Json | undefined, value: JsonObject, path: Path): readonly Change[] {
  const properties = get(schema, "properties");
  const named = wordsOf(schema);
  const fields = Object.entries(isObject(properties) ? properties : {})
    .toSorted(([a], [b]) => Number(named.has(b)) - Number(named.has(a)))
    .slice(0, 30);
  return fields.flatMap(([name, field]): readonly Change[] => {
    const here = [...path, name];
    const literals = named.has(name)
      ? literalsOf(schema)
          .filter(() => takesText(field))
          .slice(0, 6)
      : [];
    const values = [...choicesOf(field, named), ...literals];
    const isOptional = Object.hasOwn(value, name) && !requiredOf(schema).includes(name);
    return [...values.map((it): Change => [here, it]), ...(isOptional ? [[here, undefined] as Change] : [])];
  });
}

/** Values of a field: of an enum those first that are named, and else two of the least. */
function choicesOf(field: Json, named: ReadonlySet<string>): readonly Json[] {
  const choices = get(field, "enum");
  if (!isArray(choices)) return valuesFor(field).slice(0, 2);
  return choices.toSorted((a, b) => Number(named.has(String(b))) - Number(named.has(String(a)))).slice(0, 12);
}

function takesText(schema: Json | undefined): boolean {
  return get(schema, "type") === "string" && get(schema, "enum") === undefined;
}

/** The short texts in quotes in the rules of a schema. */
export function literalsOf(schema: Json | undefined): readonly string[] {
  const quoted = rulesIn(schema).flatMap((rule) => [...rule.matchAll(/'([^'\\]{0,64})'|"([^"\\]{0,64})"/g)]);
  return [...new Set(quoted.map(([, single, double]) => single ?? double ?? ""))];
}

function rulesIn(schema: Json | undefined): readonly string[] {
  const rules = get(schema, "x-kubernetes-validations");
  return (isArray(rules) ? rules : []).map((rule) => String(get(rule, "rule") ?? ""));
}

/** The words in the rules and combinators of a schema: names of fields, and texts that values are compared with. */
export function wordsOf(schema: Json | undefined): ReadonlySet<string> {
  const combinators = ["oneOf", "anyOf", "allOf", "not"].map((name) =>
    JSON.stringify(get(schema, name) ?? ""),
  );
  return new Set(
    [...rulesIn(schema), ...combinators].flatMap((text) => text.match(/[\w$/.-]+/g) ?? []).flatMap(partsOf),
  );
}

/** `self.spec.mode` names `spec` and `mode`; a literal with dots is a word as well. */
function partsOf(word: string): readonly string[] {
  return [word, ...word.split(".")].filter((part) => part !== "");
}

/** The object as it is or mended with some tries, if a version accepts it so. */
export function validObject(
  version: RevisionVersion,
  object: JsonObject,
  judged = mostJudged,
): JsonObject | undefined {
  return version.store(object).allowed ? object : mended([version], object, [], { judged });
}
