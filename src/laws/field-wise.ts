import fc from "fast-check";
import { carrierField } from "../conversion/carriers.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { faultsAt } from "./admitted.ts";
import { bareOf, contentOf } from "./bare.ts";
import { hasIllList, losesItems } from "./contradiction.ts";
import { rulesOf } from "./groups.ts";
import { type Claim, claim, type Finding, type Law } from "./law.ts";
import {
  assembled,
  fieldOfName,
  type LeafPath,
  leavesOf,
  nameOfPath,
  type ObjectLeaf,
  restricted,
} from "./leaves.ts";
import { readAt, type Setting, trip, versionAt, wayOf } from "./setting.ts";

/** Law 5. */
export const fieldWise: Law = {
  name: "FieldWise",
  statement:
    "For fields that are mapped one to one, converting a part of an object gives that part of the converted object. Of several fields that map to one field, none is lost with another. Nothing is invented.",
  claims: (setting) =>
    setting.spokes.flatMap((spoke) => [
      nothingInvented(setting, setting.hub, spoke),
      nothingInvented(setting, spoke, setting.hub),
      partsOfImages(setting, setting.hub, spoke),
      partsOfImages(setting, spoke, setting.hub),
      // The server merges leaf by leaf only in the carrier in status.
      ...(versionAt(setting, spoke).carriesStatus
        ? [prunedAtASpoke(setting, spoke), ...origins.map((origin) => prunedAtTheHub(setting, spoke, origin))]
        : []),
    ]),
};

/** The most leaves of one object to examine, since each costs a conversion. */
const most = 24;

function nothingInvented(setting: Setting, from: number, to: number): Claim {
  const empties = fc.constantFrom<JsonObject[]>(
    {},
    { spec: {} },
    { spec: null },
    { status: {} },
    { spec: {}, status: {} },
  );
  return claim("an empty object converts to an empty object", wayOf(setting, from, to), empties, (object) => {
    const shown = image(object, setting.kind.chain, from, to);
    const said = [...leavesOf(shown, undefined).values()].filter(
      ({ value }) => value !== null && !isEmpty(value),
    );
    return said.length === 0 ? undefined : { object, steps: [], field: "", expected: {}, actual: shown };
  });
}

/**
 * The leaves of an object on which each leaf of its image depends: without one it changes, or one alone produces it.
 */
type Sources = ReadonlyMap<string, ReadonlySet<string>>;

interface Dissection {
  readonly leaves: ReadonlyMap<string, ObjectLeaf>;
  readonly words: ReadonlyMap<string, ObjectLeaf>;
  readonly sources: Sources;
}

function dissected(setting: Setting, content: JsonObject, from: number, to: number): Dissection {
  const leaves = new Map([...leavesOf(content, schemaOf(setting, from))].slice(0, most));
  const imageOf = (these: Iterable<ObjectLeaf>) =>
    leavesOf(image(assembled(these), setting.kind.chain, from, to), schemaOf(setting, to));
  const words = imageOf(leaves.values());
  const sources = new Map<string, Set<string>>([...words.keys()].map((word) => [word, new Set()]));
  for (const name of leaves.keys()) {
    const rest = imageOf(without(leaves, name));
    const alone = imageOf(
      partOf(
        leaves,
        [...leaves.keys()].map((each) => each === name),
      ).values(),
    );
    for (const [word, { value }] of words) {
      if (alone.has(word) || !equal(rest.get(word)?.value, value)) sources.get(word)?.add(name);
    }
  }
  return { leaves, words, sources };
}

