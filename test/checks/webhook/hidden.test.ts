import { describe, expect, it } from "vitest";
import { verdictOf } from "../../../src/cli/verify-webhook/sentences.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { checked, crdOf, faultsIn, same } from "./kinds.ts";
import { annotated, type Conversion } from "./webhooks.ts";

// What one version does not show of the other, although nothing is lost: everything comes back from an annotation.

const spec = `
size: { type: integer, format: int32 }
color: { type: string }
mode: { type: string, enum: [Fast, Slow] }
names: { type: array, items: { type: string } }
ports:
  type: array
  items:
    type: object
    required: [name]
    properties: { name: { type: string }, port: { type: integer }, secret: { type: string } }`;
const both = crdOf({ v1: { spec }, v2: { spec } });

/** A conversion that shows a part of the spec at v1, and keeps the whole of it in an annotation there. */
function keeping(shown: (spec: JsonObject) => JsonObject): Conversion {
  return (object, desired) => {
    const made = same(object, desired);
    const own = isObject(object.spec) ? object.spec : undefined;
    if (desired.endsWith("/v1"))
      return own === undefined
        ? made
        : annotated({ ...made, spec: shown(own) }, writeJson(own), "example.com/whole");
    const stored = get(object, "metadata", "annotations", "example.com/whole");
    const bare = annotated(made, undefined, "example.com/whole");
    if (typeof stored !== "string") return bare;
    // What is shown wins; the rest is taken from the annotation.
    const whole = parseJson(stored) as JsonObject;
    const view = shown(whole);
    const edited = Object.entries(own ?? {}).filter(([name, value]) => !isEqual(view[name], value));
    const gone = Object.keys(view).filter((name) => own?.[name] === undefined);
    const rest = Object.fromEntries(Object.entries(whole).filter(([name]) => !gone.includes(name)));
    return { ...bare, spec: { ...rest, ...Object.fromEntries(edited) } };
  };
}

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The findings of the way from v2 to v1. */
async function found(crd: JsonObject, convert: Conversion): Promise<readonly string[]> {
  const { findings } = await checked(crd, convert);
  return findings
    .filter(({ kind }) => kind === "hidden")
    .map(({ place, versions }) => `${place} ${versions.join(" → ")}`);
}

describe("a view that does not show what it could", () => {
  it("is one finding where it shows nothing at all", async () => {
    expect(
      await found(
        both,
        keeping(() => ({})),
      ),
    ).toEqual(["spec v2 → v1"]);
  });

  it("is found where one field is left out", async () => {
    const convert = keeping((each) => set(each, "color", undefined));
    expect(await found(both, convert)).toEqual(["spec.color v2 → v1"]);
    expect(faultsIn(await checked(both, convert))).toContain("hidden spec.color");
  });

  it("is found where a default stands beside it", async () => {
    const convert = keeping((each) => ({ mode: "Fast", ...set(each, "color", undefined) }));
    expect(await found(both, convert)).toContain("spec.color v2 → v1");
  });

  it("is found where only the first item of a list is shown", async () => {
    const convert = keeping((each) =>
      isArray(each.names) ? { ...each, names: each.names.slice(0, 1) } : each,
    );
    expect(await found(both, convert)).toEqual(["spec.names[] v2 → v1"]);
  });

  it("is found in a field of an item whose other fields have the same text", async () => {
    const convert = keeping((each) =>
      isArray(each.ports)
        ? {
            ...each,
            ports: each.ports.map((port) => (isObject(port) ? set(port, "secret", undefined) : port)),
          }
        : each,
    );
    expect(await found(both, convert)).toEqual(["spec.ports[].secret v2 → v1"]);
  });

  it("is found at a place that only the other name of the field has", async () => {
    const renamed = crdOf({
      v1: { spec: "hue: { type: string }" },
      v2: { spec: "color: { type: string, enum: [red, blue] }" },
    });
    const convert = keeping(({ color, ...each }) => (color === "red" ? { ...each, hue: color } : each));
    expect(await found(renamed, convert)).toEqual(["spec.color v2 → v1"]);
  });
});

describe("a view that shows all it can", () => {
  it("may leave out what it has no place for", async () => {
    const more = crdOf({ v1: { spec: "size: { type: integer }" }, v2: { spec } });
    expect(
      await found(
        more,
        keeping(({ size }) => (size === undefined ? {} : { size })),
      ),
    ).toEqual([]);
  });

  it("may leave out what its enumeration does not admit", async () => {
    const narrow = crdOf({ v1: { spec: "mode: { type: string, enum: [Fast] }" }, v2: { spec } });
    const convert = keeping(({ mode }) => (mode === "Fast" ? { mode } : {}));
    expect(await found(narrow, convert)).toEqual([]);
  });

  it("may show a value under another name, although it has a field of the old one", async () => {
    const renamed = crdOf({
      v1: { spec: "color: { type: string }\nhue: { type: string }" },
      v2: { spec: "color: { type: string }" },
    });
    expect(
      await found(
        renamed,
        keeping(({ color }) => (color === undefined ? {} : { hue: color })),
      ),
    ).toEqual([]);
  });

  it("may show a default that is by chance the value of a field that it has no place for", async () => {
    const names = ["height", "width", "depth", "weight", "age"];
    const fields = names.map((name) => `${name}: { type: integer, format: int32 }`).join("\n");
    const unlike = crdOf({ v1: { spec: "least: { type: integer, format: int32 }" }, v2: { spec: fields } });
    expect(
      await found(
        unlike,
        keeping(() => ({ least: 1 })),
      ),
    ).toEqual([]);
  });

  it("may show a value in other words", async () => {
    const units = crdOf({
      v1: { spec: "minutes: { type: integer }\nseconds: { type: integer, format: int32 }" },
      v2: { spec: "seconds: { type: integer, format: int32 }" },
    });
    const convert = keeping(({ seconds }) =>
      typeof seconds === "number" ? { minutes: Math.ceil(seconds / 60) } : {},
    );
    expect(await found(units, convert)).toEqual([]);
  });

  it("is complete if it shows everything and keeps a copy", async () => {
    const kind = await checked(
      both,
      keeping((each) => each),
    );
    expect(faultsIn(kind)).toEqual([]);
    expect(verdictOf(kind)).toBe("nothing is lost");
  });
});

it("the headline counts what is kept only while annotations stay", async () => {
  const more = crdOf({ v1: { spec: "size: { type: integer }" }, v2: { spec } });
  const kind = await checked(
    more,
    keeping(({ size }) => (size === undefined ? {} : { size })),
  );
  expect(verdictOf(kind)).toMatch(/^nothing is lost; \d+ places are kept only while annotations stay$/);
});
