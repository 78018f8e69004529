import { isObject, type JsonObject, textAt } from "../json/json.ts";
import { counted } from "../words.ts";
import { elementOf, type Field, fieldsOf, hasFields, sortOf } from "./fields.ts";
import type { Proposal } from "./likeness.ts";
import { countsOf, likeness, type WordCounts, wordsOfName, wordsOfText } from "./words.ts";

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
}

interface Pair {
  readonly older: Shaped;
  readonly newer: Shaped;
  readonly common: number;
  readonly isEqual: boolean;
  readonly isNamed: boolean;
}

// Without a name in common, fewer fields than that are no evidence, nor are names that many objects have.
const fewest = 3;
const usual =
  /^(?:.*[.\]])?(?:name|namespace|kind|apiVersion|apiGroup|group|key|value|type|status|reason|message) /;

/** Proposals for whole objects and lists of objects that have another name or place in each version, and equal or nearly equal fields. */
export function renamedObjects(older: Side, newer: Side): readonly Proposal[] {
  const [all, others] = [shapedIn(older.schema), shapedIn(newer.schema)];
  const pairs = loneIn(all, older).flatMap((from) => loneIn(others, newer).flatMap((to) => pairOf(from, to)));
  const isOne = ({ shape }: Shaped, shapes: readonly Shaped[]) =>
    shapes.filter((each) => each.shape === shape).length === 1;
  const judged = pairs
    .map((pair) => {
      const rival = pairs.find((each) => each !== pair && isRival(each, pair));
      const isTelling = pair.isEqual && isOne(pair.older, all) && isOne(pair.newer, others) && tells(pair);
      const isCertain = rival === undefined && (pair.isNamed || isTelling) && areAlike(pair);
      return { pair, rival, isCertain };
    })
    // At lists their names and descriptions are looked at next.
    .filter(({ pair, isCertain }) => isCertain || (pair.isEqual && pair.older.field.sort === "object"))
    .toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain) || b.pair.common - a.pair.common);
  const proposals: Proposal[] = [];
  for (const { pair, rival, isCertain } of judged) {
    const [from, to] = [pair.older.field, pair.newer.field];
    if (proposals.some((each) => isNested(each.older, from) || isNested(each.newer, to))) continue;
    const but =
      rival === undefined
        ? ""
        : `, but ${(rival.older === pair.older ? rival.newer : rival.older).field.path.join(".")} is as likely`;
    const reason = `the same ${counted(pair.common, "field")} in it${but}`;
    proposals.push({ older: from, newer: to, passage: "as it is", reason, isCertain });
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
    return [{ field, leaves: new Set(leaves), shape }, ...shapedIn(element, field.path)];
  });
}

/** Those of which all fields are lone. */
function loneIn(shaped: readonly Shaped[], { lone }: Side): readonly Shaped[] {
  const paths = new Set(lone.map(({ path }) => path.join("\0")));
  return shaped.filter(({ field }) => {
    const own = field.sort === "object" ? fieldsOf(field.schema, field.path) : [field];
    return own.every(({ path }) => paths.has(path.join("\0")));
  });
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
  const most = Math.max(older.leaves.size, newer.leaves.size);
  if (older.field.sort !== newer.field.sort || isNested(older.field, newer.field)) return [];
  const common = older.leaves.intersection(newer.leaves).size;
  const pair = {
    older,
    newer,
    common,
    isEqual: older.shape === newer.shape,
    isNamed: areNamedAlike(older, newer),
  };
  return common < 0.75 * most || (common < fewest && !(pair.isEqual && pair.isNamed)) ? [] : [pair];
}

/** Whether the path of one object has all words of the other's. */
function areNamedAlike(older: Shaped, newer: Shaped): boolean {
  const [a, b] = [older, newer].map(({ field }) => new Set(field.path.flatMap(wordsOfName))) as [
    Set<string>,
    Set<string>,
  ];
  return a.isSubsetOf(b) || b.isSubsetOf(a);
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
