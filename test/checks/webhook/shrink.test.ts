import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Checks, checkKind, type Finding } from "../../../src/checks/index.ts";
import { valueAt } from "../../../src/checks/webhook/build.ts";
import { Pace } from "../../../src/checks/webhook/pace.ts";
import { shrunk } from "../../../src/checks/webhook/shrink.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isObject, type JsonObject } from "../../../src/json/json.ts";
import type { Path } from "../../../src/json/path.ts";
import { largeSubject } from "./large.ts";
import { annotated, type Conversion, Panic, webhookOf } from "./webhooks.ts";

const pace = new Pace({ clock: () => 0, until: 1 });

/** An object with `width` parts at each of three depths, and a list. */
function wide(width: number): JsonObject {
  const part = (depth: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: width }, (_, index) => [`f${index}`, depth === 0 ? index : part(depth - 1)]),
    );
  return { apiVersion: "a/v1", kind: "A", spec: { ...part(2), list: [1, 2, 3] } };
}

describe("the smallest object", () => {
  it("has nothing but what shows the fault, wherever that stands", async () => {
    const step = fc.integer({ min: 0, max: 7 }).map((index) => `f${index}`);
    const path = fc.tuple(fc.constant("spec"), step, step, step);
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 4 }), async (paths: readonly Path[]) => {
        let asked = 0;
        const made = await shrunk(
          wide(8),
          async (object) => {
            asked += 1;
            return paths.every((each) => valueAt(object, each) !== undefined);
          },
          pace,
        );
        const leaves = new Set(paths.map((each) => each.join(".")));
        expect(leavesOf(made.spec)).toBe(leaves.size);
        expect(asked).toBeLessThan(300);
      }),
      { numRuns: 50 },
    );
  });

  it("keeps the one item of a list that shows it", async () => {
    const made = await shrunk(
      wide(2),
      async ({ spec }) => JSON.stringify(get(spec, "list") ?? []).includes("2"),
      pace,
    );
    expect(made).toEqual({ apiVersion: "a/v1", kind: "A", spec: { list: [2] } });
  });
});

function leavesOf(value: unknown): number {
  return isObject(value as JsonObject)
    ? Object.values(value as JsonObject).reduce((sum: number, each) => sum + leavesOf(each), 0)
    : 1;
}

describe("a fault that only several fields together show, in a kind of thousands", () => {
  const checks: Checks = {
    batch: 100,
    clock: () => performance.now(),
    until: Number.POSITIVE_INFINITY,
    seed: 1,
    runs: 1,
    ignored: [],
    examples: [],
  };
  const subject = largeSubject(2);
  const needed: readonly Path[] = [
    ["spec", "field1"],
    ["spec", "part0", "field4"],
    ["spec", "part3", "part2", "field5"],
  ];
  const isWhole = (object: JsonObject) => needed.every((path) => valueAt(object, path) !== undefined);
  const spec = { field1: "a", part0: { field4: "a" }, part3: { part2: { field5: "a" } } };
  const found = async (convert: Conversion, kind: Finding["kind"]) => {
    const { findings } = await checkKind(subject, webhookOf(convert), checks);
    return findings.find((each) => each.kind === kind);
  };

  it("is shown by these alone where it is a crash", async () => {
    const crashed = await found((object, desired) => {
      if (isWhole(object)) throw new Panic();
      return { ...object, apiVersion: desired };
    }, "crashed");
    expect(crashed?.views[0]?.object.spec).toEqual(spec);
  });

  it("is shown by these and the edited one where an edit is undone", async () => {
    const key = "example.com/spec";
    const undone = await found((object, desired) => {
      const made = { ...object, apiVersion: desired };
      if (desired.endsWith("/v1"))
        return isWhole(object) ? annotated(made, writeJson(object.spec ?? {}), key) : made;
      const stored = get(object, "metadata", "annotations", key);
      if (typeof stored !== "string") return made;
      return { ...annotated(made, undefined, key), spec: parseJson(stored) };
    }, "became");
    expect(undone?.check).toBe("edit");
    const edited = undone?.views[0]?.object.spec;
    expect(edited).toMatchObject(spec);
    expect(leavesOf(edited)).toBeLessThanOrEqual(4);
  });
});
