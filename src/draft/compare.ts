import { get, isObject, type JsonObject } from "../json/json.ts";
import { withoutChoices } from "./alternatives.ts";
import { likelyPassageOf, type Passage, passageOf } from "./change.ts";
import { isNarrowed } from "./choices.ts";
import {
  elementOf,
  type Field,
  fieldsIn,
  fieldsOf,
  hasFields,
  isWithin,
  schemaAt,
  sortOf,
} from "./fields.ts";
import { likelyRows, type Proposal } from "./likeness.ts";
import { renamedObjects } from "./renamed.ts";

/** Lists or maps of objects that a lens copies or moves, and what differs in the objects. */
export interface Inner {
  readonly older: Field;
  readonly newer: Field;
  readonly below: Comparison;
}

type Pair = readonly [older: Field, newer: Field];

/** What two versions have in common, seen from the fields that objects alone lead to. */
export interface Comparison {
  readonly schemas: { readonly older: JsonObject; readonly newer: JsonObject };
  /** Fields with the same path and type, which need no row. */
  readonly passing: readonly Field[];
  readonly proposals: readonly Proposal[];
  /** Fields at the same path whose values a lens cannot copy. */
  readonly unlike: readonly Pair[];
  /** Fields at the same path of which the newer one has other choices, so that it does not accept all that the older one does. */
  readonly narrowed: readonly Pair[];
  /** Fields that pass by name, since the other version takes any fields there. */
  readonly open: { readonly older: readonly Field[]; readonly newer: readonly Field[] };
  readonly onlyOlder: readonly Field[];
  readonly onlyNewer: readonly Field[];
  /** Of the lists and maps of objects among `passing` and the certain proposals. */
  readonly inner: readonly Inner[];
}

/** The names of the versions that are compared; schemas may mention them in names of fields. */
export interface VersionNames {
  readonly older: string;
  readonly newer: string;
}

/** Compares the schemas of two versions, and proposes rows for the lens between them. */
export function compareSchemas(older: JsonObject, newer: JsonObject, names: VersionNames): Comparison {
  const lists = [
    ...firstItems(older, newer),
    ...firstItems(newer, older).map(([list, one]) => [one, list] as const),
  ];
  const [olderAll, newerAll] = [older, newer].map((schema, side) => [
    ...fieldsOf(schema).filter((field) => !lists.some((pair) => isWithin(field, pair[side as 0 | 1]))),
    ...lists.map((pair) => pair[side as 0 | 1]),
  ]) as [Field[], Field[]];
  const lone = (fields: readonly Field[], others: readonly Field[]) => {
    const keys = new Set(others.map(keyOf));
    return fields.filter((field) => !keys.has(keyOf(field)));
  };
  const renamed = renamedObjects(
    { schema: older, lone: lone(olderAll, newerAll) },
    { schema: newer, lone: lone(newerAll, olderAll) },
  );
  const olderFields = lone(
    olderAll,
    renamed.flatMap((each) => fieldsIn(each.older)),
  );
  const newerFields = lone(
    newerAll,
    renamed.flatMap((each) => fieldsIn(each.newer)),
  );
  const named = namedByVersion(olderFields, newerFields, names);
  const taken = new Set(named.flatMap((each) => [each.older, each.newer]));
  const newerByPath = new Map(
    newerFields.filter((each) => !taken.has(each)).map((each) => [keyOf(each), each]),
  );
  const passing: Field[] = [];
  const samePath: Proposal[] = [];
  const unlike: Pair[] = [];
  const narrowed: Pair[] = [];
  const met = new Set<Field>(taken);
  for (const field of olderFields.filter((each) => !taken.has(each))) {
    const twin = newerByPath.get(keyOf(field));
    if (twin === undefined) continue;
    met.add(field).add(twin);
    const passage = passageOf(field, twin);
    if (passage === "as it is" && isNarrowed(field, twin)) narrowed.push([field, twin]);
    else if (passage === "as it is") passing.push(field);
    else if (passage === undefined) {
      const likely = likelyPassageOf(field, twin);
      if (likely === undefined) unlike.push([field, twin]);
      else
        samePath.push({
          older: field,
          newer: twin,
          passage: likely,
          reason: "the same field, of another type",
          isCertain: false,
        });
    } else samePath.push({ older: field, newer: twin, passage, reason: "the same field", isCertain: true });
  }
  const isUnmet = (field: Field) => !met.has(field);
  // By name, whatever else is alike.
  const whole = openFields(older, newer, olderFields.filter(isUnmet), newerFields.filter(isUnmet), "whole");
  for (const field of [...whole.older, ...whole.newer]) met.add(field);
  const alike = likelyRows(olderFields.filter(isUnmet), newerFields.filter(isUnmet));
  const matched = new Set(alike.flatMap((each) => [each.older, each.newer]));
  const isLone = (field: Field) => isUnmet(field) && !matched.has(field);
  const judged = withoutChoices([...renamed, ...alike], {
    older: { schema: older, lone: olderFields.filter(isLone) },
    newer: { schema: newer, lone: newerFields.filter(isLone) },
  });
  const proposals = [...named, ...samePath, ...judged];
  const proposed = new Set(proposals.flatMap((each) => [each.older, each.newer]));
  const isLeft = (field: Field) => isUnmet(field) && !proposed.has(field);
  const part = openFields(older, newer, olderFields.filter(isLeft), newerFields.filter(isLeft), "part");
  for (const field of [...part.older, ...part.newer]) met.add(field);
  const pairs = [
    ...passing.map((field) => [field, newerByPath.get(keyOf(field)) ?? field] as const),
    ...proposals.filter(({ isCertain }) => isCertain).map((each) => [each.older, each.newer] as const),
  ];
  return {
    schemas: { older, newer },
    passing,
    proposals,
    unlike,
    narrowed,
    open: { older: [...whole.older, ...part.older], newer: [...whole.newer, ...part.newer] },
    onlyOlder: olderFields.filter(isLeft),
    onlyNewer: newerFields.filter(isLeft),
    inner: pairs.flatMap(([from, to]) => innerOf(from, to, names)).map(withoutKey),
  };
}

