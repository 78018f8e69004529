import { keyedItems } from "../conversion/keyed-list.ts";
import { fitInto } from "../conversion/shape.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { assembled, type LeafPath, leavesOf, type ObjectLeaf } from "./leaves.ts";
import { isEmpty } from "./places.ts";
import { type Setting, versionAt } from "./setting.ts";

/** What a client wrote at a version, and the version that is to agree with it; one of the two is the hub. */
interface Written {
  readonly before: JsonObject;
  readonly content: JsonObject;
  readonly at: number;
  readonly in: number;
}

/** A word that the other version contradicts: what the client wrote, and what the lens says there instead. */
interface Contradiction {
  readonly word: string;
  readonly wrote: Json | undefined;
  readonly says: Json | undefined;
}

/**
 * Where the lens alone, from a content of the other version, says something else than the client wrote. A word counts only
 * if the lens can carry it: if it says something there of what the client wrote, or, for an item that the client removed,
 * if it said just that before. The lens may say nothing of a word that the client did not change, of a default of its
 * version, and in a spoke, which may have said nothing of its own accord.
 */
export function contradictionsOf(
  setting: Setting,
  written: Written,
  content: JsonObject,
): readonly Contradiction[] {
  const { kind, hub } = setting;
  const { defaulted } = versionAt(setting, written.at);
  const words = (each: JsonObject) => wordsOf(setting, each, written.at);
  const back = (each: JsonObject) => image(each, kind.chain, written.in, written.at);
  const carried = (each: JsonObject) => words(back(image(each, kind.chain, written.at, written.in)));
  const there = back(content);
  const [then, now, says] = [words(written.before), words(written.content), words(there)];
  const [carriedThen, carriedNow] = [carried(written.before), carried(written.content)];
  return [...new Set([...now.keys(), ...then.keys()])].flatMap((word): readonly Contradiction[] => {
    const [had, wrote, plainly, said] = [then, now, carriedNow, says].map((each) => each.get(word)?.value);
    if ([wrote, plainly].some((each) => equal(each, said))) return [];
    const isItem = typeof then.get(word)?.path.at(-1) === "object";
    const isRemoved =
      isItem && wrote === undefined && had !== undefined && equal(carriedThen.get(word)?.value, had);
    if (wrote === undefined ? !isRemoved : plainly === undefined) return [];
    if (said === undefined) {
      // To the lens, what the client had read may have said the same already, in other words.
      if (written.in !== hub || [had, carriedThen.get(word)?.value].some((each) => equal(each, wrote)))
        return [];
      if (equal(words(defaulted(withoutLeaf(written.content, now.get(word)?.path))).get(word)?.value, wrote))
        return [];
      // A lens may read nothing of a list with an item that it cannot map, beside those that were written.
      const listed = withItemsOf(content, image(written.content, kind.chain, written.at, written.in));
      if (equal(words(back(listed)).get(word)?.value, wrote)) return [];
    }
    if (equal(words(defaulted(there)).get(word)?.value, wrote)) return [];
    if (written.in !== hub && isPartOf(said, wrote)) return [];
    return [{ word, wrote, says: said }];
  });
}

/** The leaves of a content that another content does not have. */
export function addedLeaves(
  setting: Setting,
  version: number,
  content: Json | undefined,
  other: Json | undefined,
): readonly ObjectLeaf[] {
  const schema = schemaOf(setting, version);
  const [here, there] = [content, other].map((each) => leavesOf((each ?? {}) as JsonObject, schema));
  return [...(here ?? [])].flatMap(([name, leaf]) => (there?.has(name) ? [] : [leaf]));
}

/**
 * Whether leaves of the other version say by themselves something else than a word that a client has changed and that the lens
 * can say there. A lens may ignore them beside other fields of their row, but readers of that version do not.
 */
export function contradictsAlone(
  setting: Setting,
  { before, content, at, in: there }: Written,
  leaves: readonly ObjectLeaf[],
): boolean {
  const { kind } = setting;
  // Of a list with an item without a key, which no server admits and which would be one leaf, the lens reads the others.
  const words = (each: JsonObject) => wordsOf(setting, fitInto(each, versionAt(setting, at).shape), at);
  const [then, now] = [words(before), words(content)];
  return [...words(image(assembled(leaves), kind.chain, there, at))].some(([word, { value }]) => {
    const wrote = now.get(word);
    if (wrote === undefined || equal(wrote.value, value) || equal(wrote.value, then.get(word)?.value))
      return false;
    const shown = (each: JsonObject) => image(each, kind.chain, at, there);
    // A word that the lens does not read, as one that repeats a key, says nothing that the other version could contradict.
    if (equal(shown(withoutLeaf(content, wrote.path)), shown(content))) return false;
    return wordsOf(setting, shown(assembled([wrote])), there).size > 0;
  });
}

