import { isObject, type JsonObject, objectAt, textAt } from "../json/json.ts";
import { wordsOfName } from "../values/words.ts";
import { counted } from "../words.ts";
import { passageOf } from "./change.ts";
import { commonHead, elementOf, type Field, fieldsIn, fieldsOf, hasFields, sortOf } from "./fields.ts";
import type { Proposal } from "./likeness.ts";
import { countsOf, likeness, type WordCounts, wordsOfText } from "./words.ts";

/** A version's schema, and those of its fields that nothing in the other version was found for. */
interface Side {
  readonly schema: JsonObject;
  readonly lone: readonly Field[];
}

/** An object, or a list or map of objects, with what is in it. */
interface Shaped {
  readonly field: Field;
  readonly leaves: ReadonlySet<string>;
  /** The same as one text. */
  readonly shape: string;
  /** Those of its path. */
  readonly words: ReadonlySet<string>;
}

interface Pair {
  readonly older: Shaped;
  readonly newer: Shaped;
  readonly common: number;
  readonly isEqual: boolean;
  readonly isNamed: boolean;
  /** Whether they are objects in the same place, and most of their fields have the same names. */
  readonly isInPlace?: boolean;
  /** Whether one is a list that is called by the plural of the other's name, and what is in them differs. */
  readonly isVague?: boolean;
}

// Without a name in common, fewer fields than that are no evidence, nor are names that many objects have.
const fewest = 3;

/** Objects in one place that have so many names of fields in common, and more than half of all, are the same. */
const manyNames = 8;

/** A guess at one of more objects with the same fields would help no author. */
const mostAlike = 16;

const usual =
  /^(?:.*[.\]])?(?:name|namespace|kind|apiVersion|apiGroup|group|key|value|type|status|reason|message) /;

/** Proposals for whole objects and lists of objects that have another name or place in each version, and equal or nearly equal fields. */
export function renamedObjects(older: Side, newer: Side): readonly Proposal[] {
  const [all, others] = [shapedIn(older.schema), shapedIn(newer.schema)];
  const [from, to] = [loneIn(all, older), loneIn(others, newer)];
  const [ofShape, ofOther] = [all, others].map((shaped) => Map.groupBy(shaped, ({ shape }) => shape));
  const countOf = ({ shape }: Shaped) =>
    Math.max(ofShape?.get(shape)?.length ?? 0, ofOther?.get(shape)?.length ?? 0);
  const pairs = from
    .flatMap((one) => to.flatMap((other) => pairOf(one, other)))
    .filter((pair) => pair.isNamed || countOf(pair.older) <= mostAlike);
  const [byOlder, byNewer] = [
    Map.groupBy(pairs, (pair) => pair.older),
    Map.groupBy(pairs, (pair) => pair.newer),
  ];
  const judged = pairs
    .map((pair) => {
      const near = [...(byOlder.get(pair.older) ?? []), ...(byNewer.get(pair.newer) ?? [])];
      const rival = near.find((each) => each !== pair && isRival(each, pair));
      const isTelling = pair.isEqual && countOf(pair.older) === 1 && tells(pair);
      const isClear = !pair.isVague && (pair.isNamed || isTelling);
      return { pair, rival, isCertain: rival === undefined && isClear && areAlike(pair) };
    })
    // At lists their names and descriptions are looked at next.
    .filter(
      ({ pair, isCertain }) =>
        isCertain || pair.isVague || (pair.isEqual && pair.older.field.sort === "object"),
    )
    .toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain) || b.pair.common - a.pair.common);
  const proposals: Proposal[] = [];
  for (const { pair, rival, isCertain } of judged) {
    const [field, other] = pair.isInPlace ? commonParts(pair) : [pair.older.field, pair.newer.field];
    if (proposals.some((each) => isNested(each.older, field) || isNested(each.newer, other))) continue;
    const but =
      rival === undefined
        ? ""
        : `, but ${(rival.older === pair.older ? rival.newer : rival.older).field.path.join(".")} is as likely`;
    const what = pair.isVague
      ? "a name and its plural, and some of the same names in it"
      : `the same ${counted(pair.common, pair.isInPlace ? "name" : "field")} in it`;
    const passage = passageOf(field, other) ?? "as it is";
    proposals.push({ older: field, newer: other, passage, reason: `${what}${but}`, isCertain });
  }
  return proposals;
}