/** Lists of objects of one version, with the object that stands at the same path in the other one. */
function firstItems(listed: JsonObject, other: JsonObject): readonly Pair[] {
  return fieldsOf(listed).flatMap((list) => {
    const schema = schemaAt(other, list.path);
    if (list.sort !== "list" || !hasFields(elementOf(list))) return [];
    if (!hasFields(schema) || sortOf(schema) !== "object") return [];
    return [[list, { path: list.path, schema, sort: "object" }] as const];
  });
}

/** Which of some fields pass by name: those below an object of the other version that takes any fields, and that object. */
function openFields(
  older: JsonObject,
  newer: JsonObject,
  olderFields: readonly Field[],
  newerFields: readonly Field[],
  extent: "whole" | "part",
): Comparison["open"] {
  const below = (fields: readonly Field[], other: JsonObject) =>
    fields.filter(({ path }) => openAbove(other, path)?.extent === extent);
  const [olderBelow, newerBelow] = [below(olderFields, newer), below(newerFields, older)];
  const around = (fields: readonly Field[], others: readonly Field[]) =>
    fields.filter((field) => others.some((other) => isWithin(other, field)));
  return {
    older: [...olderBelow, ...around(olderFields, newerBelow)],
    newer: [...newerBelow, ...around(newerFields, olderBelow)],
  };
}

/** The object of a schema that takes a field at a path which the schema does not know: of any fields, or of those it has and others. */
export function openAbove(
  schema: JsonObject,
  path: readonly string[],
  depth = 0,
): { readonly path: readonly string[]; readonly extent: "whole" | "part" } | undefined {
  const name = path[depth];
  if (name === undefined) return undefined;
  const below = get(schema, "properties", name);
  if (isObject(below)) return openAbove(below, path, depth + 1);
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true) return undefined;
  return { path: path.slice(0, depth), extent: hasFields(schema) ? "part" : "whole" };
}

/** A path as it is written in a row. */
function keyOf({ path }: Field): string {
  return path.join(".");
}

/** The field that holds the key of a map is not missing in the map. */
function withoutKey(inner: Inner): Inner {
  const passage = passageOf(inner.older, inner.newer);
  if (passage === undefined || passage === "as it is" || passage.to !== "keyed") return inner;
  const isOther = (field: Field) => keyOf(field) !== passage.key;
  const { onlyOlder, onlyNewer } = inner.below;
  const below = { onlyOlder: onlyOlder.filter(isOther), onlyNewer: onlyNewer.filter(isOther) };
  return { ...inner, below: { ...inner.below, ...below } };
}

/** The comparison of the objects in two fields, if there are objects with fields in both. */
export function innerOf(older: Field, newer: Field, names: VersionNames): readonly Inner[] {
  const [below, above] = [elementOf(older), elementOf(newer)];
  if (!hasFields(below) || !hasFields(above)) return [];
  return [{ older, newer, below: compareSchemas(below, above, names) }];
}

/**
 * Fields below a field that is named after the other version, such as `status.v1beta2.conditions` in v1beta1 and
 * `status.deprecated.v1beta1.conditions` in v1beta2: they are what the other version shows without that name.
 */
function namedByVersion(
  older: readonly Field[],
  newer: readonly Field[],
  names: VersionNames,
): readonly Proposal[] {
  const upward = proposalsBy(older, newer, names.newer).map(([from, to, passage]) => ({
    older: from,
    newer: to,
    passage,
    reason: `${names.newer} in its path is the newer version`,
    isCertain: true,
  }));
  const downward = proposalsBy(newer, older, names.older).map(([from, to, passage]) => ({
    older: to,
    newer: from,
    passage,
    reason: `${names.older} in its path is the older version`,
    isCertain: true,
  }));
  return [...upward, ...downward];
}

function proposalsBy(
  from: readonly Field[],
  to: readonly Field[],
  version: string,
): readonly (readonly [Field, Field, Exclude<Passage, undefined>])[] {
  const byPath = new Map(to.map((field) => [keyOf(field), field]));
  return from.flatMap((field) => {
    const at = field.path.indexOf(version);
    if (at < 0) return [];
    const before = field.path.slice(0, field.path[at - 1] === "deprecated" ? at - 1 : at);
    const target = byPath.get([...before, ...field.path.slice(at + 1)].join("."));
    const passage = target === undefined ? undefined : passageOf(field, target);
    return target === undefined || passage === undefined ? [] : [[field, target, passage] as const];
  });
}
