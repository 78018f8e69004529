import { describe, expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { move } from "../../src/index.ts";
import { get, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { restricted } from "../../src/laws/leaves.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

// Maps whose values repeat the key of their entry: a crew's members in the older version, its shifts in the newer one.
const crew = (await loadKinds(["test/kinds/office"])).find("office.example.org", "Crew");
if (crew === undefined) throw new Error("there is no kind Crew");
const { chain } = crew;
const views = { v1beta1: 0, v1: 1 } as const;

/** What a client writes of one field, at the version where it is a map. */
const written = (version: keyof typeof views, spec: JsonObject): JsonObject => ({
  apiVersion: `office.example.org/${version}`,
  kind: "Crew",
  metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
  spec,
});
const shownAt = (version: keyof typeof views, object: JsonObject) =>
  convert(object, chain, object.apiVersion === "office.example.org/v1" ? 1 : 0, views[version]);

describe.each([
  ["members", "v1beta1", "v1", "role", "lead"],
  ["shifts", "v1", "v1beta1", "hours", 8],
] as const)("of %s, a map in %s and a list in %s", (field, map, list, more, value) => {
  const listOf = (entries: Json) => get(shownAt(list, written(map, { [field]: entries })), "spec", field);

  it("the list has each key once, whatever the values say", () => {
    const named = [{ name: "a" }, { name: "b" }, { name: "c" }];
    expect(listOf({ a: { name: "a" }, b: { name: "other" }, c: {} })).toEqual(named);
  });

  it("an entry that a client of the list writes repeats its key", () => {
    const object = written(list, { [field]: [{ name: "a" }] });
    expect(shownAt(map, object).spec).toEqual({ [field]: { a: { name: "a" } } });
  });

  it("what a client of the map wrote in place of the key comes back, beside what the list's client adds", () => {
    const entries = { a: { name: "a" }, b: { name: "other" }, c: {} };
    const view = shownAt(list, written(map, { [field]: entries }));
    const added = [...(get(view, "spec", field) as readonly Json[]), { name: "d" }];
    const back = shownAt(map, set(view, "spec", { [field]: added }));
    expect(back.spec).toEqual({ [field]: { ...entries, d: { name: "d" } } });
  });

  it("a key's repetition that its applier gives up stays away, beside managers of the other version", () => {
    const managedFields = [{ manager: "one", operation: "Apply", apiVersion: `office.example.org/${map}` }];
    const applied = (entry: JsonObject) => {
      const object = set(written(map, { [field]: { a: entry } }), "metadata", "managedFields", managedFields);
      return shownAt(list, object);
    };
    const [all, some] = [applied({ name: "a", [more]: value }), applied({ [more]: value })];
    const schema = get(crew.versions[views[list]]?.entry ?? {}, "schema", "openAPIV3Schema");
    // What the API server keeps: of the whole object the fields that the part has too.
    expect(shownAt(map, restricted(all, some, schema)).spec).toEqual({ [field]: { a: { [more]: value } } });
  });

  it("an entry whose key a client of the list changes is another one, and repeats the new key", () => {
    const view = shownAt(list, written(map, { [field]: { a: { name: "other" } } }));
    expect(shownAt(map, set(view, "spec", { [field]: [{ name: "b" }] })).spec).toEqual({
      [field]: { b: { name: "b" } },
    });
  });
});

it("an entry of a map stays when a client of the list clears all that it has beside its key", () => {
  const view = shownAt("v1", written("v1beta1", { members: { a: { role: "lead" }, b: { name: "b" } } }));
  const cleared = [{ name: "a" }, { name: "b" }];
  expect(shownAt("v1beta1", set(view, "spec", { members: cleared })).spec).toEqual({
    members: { a: {}, b: { name: "b" } },
  });
});

it("an entry that only a lens makes of another one is not there for its writer", () => {
  const codec = {
    up: (map: Json) => lowered(map),
    down: (map: Json) => lowered(map),
  };
  const sizes = {
    type: "object",
    additionalProperties: { type: "object", properties: { size: { type: "integer" } } },
  };
  const kind = smallKind(
    { name: "v1beta1", spec: { sizes }, lens: lens(move("spec.sizes", "spec.sizes", codec)) },
    { name: "v1", spec: { sizes } },
  );
  const stored: JsonObject = {
    ...written("v1", { sizes: { Big: { size: 1 } } }),
    apiVersion: "small.example.org/v1",
    kind: "Small",
  };
  const view = convert(stored, kind.chain, 1, 0);
  expect(view.spec).toEqual({ sizes: { big: { size: 1 } } });
  expect(convert(view, kind.chain, 0, 1).spec).toEqual(stored.spec);
});

/** A map with its keys in small letters. */
function lowered(map: Json): Json {
  return Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key.toLowerCase(), value]));
}
