import { isNumber, parseJson, toDecimal, toDouble, toInteger, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";

/** The webhook panics: the connection closes without an answer. */
export class Panic extends Error {}

/** The webhook answers with a failure. */
export class Refusal extends Error {}

/** One conversion: what was sent, what upstream's function made of it, and the version that was asked for. */
interface Conversion {
  readonly sent: JsonObject;
  readonly made: JsonObject;
  readonly to: string;
  /** The objects before it in the same review, as they were sent. */
  readonly before: readonly JsonObject[];
  /** How many conversions there were. */
  readonly count: number;
}

/** A mistake in a conversion function, as its author may make it: what it makes in place of what upstream's makes. */
export type Mutation = (conversion: Conversion) => JsonObject;

type Change = (value: Json) => Json | undefined;

/** A mistake that shows in what is converted to one version alone. */
const inside =
  (
    change: (
      place: string,
      ...args: readonly string[]
    ) => (made: JsonObject, conversion: Conversion) => JsonObject,
  ) =>
  (to: string, place: string, ...args: readonly string[]): Mutation => {
    const changed = change(place, ...args);
    return (conversion) => (conversion.to === to ? changed(conversion.made, conversion) : conversion.made);
  };

const atPlace = (change: (...args: readonly string[]) => Change) =>
  inside((place, ...args) => {
    const changed = change(...args);
    return (made) => changedAt(made, place, changed);
  });

const annotation = "example.com/saved";

/** The mistakes, by name. Each takes the version that is converted to, a place, and more. */
export const operators: Readonly<
  Record<string, (to: string, place: string, ...args: readonly string[]) => Mutation>
> = {
  /** The line is forgotten. */
  drop: atPlace(() => () => undefined),
  /** It is forgotten where another field is set: an `else` that should not be one. */
  dropWith: inside(
    (place, other) => (made) =>
      valuesAt(made, other ?? "").length === 0 ? made : changedAt(made, place, () => undefined),
  ),
  /** It is forgotten where another field is not set: a nil check around too much. */
  dropWithout: inside(
    (place, other) => (made) =>
      valuesAt(made, other ?? "").length > 0 ? made : changedAt(made, place, () => undefined),
  ),
  /** Only one value of it is copied: a switch without the other cases. */
  dropOf: atPlace((word) => (value) => (value === word ? undefined : value)),
  /** A loop returns in its first round. */
  first: atPlace(() => (value) => (isArray(value) ? value.slice(0, 1) : value)),
  /** The loop variable is taken by reference: all items are the last one. */
  repeat: atPlace(() => (value) => (isArray(value) ? value.map(() => value.at(-1) ?? null) : value)),
  reverse: atPlace(() => (value) => (isArray(value) ? value.toReversed() : value)),
  sort: atPlace(
    () => (value) =>
      isArray(value) ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : value,
  ),
  /** A list ends one item too early. */
  shorter: atPlace(() => (value) => (isArray(value) && value.length > 1 ? value.slice(0, -1) : value)),
  /** A map is copied in a loop that returns. */
  oneKey: atPlace(
    () => (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).slice(0, 1)) : value),
  ),
  /** Keys of a map are changed as names are. */
  lowerKeys: atPlace(
    () => (value) =>
      isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [`${name}-`, each]))
        : value,
  ),
  /** Another unit. */
  times: atPlace(
    (factor) => (value) =>
      isNumber(value) ? toInteger(String(BigInt(toDecimal(value)) * BigInt(factor ?? 60))) : value,
  ),
  /** A duration is read in another unit. */
  seconds: atPlace(() => (value) => (typeof value === "string" ? value.replace(/m(0s)?$/, "s") : value)),
  plusOne: atPlace(() => (value) => (isNumber(value) ? toDouble(value) + 1 : value)),
  /** `map[string]any` in between. */
  double: atPlace(() => (value) => (isNumber(value) ? toInteger(BigInt(toDouble(value)).toString()) : value)),
  /** `int32(x)`. */
  int32: atPlace(
    () => (value) => (isNumber(value) ? Number(BigInt.asIntN(32, BigInt(toDecimal(value)))) : value),
  ),
  /** The number becomes a text, or the text a number, of the type that both versions have. */
  negate: atPlace(() => (value) => (typeof value === "boolean" ? !value : value)),
  lower: atPlace(() => (value) => (typeof value === "string" ? value.toLowerCase() : value)),
  upper: atPlace(() => (value) => (typeof value === "string" ? value.toUpperCase() : value)),
  cut: atPlace((length) => (value) => (typeof value === "string" ? value.slice(0, Number(length)) : value)),
  /** A constant in place of the value. */
  fixed: atPlace((word) => () => JSON.parse(word ?? "null")),
  /** One word of an enumeration for another: a case that falls through. */
  word: atPlace((from, to) => (value) => (value === from ? (to ?? "") : value)),
  /** Two fields of one parent are taken for each other. */
  swap: inside((place, other) => (made) => {
    const [parent, name] = parentOf(place);
    return changedAt(made, parent, (value) => {
      if (!isObject(value)) return value;
      const [a, b] = [get(value, name), get(value, other ?? "")];
      return set(set(value, name, b), other ?? "", a);
    });
  }),
  /** One field is copied from another one of its parent. */
  copied: inside((place, other) => (made) => {
    const [parent, name] = parentOf(place);
    return changedAt(made, parent, (value) =>
      isObject(value) ? set(value, name, get(value, other ?? "")) : value,
    );
  }),
  /** An answer that depends on how often it was asked. */
  random: inside(
    (place) =>
      (made, { count }) =>
        changedAt(made, place, (value) =>
          isNumber(value) ? (count % 7) + 1 : typeof value === "string" ? `${value}${count % 7}` : value,
        ),
  ),
  /** A variable outside of the function keeps the value of the object before. */
  leak: inside((place) => (made, { before }) => {
    const [last] = before.flatMap((each) => valuesAt(each, place)).toReversed();
    return last === undefined ? made : changedAt(made, place, () => last, true);
  }),
  /** A pointer is followed that may be nil, or the other way round. */
  panicWith: inside((place) => (made, { sent }) => {
    if (valuesAt(sent, place).length > 0) throw new Panic();
    return made;
  }),
  panicWithout: inside((place) => (made, { sent }) => {
    if (valuesAt(sent, place).length === 0) throw new Panic();
    return made;
  }),
  /** The first item of a list is read that may be empty. */
  panicEmpty: inside((place) => (made, { sent }) => {
    if (valuesAt(sent, place).some((value) => isArray(value) && value.length === 0)) throw new Panic();
    return made;
  }),
  /** "Not supported", where the schema admits it. */
  refuse: inside((place) => (made, { sent }) => {
    if (valuesAt(sent, place).length > 0) throw new Refusal(`${place} is not supported`);
    return made;
  }),
  /** One word of an enumeration is not known. */
  refuseOf: inside((place, word) => (made, { sent }) => {
    if (valuesAt(sent, place).includes(word ?? "")) throw new Refusal(`${word} is not known`);
    return made;
  }),
  /** An error is only logged, and the answer is a success without what came after. */
  emptied: inside((place) => (made, { sent }) => {
    const isUnread = valuesAt(sent, place).some(
      (value) => typeof value === "string" && !/^[0-9]+[smh]/.test(value),
    );
    return isUnread ? { ...made, spec: {} } : made;
  }),
  /** All labels and annotations are those of a new object. */
  dropMarks: inside((name) => (made) => ({
    ...made,
    metadata: set(isObject(made.metadata) ? made.metadata : {}, name, undefined),
  })),
  /** The API server refuses another name. */
  rename: inside(() => (made) => ({
    ...made,
    metadata: { ...(isObject(made.metadata) ? made.metadata : {}), name: "other" },
  })),
  /** A value is kept in an annotation, and that wins over what a client wrote. */
  stale:
    (down, place) =>
    ({ sent, made, to }) =>
      to === down ? saved(made, place) : restored(sent, made, place),
  /** A value is kept in an annotation, and an edited one makes the function panic, or is refused. */
  panicEdited: edited(() => new Panic()),
  refuseEdited: edited((place) => new Refusal(`${place} is not what the annotation says`)),
  /** A value is kept in an annotation alone, although the version has a field for it. */
  hide:
    (down, place) =>
    ({ sent, made, to }) =>
      to === down ? changedAt(saved(made, place), place, () => undefined) : restored(sent, made, place),
};

