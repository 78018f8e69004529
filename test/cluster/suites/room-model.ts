import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";

/**
 * What a Room should be, without conversion: the v1 object, what only v1beta1 can say, and for each old word what
 * was last read or written under it, with what v1 said then. As long as v1 says the same, so does the old word.
 */
export interface RoomModel {
  /** Spec and status at v1. */
  readonly hub: JsonObject;
  /** `owner`, and `phase` of status: nothing at v1 touches them. */
  readonly owner: Json | undefined;
  readonly phase: Json | undefined;
  readonly words: Readonly<Record<string, Word>>;
}

/** What stood under an old word, what v1 said then, and all that was ever written there. */
interface Word {
  readonly said: Json | undefined;
  readonly meant: Json | undefined;
  readonly past: readonly Omit<Word, "past">[];
}

/** The words of v1beta1 that are made of v1 fields. */
const words = {
  lights: (spec: JsonObject) => namesIn(spec.lights),
  brightness: (spec: JsonObject) => {
    const shared = sharedIn(spec.lights, "brightness");
    return typeof shared === "number" ? Math.round(shared * 100) : undefined;
  },
  doors: (spec: JsonObject) => namesIn(spec.locks),
  lockDoors: (spec: JsonObject) => {
    const shared = sharedIn(spec.locks, "state");
    return shared === undefined ? undefined : shared === "Locked";
  },
  temperature: (spec: JsonObject) => {
    const celsius = get(spec, "climate", "targetCelsius");
    return celsius === undefined ? undefined : `${celsius}C`;
  },
  floor: (spec: JsonObject) => get(spec, "location", "floor"),
} as const;

type WordName = keyof typeof words;
const names = Object.keys(words) as WordName[];

/** A Room that was made at v1. */
export function roomModel(hub: JsonObject): RoomModel {
  const model = { hub, owner: undefined, phase: undefined, words: {} };
  return { ...model, words: wordsOf(model, () => undefined) };
}

/** The Room after a write at v1: old words that v1 contradicts will say something else. */
export function writtenAtV1(model: RoomModel, hub: JsonObject): RoomModel {
  return { ...model, hub };
}

/** The Room after a write of spec at v1beta1, of what was read there before. */
export function writtenAtV1beta1(model: RoomModel, before: JsonObject, after: JsonObject): RoomModel {
  let spec = objectOr(model.hub.spec);
  spec = set(spec, "lights", itemsFor(spec.lights, "brightness", before, after, "lights", "brightness"));
  spec = set(spec, "locks", itemsFor(spec.locks, "state", before, after, "doors", "lockDoors"));
  if (!equal(before.temperature, after.temperature)) {
    spec = withIn(spec, "climate", "targetCelsius", celsiusOf(String(after.temperature)));
  }
  if (!equal(before.floor, after.floor)) spec = withIn(spec, "location", "floor", after.floor);
  const written = { ...model, hub: { ...model.hub, spec }, owner: after.owner };
  return { ...written, words: wordsOf(written, (name) => get(after, name)) };
}

/** The Room after a write of status at v1beta1. */
export function reportedAtV1beta1(model: RoomModel, status: JsonObject): RoomModel {
  const { phase, ...rest } = status;
  const lights = get(model.hub, "status", "lights");
  return {
    ...model,
    phase,
    hub: { ...model.hub, status: { ...rest, ...(lights === undefined ? {} : { lights }) } },
  };
}

/** The model with what was read at v1beta1, and the first field that must not read so. */
export function readAtV1beta1(
  model: RoomModel,
  spec: JsonObject,
): { readonly model: RoomModel; readonly fault?: string } {
  for (const name of names) {
    const read = get(spec, name);
    const allowed = allowedFor(model, name);
    if (!allowed.some((each) => equal(each, read))) {
      return { model, fault: `spec.${name} is ${textOf(read)}, not ${allowed.map(textOf).join(" or ")}` };
    }
  }
  if (!equal(spec.owner, model.owner)) {
    return { model, fault: `spec.owner is ${textOf(spec.owner)}, not ${textOf(model.owner)}` };
  }
  return { model: { ...model, words: wordsOf(model, (name) => get(spec, name)) } };
}

/** What v1beta1 may read under a word: what it said, while v1 says the same; else what v1 says, or said then. */
function allowedFor({ hub, words: known }: RoomModel, name: WordName): readonly (Json | undefined)[] {
  const now = words[name](objectOr(hub.spec));
  const word = known[name];
  if (word !== undefined && equal(word.meant, now)) return [word.said];
  return [now, ...(word?.past ?? []).flatMap(({ said, meant }) => (equal(meant, now) ? [said] : []))];
}

function wordsOf(model: RoomModel, said: (name: WordName) => Json | undefined): RoomModel["words"] {
  const known = model.words;
  return Object.fromEntries(
    names.map((name) => {
      const meant = words[name](objectOr(model.hub.spec));
      const word = { said: Object.keys(known).length === 0 ? meant : said(name), meant };
      return [name, { ...word, past: [...(known[name]?.past ?? []), word].slice(-50) }];
    }),
  );
}

/** Keyed items for a list of names and one value for all: what the names do not speak about stays with its item. */
function itemsFor(
  items: Json | undefined,
  field: string,
  before: JsonObject,
  after: JsonObject,
  list: string,
  shared: string,
): Json | undefined {
  const wanted = after[list];
  if (!isArray(wanted)) return undefined;
  const value = field === "state" ? stateOf(after[shared]) : shareOf(after[shared]);
  const isChanged = !equal(before[shared], after[shared]);
  return wanted.map((name) => {
    const item = (isArray(items) ? items : []).find((each) => get(each, "name") === name);
    if (isObject(item) && !isChanged) return item;
    return set(isObject(item) ? item : { name }, field, value);
  });
}

function shareOf(level: Json | undefined): number | undefined {
  return typeof level === "number" ? level / 100 : undefined;
}

function stateOf(locked: Json | undefined): string | undefined {
  return typeof locked === "boolean" ? (locked ? "Locked" : "Unlocked") : undefined;
}

function celsiusOf(text: string): number {
  const degrees = Number(text.slice(0, -1));
  return text.endsWith("F") ? ((degrees - 32) * 5) / 9 : degrees;
}

function namesIn(items: Json | undefined): Json | undefined {
  return isArray(items) ? items.flatMap((item) => get(item, "name") ?? []) : undefined;
}

function sharedIn(items: Json | undefined, field: string): Json | undefined {
  const values = isArray(items) ? items.map((item) => get(item, field)) : [];
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}

function withIn(spec: JsonObject, parent: string, key: string, value: Json | undefined): JsonObject {
  return set(spec, parent, set(objectOr(spec[parent]), key, value));
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
