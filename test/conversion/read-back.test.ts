import fc from "fast-check";
import { expect, it } from "vitest";
import { get, type Json, type JsonObject, listAt, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { apiServerOf, type Held, nothing } from "../../src/play/life/server.ts";

const { all } = await loadKinds(["test/kinds/office"]);
const kind = all.find(({ name }) => name.startsWith("Cabinet"));
if (kind === undefined) throw new Error("there is no Cabinet");
const server = apiServerOf(kind);

const id = fc.constantFrom("a", "a:b", "b", "~x");
const key = fc.oneof(fc.record({ id }), fc.record({ id, holder: fc.constantFrom("b", "c", "b:c") }));
const keys = fc.uniqueArray(key, { selector: (each) => each.id, maxLength: 4 });
const order = fc.array(fc.nat(3), { minLength: 4, maxLength: 4 });

/** The items in the order of some ranks. */
function ordered(items: readonly Json[], ranks: readonly number[]): readonly Json[] {
  const places = [...items.keys()].sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
  return places.map((at) => items[at] as Json);
}

function written(held: Held, verb: "create" | "update", object: JsonObject): Held {
  const answer = server.write(held, { verb, manager: "kubectl", object });
  expect(answer.message).toBeUndefined();
  return answer.held;
}

// An id with a colon is a text of which the way back makes another key, so that texts and keys cross in every way.
it("a client reads the list that it wrote, whatever one of the other version said before", () => {
  fc.assert(
    fc.property(keys, order, order, (before, ranks, others) => {
      const metadata = { name: "one", namespace: "home" };
      const cabinet = {
        apiVersion: "office.example.org/v1",
        kind: "Cabinet",
        metadata,
        spec: { keys: before },
      };
      const created = written(nothing, "create", cabinet);
      const stored = server.read(created, "v1") ?? {};
      const moved = written(created, "update", set(stored, "spec", "keys", ordered(before, ranks)));
      const view = server.read(moved, "v1beta1") ?? {};
      const texts = ordered(listAt(view, "spec", "keys"), others);
      const last = written(moved, "update", set(view, "spec", "keys", texts));
      expect(get(server.read(last, "v1beta1"), "spec", "keys") ?? []).toEqual(texts);
    }),
    { numRuns: 1000, seed: Number(process.env.SEED) },
  );
});