/** A mistake that shows only when a client edits what an annotation keeps, too. */
function edited(fail: (place: string) => Error) {
  return (down: string, place: string): Mutation =>
    ({ sent, made, to }) => {
      if (to === down) return saved(made, place);
      const [stored, [value = null]] = [savedIn(sent), valuesAt(sent, place)];
      if (stored !== undefined && writeJson(value) !== stored) throw fail(place);
      return marked(made, undefined);
    };
}

/** An object with a value of it in the annotation, too. */
function saved(made: JsonObject, place: string): JsonObject {
  const [value] = valuesAt(made, place);
  return value === undefined ? made : marked(made, writeJson(value));
}

/** An object with the value that the annotation keeps. What no program wrote there is left alone. */
function restored(sent: JsonObject, made: JsonObject, place: string): JsonObject {
  const stored = savedIn(sent);
  const bare = marked(made, undefined);
  try {
    return stored !== undefined ? changedAt(bare, place, () => parseJson(stored), true) : bare;
  } catch (error) {
    if (error instanceof SyntaxError) return bare;
    throw error;
  }
}

/** What the annotation keeps. */
function savedIn(object: JsonObject): string | undefined {
  const stored = get(object, "metadata", "annotations", annotation);
  return typeof stored === "string" ? stored : undefined;
}

