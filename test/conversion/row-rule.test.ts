import { describe, expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { keep } from "../../src/conversion/keeper.ts";
import type { Lens } from "../../src/conversion/lens.ts";
import { each } from "../../src/conversion/nested-rows.ts";
import { group, move } from "../../src/conversion/rows.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { get } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

// A client of the oldest version changes one name. Every other name, and every field that only the hub has, must stay.

const text = { type: "string" };
const person = { type: "object", properties: { first: text, last: text } };

/** A full name is split at its first space. */
const name = (full: string, first: string, last: string) =>
  group({
    older: { full },
    newer: { first, last },
    up: ({ full }) => {
      const [, first, last] = (typeof full === "string" && /^(\S+) (.+)$/su.exec(full)) || [];
      return first === undefined ? { first: full } : { first, last };
    },
    down: ({ first, last }) => ({
      full: [first, last].filter((word) => typeof word === "string").join(" ") || undefined,
    }),
  });

function hubObject(kind: Kind, spec: JsonObject): JsonObject {
  const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
  return { apiVersion: kind.hub.apiVersion, kind: "Small", metadata, spec };
}

/** What the hub stores after a client of the oldest version has read an object and written it back with another spec. */
function written(kind: Kind, spec: JsonObject, change: (spec: JsonObject) => JsonObject) {
  const hub = kind.versions.length - 1;
  const view = convert(hubObject(kind, spec), kind.chain, hub, 0);
  const changed = { ...view, spec: change(view.spec as JsonObject) };
  const kept = keep(changed, view, { operation: "UPDATE", subresource: "", atHub: false }, kind.chain);
  return convert(kept, kind.chain, 0, hub).spec;
}

const owner = { first: "Ida May", last: "Bo" };
const tenant = { first: "Ann Lee", last: "Cho" };

describe("two names in one object", () => {
  const names = lens(
    name("spec.owner", "spec.owner.first", "spec.owner.last"),
    name("spec.tenant", "spec.tenant.first", "spec.tenant.last"),
  );

  it.each(["address", "note", "owners", "pet", "sex", "sum", "tenantry", "zone"])(
    "the other one stays beside a field of the hub alone called %s",
    (field) => {
      const kind = smallKind(
        { name: "v1", spec: { owner: text, tenant: text }, lens: names },
        { name: "v2", spec: { owner: person, tenant: person, [field]: text } },
      );
      const spec = { owner, tenant, [field]: "kept" };
      expect(written(kind, spec, (view) => ({ ...view, owner: "Ida Cy" }))).toEqual({
        owner: { first: "Ida", last: "Cy" },
        tenant,
        [field]: "kept",
      });
      expect(written(kind, spec, (view) => ({ ...view, tenant: "Ann Dow" }))).toEqual({
        owner,
        tenant: { first: "Ann", last: "Dow" },
        [field]: "kept",
      });
    },
  );

  it("the other one stays where a name has two parents", () => {
    const kind = smallKind(
      {
        name: "v1",
        spec: { owner: text, tenant: text },
        lens: lens(
          name("spec.owner", "spec.owner.first", "spec.families.owner"),
          name("spec.tenant", "spec.tenant.first", "spec.families.tenant"),
        ),
      },
      {
        name: "v2",
        spec: {
          owner: person,
          tenant: person,
          families: { type: "object", properties: { owner: text, tenant: text } },
          zone: text,
        },
      },
    );
    const spec = {
      owner: { first: "Ida May" },
      tenant: { first: "Ann Lee" },
      families: { owner: "Bo", tenant: "Cho" },
      zone: "kept",
    };
    expect(written(kind, spec, (view) => ({ ...view, owner: "Ida Cy" }))).toEqual({
      ...spec,
      owner: { first: "Ida" },
      families: { owner: "Cy", tenant: "Cho" },
    });
  });

  it.each([
    [
      "the older step moves the names",
      text,
      lens(move("spec.owner", "spec.a"), move("spec.tenant", "spec.b")),
      lens(
        name("spec.a", "spec.owner.first", "spec.owner.last"),
        name("spec.b", "spec.tenant.first", "spec.tenant.last"),
      ),
    ],
    [
      "the newer step moves the names",
      person,
      lens(
        name("spec.owner", "spec.a.first", "spec.a.last"),
        name("spec.tenant", "spec.b.first", "spec.b.last"),
      ),
      lens(move("spec.a", "spec.owner"), move("spec.b", "spec.tenant")),
    ],
  ])("the other one stays two versions away, where %s", (_where, between, older, newer) => {
    const kind = smallKind(
      { name: "v1", spec: { owner: text, tenant: text }, lens: older },
      { name: "v1b", spec: { a: between, b: between }, lens: newer },
      { name: "v2", spec: { owner: person, tenant: person, zone: text } },
    );
    const spec = { owner, tenant, zone: "kept" };
    expect(written(kind, spec, (view) => ({ ...view, owner: "Ida Cy" }))).toEqual({
      ...spec,
      owner: { first: "Ida", last: "Cy" },
    });
  });

  it("the other one stays with a lens that was written by hand", () => {
    const byHand: Lens = { up: names.up, down: names.down };
    const kind = smallKind(
      { name: "v1", spec: { owner: text, tenant: text }, lens: byHand },
      { name: "v2", spec: { owner: person, tenant: person, zone: text } },
    );
    const spec = { owner, tenant, zone: "kept" };
    expect(written(kind, spec, (view) => ({ ...view, owner: "Ida Cy" }))).toEqual({
      ...spec,
      owner: { first: "Ida", last: "Cy" },
    });
  });
});

const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"] };

describe.each([
  ["a list with keys", "array", keyed],
  ["a list without keys", "array", {}],
] as const)("names of the items of %s", (_list, type, keywords) => {
  const listOf = (fields: JsonObject) => ({
    type,
    ...keywords,
    items: { type: "object", required: ["id"], properties: { id: text, ...fields } },
  });
  const names = lens(each("spec.people", "spec.people", name("full", "first", "last")));
  const kind = (lensOfNames: Lens) =>
    smallKind(
      { name: "v1", spec: { people: listOf({ full: text }) }, lens: lensOfNames },
      { name: "v2", spec: { people: listOf({ first: text, last: text, note: text }) } },
    );
  const people = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `p${at}`, ...owner, note: `n${at}` }));

  it.each([
    [1, 1],
    [5, 1],
    [20, 20],
    [40, 20],
    [100, 50],
    [200, 200],
  ])("of %d people %d are renamed, and the rest stays", (count, renamed) => {
    const spec = { people: people(count) };
    const stored = written(kind(names), spec, (view) => rename(view, renamed));
    expect(get(stored, "people")).toEqual(
      people(count).map((one, at) => (at < renamed ? { ...one, first: "Ida", last: "Cy" } : one)),
    );
  });

  it("the rest stays with a lens that was written by hand", () => {
    const stored = written(kind({ up: names.up, down: names.down }), { people: people(12) }, (view) =>
      rename(view, 4),
    );
    expect(get(stored, "people")).toEqual(
      people(12).map((one, at) => (at < 4 ? { ...one, first: "Ida", last: "Cy" } : one)),
    );
  });
});

function rename(spec: JsonObject, count: number): JsonObject {
  const people = (spec.people as readonly JsonObject[]).map((one, at) =>
    at < count ? { ...one, full: "Ida Cy" } : one,
  );
  return { ...spec, people };
}