function partsOfImages(setting: Setting, from: number, to: number): Claim {
  const objects = setting.objects[from]?.valid ?? fc.constant({});
  const cases = fc.tuple(objects, fc.array(fc.boolean(), { minLength: most, maxLength: most }));
  return claim(
    "converting a part gives that part of the converted object",
    wayOf(setting, from, to),
    cases,
    ([object, mask]) => {
      const { leaves, words, sources } = dissected(setting, contentOf(object), from, to);
      const part = partOf(leaves, mask);
      const whole = assembled(part.values());
      const shown = leavesOf(image(whole, setting.kind.chain, from, to), schemaOf(setting, to));
      for (const [word, { value }] of words) {
        const [source, ...others] = sources.get(word) ?? [];
        if (source === undefined || others.length > 0) continue;
        const expected = part.has(source) ? value : undefined;
        const actual = shown.get(word)?.value;
        if (equal(expected, actual) || !saysAlone(setting, leaves, source, word, value, from, to)) continue;
        return {
          object: whole,
          steps: ["part of", JSON.stringify(object)],
          field: fieldOfName(word),
          expected,
          actual,
        };
      }
      return undefined;
    },
  );
}

/**
 * Whether a leaf produces a leaf of the image by itself. If it does so only together with others, it is not mapped one
 * to one.
 */
function saysAlone(
  setting: Setting,
  leaves: ReadonlyMap<string, ObjectLeaf>,
  source: string,
  word: string,
  value: Json,
  from: number,
  to: number,
): boolean {
  const mask = [...leaves.keys()].map((each) => each === source);
  const alone = image(assembled(partOf(leaves, mask).values()), setting.kind.chain, from, to);
  return equal(leavesOf(alone, schemaOf(setting, to)).get(word)?.value, value);
}

/**
 * What server-side apply does when an applier stops applying fields: it converts the whole object and the remaining part to
 * the spoke, and keeps of the whole view only the fields that the part's view has (structured-merge-diff, merge/update.go,
 * prune).
 */
function prunedAtASpoke(setting: Setting, spoke: number): Claim {
  const { hub } = setting;
  // Only objects written at the hub: a whole container of a spoke, such as `spec: {}`, belongs to the whole object and
  // not
  // to its part, and no rule for leaves can change that.
  const objects = setting.objects[hub]?.valid ?? fc.constant({});
  const cases = fc.tuple(objects, fc.array(fc.boolean(), { minLength: most, maxLength: most }));
  const { groups } = rulesOf(setting.kind, spoke, hub);
  // Of a lens written by hand no rows are known.
  const isPartOf = (path: LeafPath) =>
    groups.some(({ there }) =>
      there.some(
        (row) => row.length > 0 && row.length < path.length && row.every((step, at) => step === path[at]),
      ),
    );
  return claim(
    "what an applier stops applying is removed, and nothing else",
    wayOf(setting, hub, spoke, hub),
    cases,
    ([drawn, mask]) => {
      const stored = readAt(setting, drawn, hub);
      const { leaves, words, sources } = dissected(setting, contentOf(stored), hub, spoke);
      const part = partOf(leaves, mask);
      const renewed = dissected(setting, assembled(part.values()), hub, spoke).sources;
      const impossible = new Set(
        [...renewed].flatMap(([word, these]) => (words.has(word) ? [] : [...these])),
      );
      const pruned = withContent(stored, assembled(part.values()));
      const whole = withContent(stored, assembled(leaves.values()));
      const [all, some] = [whole, pruned].map((each) => trip(setting, each, hub, spoke));
      const view = contentOf(all ?? {});
      const shown = image(view, setting.kind.chain, spoke, hub);
      // Nor do items tell which is which of which the view lacks the part of the key that does.
      if (losesItems(view, shown) || hasIllList(setting, shown, hub)) return undefined;
      const cut = restricted(all ?? {}, some ?? {}, schemaOf(setting, spoke));
      const back = leavesOf(contentOf(trip(setting, cut, spoke, hub)), schemaOf(setting, hub));
      const steps = [stopped([...leaves.keys()].filter((name) => !part.has(name)))];
      return (
        lostOf(part, back, impossible, whole, steps) ??
        leftOf(part, { leaves, words, sources }, back, whole, steps, isPartOf)
      );
    },
  );
}

function stopped(names: readonly string[]): string {
  return `stop applying ${names.map(fieldOfName).join(", ")}`;
}