/** An object with the annotation that keeps a value, or without it. */
function marked(object: JsonObject, text: string | undefined): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  const made = set(annotations, annotation, text);
  return {
    ...object,
    metadata: set(metadata, "annotations", Object.keys(made).length === 0 ? undefined : made),
  };
}

/** Sound ways to convert otherwise than upstream does: nothing may be found. */
export const soundWays: Readonly<Record<string, Mutation>> = {
  "as upstream does": ({ made }) => made,
  "keys in another order": ({ made }) => Object.fromEntries(Object.entries(made).toReversed()),
  "an annotation that says which version it came from": ({ sent, made }) => {
    const metadata = isObject(made.metadata) ? made.metadata : {};
    const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
    const from = { "example.com/converted-from": sent.apiVersion ?? "" };
    return { ...made, metadata: { ...metadata, annotations: { ...annotations, ...from } } };
  },
  "zero values are printed": ({ made }) => ({ status: {}, ...made, spec: made.spec ?? {} }),
};

function parentOf(place: string): readonly [parent: string, name: string] {
  const at = place.lastIndexOf(".");
  return [place.slice(0, at), place.slice(at + 1)];
}

/** `spec.a[].b.*` as steps. */
function stepsOf(place: string): readonly string[] {
  return place.replaceAll("[]", ".[]").split(".");
}

/** All values at a place. */
export function valuesAt(object: Json, place: string): readonly Json[] {
  return stepsOf(place).reduce<readonly Json[]>(
    (values, step) =>
      values.flatMap((value) => {
        if (step === "[]") return isArray(value) ? value : [];
        if (!isObject(value)) return [];
        if (step === "*") return Object.values(value);
        const inner = get(value, step);
        return inner === undefined ? [] : [inner];
      }),
    [object],
  );
}

/** An object with all values at a place changed; with `isNew` one that is not there is made. */
function changedAt(object: JsonObject, place: string, change: Change, isNew = false): JsonObject {
  const visit = (value: Json | undefined, [step, ...rest]: readonly string[]): Json | undefined => {
    if (step === undefined) return value === undefined && !isNew ? undefined : change(value ?? null);
    if (step === "[]")
      return isArray(value)
        ? value.flatMap((item) => {
            const made = visit(item, rest);
            return made === undefined ? [] : [made];
          })
        : value;
    const here = value === undefined && isNew ? {} : value;
    if (!isObject(here)) return value;
    const names = step === "*" ? Object.keys(here) : [step];
    return names.reduce((made: JsonObject, name) => {
      const before = get(made, name);
      return before === undefined && !isNew ? made : set(made, name, visit(before, rest));
    }, here);
  };
  const made = visit(object, stepsOf(place));
  return isObject(made) ? made : object;
}
