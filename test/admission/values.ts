import fc from "fast-check";
import { isArray, isObject, type Json } from "../../src/json/json.ts";

/** Keys that have been taken for something else: pointers' own signs, indexes, prototypes, nothing at all. */
export const strangeKeys = [
  "",
  "-",
  "0",
  "10",
  "01",
  "a/b",
  "~",
  "~1",
  "~0",
  "m~n/o",
  "__proto__",
  "constructor",
];

const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("name", "port", "spec", "a", "b") },
  { weight: 2, arbitrary: fc.constantFrom(...strangeKeys) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 3 }) },
);

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, 2, "", "a", "b", "1", JSON.rawJSON("9007199254740993")),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
  fc.bigInt({ min: 2n ** 63n - 3n, max: 2n ** 63n }).map((integer) => JSON.rawJSON(String(integer))),
);

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    objectOf(tie("value")),
    fc.array(scalar, { maxLength: 6 }),
    fc.array(tie("value"), { maxLength: 4 }),
    keyedListOf(tie("value")),
  ),
}));

/** Any JSON: small alphabets, so that two of them have much in common. */
export const json: fc.Arbitrary<Json> = value;

/** An object at the root, as in an admission review. */
export const jsonObject: fc.Arbitrary<Json> = objectOf(value);

/** A list of objects with distinct names. */
export const keyedList: fc.Arbitrary<readonly Json[]> = keyedListOf(
  fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
);

/**
 * A list of items with names, large enough to be worth keeping, and what became of it: some taken away, some moved,
 * some changed, some added.
 */
export const editedList: fc.Arbitrary<readonly [before: readonly Json[], after: readonly Json[]]> = fc
  .tuple(
    fc.integer({ min: 0, max: 12 }),
    fc.boolean(),
    fc.array(fc.tuple(fc.nat(12), fc.boolean()), { maxLength: 3 }),
  )
  .chain(([length, moves, edits]) => {
    const before = Array.from({ length }, (_, index) => sized(`item-${index}`, 0));
    const kept = moves ? fc.shuffledSubarray(before) : fc.subarray(before);
    return fc.tuple(
      fc.constant(before),
      kept.map((after) => edits.reduce(edit, after)),
    );
  });

/** Ways of telling the items of lists apart, right or wrong for the list that they meet. */
export const keysOf = fc.constantFrom(
  () => undefined,
  () => ["name"],
  () => ["name", "port"],
  () => ["a"],
  () => [],
  (path: readonly (string | number)[]) => (path.length % 2 === 0 ? ["name"] : undefined),
);

/** Whether a key `__proto__` is anywhere in a value. */
export function hasProto(value: Json): boolean {
  if (isArray(value)) return value.some(hasProto);
  return isObject(value) && (Object.hasOwn(value, "__proto__") || Object.values(value).some(hasProto));
}

/** Canonical text: what two values must share to be the same JSON, judged without the code under test. */
export function text(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** The same JSON in other memory, its keys in another order. */
export function copy(value: Json): Json {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, child]) => [key, copy(child)]),
  );
}

function objectOf(child: fc.Arbitrary<Json>) {
  return fc
    .uniqueArray(fc.tuple(key, child), { maxLength: 5, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries));
}

function keyedListOf(child: fc.Arbitrary<Json>): fc.Arbitrary<readonly Json[]> {
  const name = fc.constantFrom<Json>("a", "b", "c", "d", "e", "f", 1, "1");
  const item = fc.tuple(name, fc.constantFrom(1, 2), objectOf(child));
  return fc
    .uniqueArray(item, { maxLength: 7, selector: ([name]) => JSON.stringify(name) })
    .map((items) => items.map(([name, port, rest]) => ({ ...rest, name, port })));
}

function sized(name: string, port: number): Json {
  return { name, port, image: `registry.example/${name}`.padEnd(150, "-") };
}

function edit(list: readonly Json[], [index, change]: readonly [number, boolean]): readonly Json[] {
  const item = list[index];
  if (change && isObject(item)) return list.with(index, { ...item, port: index + 1 });
  return list.toSpliced(index, 0, sized(`new-${list.length}`, index));
}