/** All objects, lists of objects and maps of objects in a schema, the outer ones first. */
function shapedIn({ properties }: JsonObject, path: readonly string[] = []): readonly Shaped[] {
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    if (!isObject(schema)) return [];
    const sort = hasFields(schema) ? "object" : sortOf(schema);
    const field = { path: [...path, name], schema, sort } as const;
    const element = elementOf(field);
    if (!hasFields(element)) return [];
    const leaves = leavesBelow(element);
    const shape = `${sort} ${leaves.toSorted().join()}`;
    const words = new Set(field.path.flatMap(wordsOfName));
    return [{ field, leaves: new Set(leaves), shape, words }, ...shapedIn(element, field.path)];
  });
}

/** Those of which all fields are lone. */
function loneIn(shaped: readonly Shaped[], { lone }: Side): readonly Shaped[] {
  const paths = new Set(lone.map(({ path }) => path.join("\0")));
  return shaped.filter(({ field }) => fieldsIn(field).every(({ path }) => paths.has(path.join("\0"))));
}

/** The paths and types of the values in an object. */
function leavesBelow(schema: JsonObject, place = ""): readonly string[] {
  return fieldsOf(schema).flatMap((field) => {
    const element = elementOf(field);
    const here = `${place}${field.path.join(".")}`;
    return hasFields(element) ? leavesBelow(element, `${here}[]`) : [`${here} ${field.sort}`];
  });
}

function pairOf(older: Shaped, newer: Shaped): readonly Pair[] {
  const [a, b] = [older.leaves, newer.leaves];
  const isFirst = isItem(older.field, newer.field);
  if (isNested(older.field, newer.field) || (older.field.sort !== newer.field.sort && !isFirst)) return [];
  const isEqual = a.size === b.size && a.isSubsetOf(b);
  const common = a.intersection(b).size;
  // The path of one has all words of the other's.
  const isNamed = older.words.isSubsetOf(newer.words) || newer.words.isSubsetOf(older.words);
  const pair = { older, newer, common, isEqual, isNamed };
  if (common >= 0.75 * Math.max(a.size, b.size))
    return common >= fewest || (isEqual && isNamed) ? [pair] : [];
  const [names, others] = [namesIn(older), namesIn(newer)];
  const many = names.intersection(others).size;
  if (isFirst) return 2 * many >= Math.min(names.size, others.size) ? [{ ...pair, isVague: true }] : [];
  const isObject = older.field.sort === "object" && areBeside(older.field, newer.field);
  const isMost = many >= manyNames && 2 * many > names.union(others).size;
  return isObject && isMost ? [{ ...pair, common: many, isInPlace: true }] : [];
}

/** Whether fields are in one object. */
function areBeside({ path: a }: Field, { path: b }: Field): boolean {
  return a.length === b.length && commonHead(a, b) === a.length - 1;
}

/** Whether fields of one object are an object, and a list that has the plural of its name. */
function isItem(older: Field, newer: Field): boolean {
  const passage = areBeside(older, newer) ? passageOf(older, newer) : undefined;
  const [name, other] = [older, newer].map(({ path }) => wordsOfName(path.at(-1) ?? "").join());
  return typeof passage === "object" && passage.to === "first" && name === other;
}

function namesIn({ field }: Shaped): ReadonlySet<string> {
  return new Set(Object.keys(objectAt(elementOf(field), "properties")));
}

/** Two objects with those of their fields that both have: the others may have moved out of them. */
function commonParts({ older, newer }: Pair): [Field, Field] {
  const names = namesIn(older).intersection(namesIn(newer));
  const part = ({ field }: Shaped) => {
    const properties = Object.entries(objectAt(field.schema, "properties")).filter(([name]) =>
      names.has(name),
    );
    return { ...field, schema: { ...field.schema, properties: Object.fromEntries(properties) } };
  };
  return [part(older), part(newer)];
}

/** Whether another pair with one of the objects is as likely. */
function isRival(other: Pair, { older, newer, isEqual, isNamed }: Pair): boolean {
  return (
    (other.older === older || other.newer === newer) &&
    (other.isEqual || !isEqual) &&
    (other.isNamed || !isNamed)
  );
}

/** Whether an object has fields that are not in any object. */
function tells({ older }: Pair): boolean {
  return [...older.leaves].filter((leaf) => !usual.test(leaf)).length >= fewest;
}

/** Whether descriptions do not speak of different things. */
function areAlike({ older, newer }: Pair): boolean {
  const [a, b] = [describedBy(older), describedBy(newer)];
  return a.length === 0 || b.length === 0 || likeness(a, b) >= 0.5;
}

function describedBy({ field }: Shaped): WordCounts {
  return countsOf(
    fieldsOf(elementOf(field) ?? {}).flatMap(({ schema }) => wordsOfText(textAt(schema, "description"))),
  );
}

function isNested({ path: a }: Field, { path: b }: Field): boolean {
  return a.every((name, at) => at >= b.length || name === b[at]);
}