/** Where the stored object came from: an export without status has the annotation alone. */
const origins = ["a stored object", "an object from an export"] as const;

/**
 * The same for an applier of the spoke, next to a manager of the hub, such as of a label: the view and its remaining part are
 * converted to the hub, and back.
 */
function prunedAtTheHub(setting: Setting, spoke: number, origin: (typeof origins)[number]): Claim {
  const { hub } = setting;
  const objects = setting.objects[spoke]?.valid ?? fc.constant({});
  const cases = fc.tuple(objects, fc.array(fc.boolean(), { minLength: most, maxLength: most }));
  const { name } = versionAt(setting, spoke);
  return claim(
    `what an applier of ${name} stops applying to ${origin} is removed, and nothing else`,
    wayOf(setting, spoke, hub, spoke),
    cases,
    ([drawn, chosen]) => {
      const stored = trip(setting, appliedAt(setting, readAt(setting, drawn, spoke), spoke), spoke, hub);
      const object = origin === "a stored object" ? stored : set(stored, "status", bareOf(stored).status);
      // Server-side apply merges by the schema of either version, which both have to admit the object.
      if (faultsAt(versionAt(setting, hub), bareOf(object)).length > 0) return undefined;
      const view = withoutManagers(readAt(setting, trip(setting, object, hub, spoke), spoke));
      const leaves = leavesOf(contentOf(view), schemaOf(setting, spoke));
      if (leaves.size > most) return undefined;
      const part = withWholeSets(partOf(leaves, chosen), leaves);
      const [all, some] = [view, withFields(view, assembled(part.values()))].map((each) =>
        trip(setting, each, spoke, hub),
      );
      const cut = restricted(all ?? {}, some ?? {}, schemaOf(setting, hub));
      const back = leavesOf(contentOf(trip(setting, cut, hub, spoke)), schemaOf(setting, spoke));
      const gone = [...leaves.keys()].filter((each) => !part.has(each));
      const steps = [stopped(gone)];
      const said = new Map([...part].filter(([, { value }]) => !isEmpty(value)));
      const { words, sources } = dissected(setting, assembled(leaves.values()), spoke, hub);
      // Of a list that server-side apply treats as a whole no applier can take a part away.
      const isOfAList = (each: string) =>
        [...sources].some(
          ([word, these]) => these.size > 1 && these.has(each) && isArray(words.get(word)?.value),
        );
      const left = gone.find((each) => back.has(each) && !isContainer(each, part) && !isOfAList(each));
      return (
        lostOf(said, back, new Set(), view, steps) ??
        (left === undefined
          ? undefined
          : {
              object: view,
              steps,
              field: fieldOfName(left),
              expected: undefined,
              actual: back.get(left)?.value,
            })
      );
    },
  );
}

/** An object as its applier at a version has stored it. */
function appliedAt(setting: Setting, object: JsonObject, version: number): JsonObject {
  const { apiVersion } = versionAt(setting, version);
  const managedFields = [{ manager: "one", operation: "Apply", apiVersion, fieldsV1: { "f:spec": {} } }];
  return withMetadata(object, { managedFields });
}

/** An object as server-side apply converts it (apimachinery, managedfields/internal, structuredMergeManager.Apply). */
function withoutManagers(object: JsonObject): JsonObject {
  return withMetadata(object, { managedFields: undefined });
}

function withMetadata(
  object: JsonObject,
  { managedFields }: { managedFields?: Json | undefined },
): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return set(object, "metadata", set(metadata, "managedFields", managedFields));
}

/** A selection of leaves with all elements of a set, which is one leaf of a carrier, if it has any. */
function withWholeSets(part: Leaves, leaves: Leaves): Leaves {
  const setOf = ({ path }: ObjectLeaf) =>
    typeof path.at(-1) === "object" && "element" in (path.at(-1) as object)
      ? nameOfPath(path.slice(0, -1))
      : undefined;
  const sets = new Set([...part.values()].map(setOf));
  return new Map(
    [...leaves].filter(
      ([name, leaf]) => part.has(name) || (setOf(leaf) !== undefined && sets.has(setOf(leaf))),
    ),
  );
}

