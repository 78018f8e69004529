import fc from "fast-check";
import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { type Codec, isArray, move } from "../../src/index.ts";
import { get, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const seed = Number(process.env.SEED);
const older = ["a", "b", "c", "x", "y"];
const newer = ["a", "b", "c", "p", "q"];

/** The words of a list that the other version has too. */
const among = (words: readonly string[]) => (list: Json | undefined) =>
  isArray(list) ? list.filter((word) => words.includes(String(word))) : undefined;
const known: Codec = { up: among(newer), down: among(older) };

const lossy = "each version has words of its own";

const kindWith = (listType: string) => {
  const list = (words: readonly string[]) => ({
    type: "array",
    "x-kubernetes-list-type": listType,
    items: { type: "string", enum: words },
  });
  return smallKind(
    {
      name: "v1",
      spec: { words: list(older) },
      lens: lens(move("spec.words", "spec.words", { ...known, lossy })),
    },
    { name: "v2", spec: { words: list(newer) } },
  );
};

// An applier cannot remove an item of a set that the other version lacks: docs/reference/limits.md.
it.each([
  ["atomic", ""],
  ["set", "FieldWise"],
])("all laws hold for words that one version alone has (%s) but %s", (listType, but) => {
  const results = checkLaws(kindWith(listType), { runs: 100, seed });
  const broken = results.filter(({ holds, law }) => !holds && law !== but);
  expect(broken.map(({ law, counterexample }) => [law, counterexample])).toEqual([]);
});

// The client adds, removes and moves words that it sees, in either version.
it.each([
  ["new", "old", 1, 0, newer, older],
  ["old", "new", 0, 1, older, newer],
] as const)(
  "words that the %s version alone has stay where the %s one writes",
  (_, __, from, to, own, others) => {
    const { chain } = kindWith("set");
    const shared = own.filter((word) => others.includes(word));
    const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
    const spokeOf = (object: JsonObject, at: number, end: number) => convert(object, chain, at, end);
    const lists = fc.tuple(fc.shuffledSubarray([...own]), fc.shuffledSubarray([...others], { minLength: 1 }));
    fc.assert(
      fc.property(lists, ([had, written]) => {
        const stored = {
          apiVersion: `example.org/v${from + 1}`,
          kind: "Thing",
          metadata,
          spec: { words: had },
        };
        const view = spokeOf(stored, from, to);
        const shown = (get(view, "spec", "words") ?? []) as readonly string[];
        expect(shown).toEqual(had.filter((word) => shared.includes(word)));
        const back = spokeOf({ ...view, spec: { words: written } }, to, from);
        const hidden = had.filter((word) => !shared.includes(word));
        const holds = (get(back, "spec", "words") ?? []) as readonly string[];
        expect(holds.filter((word) => hidden.includes(word)).toSorted()).toEqual(hidden.toSorted());
        expect(holds.filter((word) => !hidden.includes(word))).toEqual(
          written.filter((word) => own.includes(word)),
        );
      }),
      { numRuns: 300, seed },
    );
  },
);

const lock = (await loadKinds(["webhooks/home"])).find("home.antechamber.dev", "Lock");

/** The texts of the keys of a Lock at v1beta1, after a client of v1 wrote others than it saw. */
function textsAfter(had: readonly string[], write: (keys: readonly Json[]) => readonly Json[]): Json {
  if (lock === undefined) throw new Error("there is no Lock");
  const stored = {
    apiVersion: "home.antechamber.dev/v1beta1",
    kind: "Lock",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { keys: had },
  };
  const view = convert(stored, lock.chain, 0, 1);
  const keys = (get(view, "spec", "keys") ?? []) as readonly Json[];
  const hub = convert({ ...view, spec: { keys: write(keys) } }, lock.chain, 1, 0);
  return get(hub, "spec", "keys") ?? [];
}

// The older version reads both as keys with the id `a`: with the one that it shows the other one goes.
it("a text that would be read as an item that a client removed does not come back", () => {
  expect(textsAfter(["a:ida", "a:bo"], () => [])).toEqual([]);
});

const ids = ["a", "b", "c"];
const texts = ids.flatMap((id) => ["ida", "bo", "cy"].map((holder) => `${id}:${holder}`));

it("second texts of keys that a client of the other version changed do not come back", () => {
  const after = textsAfter(["a:ida", "a:bo", "b"], (keys) =>
    keys.map((key) => set(key as JsonObject, "holder", "cy")),
  );
  expect(after).toEqual(["a:cy", "b:cy"]);
});

it("second texts of a key go with the key alone", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(texts, { minLength: 1 }), fc.subarray(ids), (had, gone) => {
      const isGone = (id: unknown) => gone.includes(String(id));
      const after = textsAfter(had, (keys) => keys.filter((key) => !isGone(get(key, "id"))));
      expect(after).toEqual(had.filter((text) => !isGone(text[0])));
    }),
    { numRuns: 300, seed },
  );
});

it("second texts of keys stay, whatever order a client of the other version gives to the keys", () => {
  const orders = fc.shuffledSubarray(ids, { minLength: ids.length });
  fc.assert(
    fc.property(fc.shuffledSubarray(texts, { minLength: 1 }), orders, (had, order) => {
      const turn = (key: Json) => order.indexOf(String(get(key, "id")));
      const after = textsAfter(had, (keys) => keys.toSorted((a, b) => turn(a) - turn(b)));
      expect((after as readonly string[]).toSorted()).toEqual(had.toSorted());
    }),
    { numRuns: 300, seed },
  );
});
