import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { type Crd, type CrdVersion, compileCrd, type SchemaCause } from "../../schema/index.ts";
import { crdModelOf, isConverted, schemaIn } from "../../schema/model/crd.ts";
import { settled } from "../../values/combinators.ts";
import { valuesFor } from "../../values/leaf.ts";
import { built, propertiesOf, schemaBelow, smallestOf, waysAlong } from "../../values/smallest.ts";
import { placesOf, placeText, valueAt, withAt } from "./build.ts";
import { finished, type Work } from "./pace.ts";

/** A kind whose conversion is checked, as its CRD defines it. */
export interface Subject {
  /** `rooms.home.antechamber.dev`. */
  readonly name: string;
  readonly crd: Crd;
  readonly versions: readonly SubjectVersion[];
  /** The versions of ConversionReview that the CRD lists; undefined if it has no such list. */
  readonly reviews: readonly string[] | undefined;
  /** Whether the CRD says that a webhook converts it. In the files of a project it seldom says anything. */
  readonly isNamed: boolean;
}

/** One version of it. */
export interface SubjectVersion {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Settled: with what combinators say of a field at the field. */
  readonly schema: JsonObject;
  readonly rules: CrdVersion;
  readonly isNamespaced: boolean;
  /** Whether an API server converts objects to it: it is served or stored. Objects of others may still be stored. */
  readonly isRead: boolean;
  /** The smallest valid object; undefined if none was found. */
  readonly base: JsonObject | undefined;
  /** Why there is no valid object. */
  readonly fault?: string;
}

/** The kind of a CRD, or what an API server would find wrong with the CRD. */
export function subjectOf(
  crd: JsonObject,
  examples: readonly JsonObject[] = [],
): { readonly subject: Subject } | { readonly causes: readonly SchemaCause[] } {
  const compiled = compileCrd(crd);
  if ("causes" in compiled) return { causes: compiled.causes };
  const { group, kind, plural, scope, versions } = compiled.crd;
  const model = crdModelOf(crd);
  const schemas = model.spec.versions.map(schemaIn);
  const subject: Subject = {
    name: `${plural}.${group}`,
    crd: compiled.crd,
    versions: versions.map((rules, index) => {
      const schema = schemas[index];
      const version = {
        name: rules.name,
        apiVersion: `${group}/${rules.name}`,
        kind,
        schema: schema === undefined ? {} : settled(schema),
        rules,
        isNamespaced: scope === "Namespaced",
        isRead: rules.served || rules.stored,
        base: undefined,
      };
      const example = examples.find(
        (each) => each.apiVersion === version.apiVersion && rules.validate(each).causes.length === 0,
      );
      return withBase(version, example);
    }),
    reviews: model.spec.conversion.webhook?.conversionReviewVersions,
    isNamed: isConverted(model),
  };
  return { subject };
}

/** How much there is to try of a kind: the places of each version, once for each other version. */
export function sizeOf({ versions }: Subject): number {
  const places = versions.reduce((sum, { schema }) => sum + placesOf(schema).length, 0);
  return places * (versions.length - 1);
}

/** A version with its smallest valid object, or an example where none is found. */
function withBase(version: SubjectVersion, example: JsonObject | undefined): SubjectVersion {
  const smallest = finished(
    firstMended(version, [], 4, (branch) => objectOf(version, smallestOf(version.schema, { branch }))),
  );
  if ("object" in smallest) return { ...version, base: smallest.object };
  return { ...version, base: example, fault: smallest.fault };
}

/** What is wrong with an object, or with the change of an old one. */
export function faultsOf(
  version: SubjectVersion,
  object: JsonObject,
  old?: JsonObject,
): readonly SchemaCause[] {
  const { rules } = version;
  const ofObject = rules.validate(object, old).causes;
  const all = object.status === undefined ? ofObject : [...ofObject, ...faultsOfStatus(rules, object, old)];
  return all.filter((cause) => !isOfSchema(cause));
}

/** What is wrong with a status, which an API server drops when the object is created, and checks when it is written. */
function faultsOfStatus(rules: CrdVersion, object: JsonObject, old?: JsonObject): readonly SchemaCause[] {
  const { status: _, ...bare } = object;
  return rules.validate(object, old ?? bare, { subresource: "status" }).causes;
}

