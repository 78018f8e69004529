import fc from "fast-check";
import jsonpatch from "jsonpatch";
import { describe, expect, it } from "vitest";
import { diff, type KeysOf, operationsBetween, type PatchOperation } from "../../src/admission/patch.ts";
import { encodedPatch } from "../../src/admission/patch-text.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isObject, type Json } from "../../src/json/json.ts";
import { pointerOf } from "../support/pointer.ts";
import { apply } from "./applier.ts";
import {
  copy,
  editedList,
  hasProto,
  json,
  jsonObject,
  keyedList,
  keysOf,
  strangeKeys,
  text,
} from "./values.ts";

const byName: KeysOf = () => ["name"];
// LAWS_RUNS=20000 npx vitest run test/admission tries them long; what fails prints the seed that draws the same again.
const runs = { numRuns: Number(process.env.LAWS_RUNS ?? 300) };

/** The patch as the API server reads it. */
function sent(patch: readonly PatchOperation[]): readonly PatchOperation[] {
  return parseJson(JSON.stringify(patch)) as unknown as readonly PatchOperation[];
}

function containers(...names: string[]): Json[] {
  return names.map((name) => ({
    name,
    image: `registry.example/${name}:1.2.3`,
    env: [{ name: "A", value: "1" }],
  }));
}

function nested(depth: number, leaf: Json, wrap: (inner: Json) => Json): Json {
  let value = leaf;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

describe("the patch", () => {
  it("turns any JSON into any other, for any keys of lists (jsonpatch is the judge)", () => {
    fc.assert(
      fc.property(json, json, keysOf, (before, after, keys) => {
        fc.pre(!hasProto(before) && !hasProto(after));
        expect(text(jsonpatch.apply_patch(before, [...diff(before, after, keys)]))).toBe(text(after));
      }),
      runs,
    );
  });

  it("turns any JSON into any other, `__proto__` among its keys, also after it was written and read", () => {
    fc.assert(
      fc.property(json, json, keysOf, (before, after, keys) => {
        const patch = diff(before, after, keys);
        expect(text(apply(before, patch))).toBe(text(after));
        expect(text(apply(before, sent(patch)))).toBe(text(after));
      }),
      runs,
    );
  });

  it("is encoded as the text of its operations, whatever their paths and values hold", () => {
    fc.assert(
      fc.property(json, json, keysOf, (before, after, keys) => {
        const encoded = encodedPatch(operationsBetween(before, after, keys));
        expect(Buffer.from(encoded, "base64").toString()).toBe(JSON.stringify(diff(before, after, keys)));
      }),
      runs,
    );
  });

  it("turns any keyed list into any other", () => {
    fc.assert(
      fc.property(keyedList, keyedList, keysOf, (before, after, keys) => {
        const patch = diff({ list: before }, { list: after }, keys);
        expect(text(apply({ list: before }, patch))).toBe(text({ list: after }));
      }),
      runs,
    );
  });

  it("turns a list into whatever became of it, with no more operations than a list of edits would have", () => {
    fc.assert(
      fc.property(editedList, keysOf, ([before, after], keys) => {
        const patch = diff({ list: before }, { list: after }, keys);
        expect(text(apply({ list: before }, patch))).toBe(text({ list: after }));
        expect(text(jsonpatch.apply_patch({ list: before }, [...patch]))).toBe(text({ list: after }));
        expect(diff({ list: before }, { list: after }, byName).length).toBeLessThanOrEqual(
          edits(before, after),
        );
      }),
      runs,
    );
  });

  it("is empty for equal values", () => {
    fc.assert(
      fc.property(json, keysOf, (value, keys) => {
        expect(diff(value, copy(value), keys)).toEqual([]);
      }),
      runs,
    );
  });

  it("is the same every time, and changes neither value", () => {
    fc.assert(
      fc.property(json, json, keysOf, (before, after, keys) => {
        const texts = [writeJson(before), writeJson(after)];
        expect(writeJson(asJson(diff(before, after, keys)))).toBe(
          writeJson(asJson(diff(before, after, keys))),
        );
        expect([writeJson(before), writeJson(after)]).toEqual(texts);
      }),
    );
  });

  it("never speaks of the root while it stays an object", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, keysOf, (before, after, keys) => {
        expect(diff(before, after, keys).map((operation) => operation.path)).not.toContain("");
      }),
    );
  });

  it("touches no key of an object that stayed as it was", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, keysOf, (before, after, keys) => {
        const paths = diff(before, after, keys).map((operation) => operation.path);
        for (const path of unchanged(before, after)) {
          const pointer = pointerOf(path);
          expect(paths.filter((other) => other === pointer || other.startsWith(`${pointer}/`))).toEqual([]);
        }
      }),
    );
  });

  it("replaces the root only by a value of another type", () => {
    expect(diff({ a: 1 }, [1])).toEqual([{ op: "replace", path: "", value: [1] }]);
    expect(diff("a", "b")).toEqual([{ op: "replace", path: "", value: "b" }]);
  });
});