/** Whether a value says nothing else than another one, item by item, and perhaps less. */
function isPartOf(part: Json | undefined, whole: Json | undefined): boolean {
  if (isArray(part) && isArray(whole))
    return part.length === whole.length && part.every((item, index) => isPartOf(item, whole[index]));
  if (isObject(part) && isObject(whole))
    return Object.entries(part).every(([name, value]) => isPartOf(value, get(whole, name)));
  return equal(part, whole);
}

/** A content with no other items in its lists than those that say all that an item of another content says. */
function withItemsOf<Value extends Json>(here: Value, other: Json): Value;
function withItemsOf(here: Json, other: Json): Json {
  if (isArray(here) && isArray(other))
    return here.filter((item) => other.some((each) => isWithin(each, item)));
  if (!isObject(here) || !isObject(other)) return here;
  return Object.entries(here).reduce<JsonObject>((object, [name, value]) => {
    const same = get(other, name);
    return same === undefined ? object : set(object, name, withItemsOf(value, same));
  }, here);
}

/** Whether an object, or a value, says nothing that another one does not say too. */
function isWithin(part: Json, whole: Json): boolean {
  if (!isObject(part) || !isObject(whole)) return equal(part, whole);
  return Object.entries(part).every(([name, value]) => isWithin(value, get(whole, name) ?? null));
}

type Words = ReadonlyMap<string, ObjectLeaf>;

/** A content without one leaf; the containers around it stay. */
function withoutLeaf(here: JsonObject, path: LeafPath = []): JsonObject {
  return (without(here, path) ?? {}) as JsonObject;
}

function without(here: Json | undefined, [step, ...rest]: LeafPath): Json | undefined {
  if (step === undefined) return undefined;
  if (typeof step === "string") return isObject(here) ? set(here, step, without(here[step], rest)) : here;
  if (!isArray(here)) return here;
  if ("element" in step) return here.filter((each) => !equal(each, step.element));
  const isMeant = (each: Json) => keyedItems([each], Object.keys(step.keys))?.has(step.item) ?? false;
  return here.flatMap((each) => (isMeant(each) ? (without(each, rest) ?? []) : [each]));
}

/**
 * The leaves of a content that say something. Null and empty containers do not, not in an item of a list either, nor do a list of
 * nothing but an empty object, which may stand for that object, and lists that no server admits.
 */
function wordsOf(setting: Setting, content: JsonObject, version: number): Words {
  const schema = schemaOf(setting, version);
  const saying = [...leavesOf(content, schema)].map(
    ([name, leaf]) =>
      [name, { ...leaf, value: isIll(leaf, schema) ? null : withoutNothing(leaf.value) }] as const,
  );
  return new Map(saying.filter(([, { value }]) => !isNothing(value)));
}

/** A value without the fields of its items that are null or empty. */
function withoutNothing(value: Json): Json {
  if (isArray(value)) return value.map(withoutNothing);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, withoutNothing(each)] as const);
  return Object.fromEntries(fields.filter(([, each]) => !isNothing(each)));
}

function isNothing(value: Json): boolean {
  if (value === null || isEmpty(value)) return true;
  return isArray(value) && value.length === 1 && isObject(value[0]) && isEmpty(value[0]);
}

/** Whether an object has a list that no server admits. */
export function hasIllList(setting: Setting, content: JsonObject, version: number): boolean {
  const schema = schemaOf(setting, version);
  return leavesOf(content, schema)
    .values()
    .some((leaf) => isIll(leaf, schema));
}

/**
 * Whether the image of a view has fewer items in its lists. Of two words that the lens reads as one item, such as `a:b` and `a` of
 * one id, none says which item was written (docs/reference/limits.md).
 */
export function losesItems(view: Json | undefined, shown: Json | undefined): boolean {
  return itemCount(shown) < itemCount(view);
}

/** The number of items in all lists of a value. */
function itemCount(value: Json | undefined): number {
  const below = isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return below.reduce<number>((sum, each) => sum + itemCount(each), isArray(value) ? value.length : 0);
}

/** Whether a leaf is a list with nulls in it, or with duplicate or missing keys. */
function isIll({ path, value }: ObjectLeaf, schema: Json | undefined): boolean {
  const keys = get(schemaAt(schema, path), "x-kubernetes-list-map-keys");
  return isArray(value) && (value.includes(null) || (value.length > 0 && keys !== undefined));
}

function schemaOf(setting: Setting, version: number): Json | undefined {
  return get(versionAt(setting, version).entry, "schema", "openAPIV3Schema");
}

function schemaAt(schema: Json | undefined, [step, ...rest]: LeafPath): Json | undefined {
  if (step === undefined) return schema;
  if (typeof step !== "string") return schemaAt(get(schema, "items"), rest);
  return schemaAt(get(schema, "properties", step) ?? get(schema, "additionalProperties"), rest);
}