/**
 * What is wrong with the schema of a version, as validation reports it with an object: a maximum beyond the range of its
 * format. An API server of v1.36 then rejects all objects with the field, and no other value would help.
 */
export function schemaFaultsOf(version: SubjectVersion, object: JsonObject): readonly string[] {
  return version.rules
    .validate(object)
    .causes.filter(isOfSchema)
    .map(({ detail }) => detail);
}

/** Such a fault is at no place in the object. */
function isOfSchema({ path, reason }: SchemaCause): boolean {
  return path === undefined && reason !== "";
}

const identity = { name: "a", uid: "8a1b7c1e-0001-4000-8000-000000000001", generation: 1 };

/** An object of a version, with the metadata that an API server sets. */
export function objectOf(version: SubjectVersion, content: Json): JsonObject {
  const metadata = {
    ...identity,
    ...(version.isNamespaced ? { namespace: "default" } : {}),
    creationTimestamp: "2026-03-01T06:45:00Z",
  };
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = isObject(content) ? content : {};
  return { apiVersion: version.apiVersion, kind: version.kind, metadata, ...rest };
}

/**
 * The smallest valid object with a value at a path. If a rule rejects it, other texts and further fields are tried. The
 * fault is what stays wrong after that.
 */
export function* validObject(version: SubjectVersion, path: Path, value: Json): Work<Mended> {
  const { base, schema } = version;
  if (base === undefined) return { fault: version.fault ?? "no valid object of this version is known" };
  // What the base has by now is known to be valid together; the value itself wins.
  const { apiVersion: _, kind: __, metadata: ___, ...known } = base;
  const own = built(undefined, path, value);
  return yield* firstMended(version, path, waysAlong(schema, path), (branch) =>
    objectOf(version, merged(merged(built(schema, path, value, { branch }), known), own)),
  );
}

/** The most ways of combinators in which an object is mended; those come first in which least is wrong. */
const mostWays = 3;

/** The first object that is valid or can be mended, of those that combinators leave to choose from. */
function* firstMended(
  version: SubjectVersion,
  kept: Path,
  ways: number,
  make: (branch: number) => JsonObject,
): Work<Mended> {
  if (ways === 1) return yield* mended(version, make(0), kept);
  const objects: { readonly object: JsonObject; readonly faults: number }[] = [];
  for (let branch = 0; branch < ways; branch++) {
    yield;
    const object = make(branch);
    objects.push({ object, faults: faultsOf(version, object).length });
  }
  let first: Mended | undefined;
  for (const { object } of objects.toSorted((a, b) => a.faults - b.faults).slice(0, mostWays)) {
    const tried = yield* mended(version, object, kept);
    if ("object" in tried) return tried;
    first ??= tried;
  }
  return first ?? { fault: "" };
}

/** Two values in one: objects by field, lists item by item; where they disagree, the second one. */
export function merged(a: Json | undefined, b: Json): Json {
  if (isArray(a) && isArray(b)) {
    const rest = a.slice(b.length);
    return [...b.map((item, index) => merged(a[index], item)), ...rest];
  }
  if (!isObject(a) || !isObject(b)) return b;
  return Object.entries(b).reduce(
    (made: JsonObject, [name, value]) => set(made, name, merged(made[name], value)),
    a,
  );
}

/** A valid object, or what stays wrong. */
type Mended = { readonly object: JsonObject } | { readonly fault: string };

/** The most validations for one object. */
const mostAttempts = 400;

/** An object, changed until it is valid; what stands at `kept` stays as it is. */
export function* mended(version: SubjectVersion, object: JsonObject, kept: Path): Work<Mended> {
  yield;
  let here = object;
  let causes = faultsOf(version, here);
  for (let attempts = 0; causes.length > 0; ) {
    const [cause] = causes;
    const fault = `${cause?.field}: ${cause?.message}`;
    let better: JsonObject | undefined;
    for (const candidate of remedies(version, here, cause?.path ?? [], kept)) {
      if (attempts++ >= mostAttempts) return { fault };
      yield;
      const left = faultsOf(version, candidate);
      if (left.length >= causes.length) continue;
      better = candidate;
      causes = left;
      break;
    }
    if (better === undefined) return { fault };
    here = better;
  }
  return { object: here };
}