describe("an object", () => {
  it("loses, changes and gains keys one by one", () => {
    expect(diff({ a: 1, b: 2, c: 3 }, { b: 4, c: 3, d: 5 })).toEqual([
      { op: "remove", path: "/a" },
      { op: "replace", path: "/b", value: 4 },
      { op: "add", path: "/d", value: 5 },
    ]);
  });

  it("that was missing is added whole", () => {
    const patch = diff({ metadata: {} }, { metadata: { annotations: { a: "1", b: "2" } } });
    expect(patch).toEqual([{ op: "add", path: "/metadata/annotations", value: { a: "1", b: "2" } }]);
  });

  it.each(strangeKeys)("may have the key %j", (key) => {
    const before = { spec: Object.fromEntries([[key, { a: 1 }]]) };
    const after = { spec: Object.fromEntries([[key, { a: 2 }]]) };
    const path = pointerOf(["spec", key]);
    expect(diff(before, after)).toEqual([{ op: "replace", path: `${path}/a`, value: 2 }]);
    expect(diff({ spec: {} }, after)).toEqual([{ op: "add", path, value: { a: 2 } }]);
    expect(diff(before, { spec: {} })).toEqual([{ op: "remove", path }]);
  });

  it("tells absent, null and empty apart", () => {
    const values: readonly Json[] = [
      {},
      { a: null },
      { a: {} },
      { a: [] },
      { a: 0 },
      { a: "" },
      { a: false },
    ];
    for (const before of values) {
      for (const after of values) expect(diff(before, after)).toHaveLength(before === after ? 0 : 1);
    }
  });

  it("tells exact numbers apart that are one double", () => {
    const [one, other] = [JSON.rawJSON("9007199254740992"), JSON.rawJSON("9007199254740993")];
    expect(diff({ a: one }, { a: other })).toEqual([{ op: "replace", path: "/a", value: other }]);
    expect(diff({ a: one }, { a: JSON.rawJSON("9007199254740992") })).toEqual([]);
  });

  it("of which ten thousands of keys with long paths change is replaced, so that the patch stays in proportion", () => {
    const [before, after] = [0, 1].map((value) => ({
      ["k".repeat(10_000)]: Object.fromEntries(
        Array.from({ length: 50_000 }, (_, index) => [`key${index}`, value]),
      ),
    }));
    const patch = diff(before ?? null, after ?? null);
    expect(patch).toHaveLength(1);
  });
});