/** Whether a leaf is the empty container around other leaves. */
function isContainer(name: string, leaves: Leaves): boolean {
  const inside = `${name.slice(0, -1)},`;
  return leaves.keys().some((each) => each.startsWith(inside));
}

/** An object with other fields, and with its own carriers. */
function withFields(object: JsonObject, content: JsonObject): JsonObject {
  const field = get(object, "status", carrierField);
  const { status } = content;
  const fields = field === undefined ? status : set(isObject(status) ? status : {}, carrierField, field);
  return set(withContent(object, content), "status", fields);
}

type Leaves = ReadonlyMap<string, ObjectLeaf>;

/**
 * A leaf that should stay and is lost. If the part's view has a leaf that the whole view lacks (`a` for `a:ida`), the server
 * removes it with everything below, and no carrier can prevent that.
 */
function lostOf(
  part: Leaves,
  back: Leaves,
  impossible: ReadonlySet<string>,
  object: JsonObject,
  steps: readonly string[],
): Finding {
  for (const [name, { path, value }] of part) {
    const actual = back.get(name)?.value;
    if (equal(actual, value) || [name, ...itemsOf(path)].some((each) => impossible.has(each))) continue;
    return { object, steps, field: fieldOfName(name), expected: value, actual };
  }
  return undefined;
}

/**
 * A leaf that should be removed and stays. A part of what the other version says in one word may stay: of a list, of an object
 * that server-side apply owns as a whole there, or of an object that a row maps to one value.
 */
function leftOf(
  part: Leaves,
  { leaves, words, sources }: Dissection,
  back: Leaves,
  object: JsonObject,
  steps: readonly string[],
  isPartOf: (path: LeafPath) => boolean,
): Finding {
  const isScalar = (word: string) => typeof words.get(word)?.value !== "object";
  for (const [name, { path, value }] of leaves) {
    if (part.has(name) || !back.has(name)) continue;
    const said = [...sources].filter(([, these]) => these.has(name));
    const isOfList = isArray(value) || path.some((step) => typeof step !== "string");
    const isJudged = said.every(
      ([word, these]) => these.size === 1 || (!isOfList && isScalar(word) && !isPartOf(path)),
    );
    if (isJudged)
      return { object, steps, field: fieldOfName(name), expected: undefined, actual: back.get(name)?.value };
  }
  return undefined;
}

/** A selection of leaves; with any leaf of an item comes the item's own leaf. */
function partOf(leaves: Leaves, mask: readonly boolean[]): Leaves {
  const chosen = [...leaves].filter((_, index) => mask[index] ?? false);
  const items = new Set(chosen.flatMap(([, { path }]) => itemsOf(path)));
  return new Map([...leaves].filter(([name], index) => mask[index] || items.has(name)));
}

/** The names of the items that contain a leaf. */
function itemsOf(path: LeafPath): readonly string[] {
  return path.flatMap((step, index) =>
    typeof step === "string" ? [] : [nameOfPath(path.slice(0, index + 1))],
  );
}

/** All leaves but one; removing an item's own leaf removes the item. */
function without(leaves: Leaves, name: string): readonly ObjectLeaf[] {
  const inside = `${name.slice(0, -1)},`;
  return [...leaves].filter(([each]) => each !== name && !each.startsWith(inside)).map(([, leaf]) => leaf);
}

function withContent({ apiVersion, kind, metadata }: JsonObject, content: JsonObject): JsonObject {
  const identity = Object.entries({ apiVersion, kind, metadata });
  return {
    ...Object.fromEntries(identity.filter((entry): entry is [string, Json] => entry[1] !== undefined)),
    ...content,
  };
}

function schemaOf(setting: Setting, version: number): Json | undefined {
  return get(versionAt(setting, version).entry, "schema", "openAPIV3Schema");
}

function isEmpty(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