/** Objects in which one fault may be gone: further fields, other values of the leaves there, fewer fields. */
function* remedies(
  version: SubjectVersion,
  object: JsonObject,
  path: Path,
  kept: Path,
): Generator<JsonObject, void, void> {
  const at = (where: Path, value: Json | undefined) => withAt(object, where, value) as JsonObject;
  const isKept = (where: Path) => where.every((step, index) => kept[index] === step);
  const schema = schemaAt(version.schema, path);
  const value = valueAt(object, path);
  if (value === undefined) for (const other of plainValues(schema)) yield at(path, other);
  const fields = isObject(value) ? fieldsOf(schema, path) : [];
  const isSet = (name: string) => get(value, name) !== undefined;
  for (const [name, below] of fields)
    if (!isSet(name)) for (const other of plainValues(below, name)) yield at([...path, name], other);
  for (const [name] of fields)
    if (isSet(name) && !isKept([...path, name])) yield at([...path, name], undefined);
  if (isObject(value)) yield* withTwoMore(object, path, value, schema);
  for (const where of leavesIn(value, path))
    if (!isKept(where))
      for (const other of valuesFor(schemaAt(version.schema, where), String(where.at(-1) ?? "")))
        yield at(where, other);
  for (const [name, below] of fields)
    if (!isSet(name)) for (const other of valuesFor(below, name)) yield at([...path, name], other);
  // A rule may name a field although others would do.
  if (path.length > 1) yield* remedies(version, object, path.slice(0, -1), kept);
}

/** The smallest value of a schema, and of a list or map one that is not empty. */
function plainValues(schema: Json | undefined, name = ""): readonly Json[] {
  if (schema === undefined) return [];
  const items = get(schema, "items");
  const entries = get(schema, "additionalProperties");
  if (isObject(items)) return [smallestOf(schema, { name }), [smallestOf(items, { name })]];
  return isObject(entries)
    ? [smallestOf(schema, { name }), { k: smallestOf(entries, { name }) }]
    : [smallestOf(schema, { name })];
}

/** The fields of a schema that may be added or removed. */
function fieldsOf(schema: Json | undefined, path: Path): readonly (readonly [string, Json])[] {
  const fixed = path.length === 0 ? ["apiVersion", "kind", "metadata"] : [];
  return Object.entries(propertiesOf(schema)).filter(([name]) => !fixed.includes(name));
}

/** Objects with two further fields at once, as a rule may demand. */
function* withTwoMore(
  object: JsonObject,
  path: Path,
  value: JsonObject,
  schema: Json | undefined,
): Generator<JsonObject, void, void> {
  const absent = fieldsOf(schema, path).filter(([name]) => get(value, name) === undefined);
  for (const [index, [name, below]] of absent.entries())
    for (const [other, beside] of absent.slice(index + 1)) {
      const more = {
        ...value,
        [name]: smallestOf(below, { name }),
        [other]: smallestOf(beside, { name: other }),
      };
      yield withAt(object, path, more) as JsonObject;
    }
}

/** The leaves below a value, as paths; the first hundred. */
function leavesIn(value: Json | undefined, path: Path): readonly Path[] {
  const inner = isArray(value)
    ? value.flatMap((item, index) => leavesIn(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => leavesIn(each, [...path, name]))
      : [path];
  return inner.filter(([first]) => !["apiVersion", "kind", "metadata"].includes(String(first))).slice(0, 100);
}

/** The schema at a path. */
export function schemaAt(schema: Json | undefined, path: Path): Json | undefined {
  let here = schema;
  for (const step of path) here = schemaBelow(here, step);
  return here;
}

/** The place of a path in a version's schema; metadata has none there. */
export function placeIn(version: SubjectVersion, path: Path): string {
  return path[0] === "metadata" ? placeText(undefined, path) : placeText(version.schema, path);
}