describe("a keyed list", () => {
  const spec = (list: readonly Json[]): Json => ({ spec: { containers: list } });
  const five = containers("a", "b", "c", "d", "e");
  const [a, b, c, d, e] = five as [Json, Json, Json, Json, Json];
  const [sidecar] = containers("sidecar") as [Json];
  const changed = { ...(c as object), image: "new" } as Json;

  it.each<[string, readonly Json[], readonly PatchOperation[]]>([
    ["an item put in front is one add", [sidecar, ...five], [add(0, sidecar)]],
    ["an item put at the end is one add, by index", [...five, sidecar], [add(5, sidecar)]],
    ["an item put in the middle is one add", [a, b, sidecar, c, d, e], [add(2, sidecar)]],
    ["an item taken away is one remove", [a, b, d, e], [{ op: "remove", path: "/spec/containers/2" }]],
    [
      "a moved item is removed and added",
      [e, a, b, c, d],
      [{ op: "remove", path: "/spec/containers/4" }, add(0, e)],
    ],
    [
      "a field of an item is one replace",
      [a, b, changed, d, e],
      [{ op: "replace", path: "/spec/containers/2/image", value: "new" }],
    ],
    [
      "a field changes where its item stands in the end",
      [sidecar, b, changed, d, e],
      [
        { op: "replace", path: "/spec/containers/0", value: sidecar },
        { op: "replace", path: "/spec/containers/2/image", value: "new" },
      ],
    ],
    [
      "removals come from the end, then the others from the front",
      [sidecar, b, changed, e],
      [
        { op: "remove", path: "/spec/containers/3" },
        { op: "replace", path: "/spec/containers/0", value: sidecar },
        { op: "replace", path: "/spec/containers/2/image", value: "new" },
      ],
    ],
  ])("%s", (_claim, after, patch) => {
    expect(diff(spec(five), spec(after), byName)).toEqual(patch);
    expect(text(apply(spec(five), patch))).toBe(text(spec(after)));
  });

  it("in front of which several items are put gets one add for each", () => {
    const [one, two] = containers("one", "two") as [Json, Json];
    expect(diff(spec([a]), spec([one, two, a]), byName)).toEqual([add(0, one), add(1, two)]);
  });

  it("asks for its keys by its path, in which indexes are numbers", () => {
    const asked: unknown[] = [];
    const ports = (port: number): Json => ({ spec: { containers: [{ name: "a", ports: [{ port }] }] } });
    diff(ports(1), ports(2), (path) => {
      asked.push(path);
      return ["name"];
    });
    expect(asked).toEqual([
      ["spec", "containers"],
      ["spec", "containers", 0, "ports"],
    ]);
  });

  it('may tell its items apart by several fields, and 80 from "80"', () => {
    const port = (containerPort: Json, protocol: string, name: string): Json => ({
      containerPort,
      protocol,
      name,
    });
    const before = { ports: [port(80, "TCP", "one"), port(80, "UDP", "two")] };
    const after = { ports: [port("80", "TCP", "new"), port(80, "TCP", "one"), port(80, "UDP", "2")] };
    expect(diff(before, after, () => ["containerPort", "protocol"])).toEqual([
      { op: "add", path: "/ports/0", value: port("80", "TCP", "new") },
      { op: "replace", path: "/ports/2/name", value: "2" },
    ]);
  });

  it("is replaced where moving its items would be longer", () => {
    const before = { list: "abcdefgh".split("").map((name) => ({ name })) };
    const after = { list: before.list.toReversed() };
    expect(diff(before, after, byName)).toEqual([{ op: "replace", path: "/list", value: after.list }]);
  });

  it.each<[string, readonly Json[]]>([
    ["an item lacks the key", [{ name: "a" }, { image: "b" }]],
    ["two items share a key", [{ name: "a" }, { name: "a", image: "b" }]],
    ["an item is not an object", [{ name: "a" }, "b", null, ["c"]]],
    ["a key is not a scalar", [{ name: "a" }, { name: { deep: "b" } }, { name: null }]],
  ])("in which %s is compared place by place", (_claim, before) => {
    const after = [...before.slice(0, -1), { name: "z" }];
    const patch = diff({ list: before }, { list: after }, byName);
    expect(text(apply({ list: before }, patch))).toBe(text({ list: after }));
    expect(text(apply({ list: after }, diff({ list: after }, { list: before }, byName)))).toBe(
      text({ list: before }),
    );
  });

  function add(index: number, value: Json): PatchOperation {
    return { op: "add", path: `/spec/containers/${index}`, value };
  }
});

describe("a list without keys", () => {
  const finalizers = (...list: Json[]): Json => ({ metadata: { finalizers: list } });

  it.each<[string, Json, Json, readonly PatchOperation[]]>([
    ["in front", finalizers("a", "b"), finalizers("x", "a", "b"), [add(0)]],
    ["in the middle", finalizers("a", "b"), finalizers("a", "x", "b"), [add(1)]],
    ["at the end", finalizers("a", "b"), finalizers("a", "b", "x"), [add(2)]],
    ["into nothing", finalizers(), finalizers("x"), [add(0)]],
  ])("gets an item %s with one add", (_place, before, after, patch) => {
    expect(diff(before, after)).toEqual(patch);
  });

  it("loses an item with one remove and changes one with one replace", () => {
    const before = finalizers("a", "b", "c");
    expect(diff(before, finalizers("a", "c"))).toEqual([{ op: "remove", path: "/metadata/finalizers/1" }]);
    expect(diff(before, finalizers("a", "x", "c"))).toEqual([
      { op: "replace", path: "/metadata/finalizers/1", value: "x" },
    ]);
  });

  it("changes within an item at its place", () => {
    const before = { rules: [{ host: "a", paths: ["/", "/b"] }, { host: "b" }] };
    const after = { rules: [{ host: "a", paths: ["/", "/c"] }, { host: "b" }] };
    expect(diff(before, after)).toEqual([{ op: "replace", path: "/rules/0/paths/1", value: "/c" }]);
  });

  it("that has nothing in common with what it was is replaced", () => {
    const [before, after] = [finalizers("a", "b", "c"), finalizers("x", "y", "z")];
    expect(diff(before, after)).toEqual([
      { op: "replace", path: "/metadata/finalizers", value: ["x", "y", "z"] },
    ]);
  });

  function add(index: number): PatchOperation {
    return { op: "add", path: `/metadata/finalizers/${index}`, value: "x" };
  }
});

describe("the cost", () => {
  it("follows the change: what both share is not looked at", () => {
    const shared = {
      get spec(): Json {
        throw new Error("walked");
      },
    };
    const before = {
      a: shared,
      list: [
        { name: "a", shared },
        { name: "b", shared, image: 1 },
      ],
    };
    const after = {
      a: shared,
      list: [{ name: "new" }, { name: "a", shared }, { name: "b", shared, image: 2 }],
    };
    expect(diff(before, after, byName)).toEqual([
      { op: "add", path: "/list/0", value: { name: "new" } },
      { op: "replace", path: "/list/2/image", value: 2 },
    ]);
  });

  it("stays small for a keyed list of ten thousand items put upside down", () => {
    const list = Array.from(
      { length: 10_000 },
      (_, index): Json => ({ name: `item-${index}`, value: index }),
    );
    const patch = diff({ list }, { list: list.toReversed() }, byName);
    expect(patch).toEqual([{ op: "replace", path: "/list", value: list.toReversed() }]);
  });

  it("stays small for two lists of a hundred thousand scalars that share nothing", () => {
    const [before, after] = [0, 1].map((odd) =>
      Array.from({ length: 100_000 }, (_, index) => 2 * index + odd),
    );
    expect(diff({ list: before ?? [] }, { list: after ?? [] })).toHaveLength(1);
    expect(diff({ list: before ?? [] }, { list: (after ?? []).slice(1) })).toHaveLength(1);
    expect(diff(before ?? [], after ?? [])).toHaveLength(100_000);
  });

  it("stays small where a large list lies a thousand lists deep and differs at its end", () => {
    const large = (last: number): Json => [
      ...Array.from({ length: 100_000 }, (_, index) => ({ index })),
      { last },
    ];
    const before = nested(900, large(0), (inner) => [inner, 1]);
    const after = nested(900, large(1), (inner) => [inner]);
    const patch = diff(before, after);
    expect(patch).toHaveLength(901);
  });
});

describe("depth", () => {
  const wraps: [string, (inner: Json) => Json][] = [
    ["objects", (inner) => ({ a: inner })],
    ["lists", (inner) => [0, inner]],
    ["keyed lists", (inner) => [{ name: "a", inner }, { name: "b" }]],
  ];

  it.each(wraps)("up to 1,000 %s is narrowed down to the leaf", (_what, wrap) => {
    const depth = _what === "keyed lists" ? 499 : 999;
    const patch = diff(nested(depth, "x", wrap), nested(depth, "y", wrap), byName);
    expect(patch).toHaveLength(1);
    expect(patch[0]).toMatchObject({ op: "replace", value: "y" });
  });

  it.each(wraps)("of 10,000 %s ends in one operation on what lies below the limit", (_what, wrap) => {
    const [before, after] = [nested(10_000, "x", wrap), nested(10_000, "y", wrap)];
    const patch = diff(before, after, byName);
    expect(patch).toHaveLength(1);
    expect(patch[0]?.path.split("/")).toHaveLength(1001);
    expect(diff(before, nested(10_000, "x", wrap), byName)).toEqual([]);
  });
});

/** The paths, through objects only, at which two values hold the same. */
function unchanged(before: Json, after: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (text(before) === text(after)) return [path];
  if (!isObject(before) || !isObject(after)) return [];
  const shared = Object.entries(before).filter(([key]) => Object.hasOwn(after, key));
  return shared.flatMap(([key, value]) => unchanged(value, after[key] ?? null, [...path, key]));
}

/** How many removals, additions, moves (two each) and changes of one field lie between two lists of named items. */
function edits(before: readonly Json[], after: readonly Json[]): number {
  const names = (list: readonly Json[]): readonly string[] => list.map((item) => String(get(item, "name")));
  const [was, is] = [names(before), names(after)];
  const stay = longestCommon(was, is);
  const changed = after.filter((item, index) => {
    const old = before[was.indexOf(is[index] ?? "")];
    return old !== undefined && text(old) !== text(item);
  }).length;
  return was.length - stay + (is.length - stay) + changed;
}

/** The length of the longest common subsequence, by the textbook's table. */
function longestCommon(one: readonly string[], other: readonly string[]): number {
  let row = other.map(() => 0);
  for (const a of one) {
    const next: number[] = [];
    for (const [j, b] of other.entries()) {
      next.push(a === b ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function asJson(patch: readonly PatchOperation[]): Json {
  return patch.map((operation) => ({ ...operation }));
}
