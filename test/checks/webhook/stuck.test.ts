import { describe, expect, it } from "vitest";
import { get, isObject, type JsonObject, objectAt, set } from "../../../src/json/json.ts";
import { checked, crdOf, same } from "./kinds.ts";
import { annotated, type Conversion, Panic } from "./webhooks.ts";

// A conversion that fails only for a view that a client edited, or from which it removed the webhook's annotations.

const v1 = "size: { type: integer, format: int32 }\nname: { type: string }";
const crd = crdOf({ v1: { spec: v1 }, v2: { spec: `${v1}\nsecret: { type: string }` } });
const plain = crdOf({ v1: { spec: v1 }, v2: { spec: v1 } });
const key = "example.com/saved";
const saved = (object: JsonObject) => get(object, "metadata", "annotations", key);

/** Keeps the spec of v2 in an annotation, and fails as told if the view does not go with it. */
const keeping =
  (fail: (spec: JsonObject, saved: JsonObject) => void): Conversion =>
  (object, desired) => {
    const made = same(object, desired);
    const spec = isObject(object.spec) ? object.spec : {};
    if (desired.endsWith("/v1")) {
      const shown = object.spec === undefined ? made : { ...made, spec: set(spec, "secret", undefined) };
      return annotated(shown, JSON.stringify(spec), key);
    }
    const text = saved(object);
    if (typeof text !== "string" || !/^\{.*\}$/.test(text)) return made;
    const { secret, ...rest } = JSON.parse(text);
    fail(spec, rest);
    const whole = secret === undefined || object.spec === undefined ? spec : { ...spec, secret };
    return annotated(object.spec === undefined ? made : { ...made, spec: whole }, undefined, key);
  };

const isEdited = (spec: JsonObject, before: JsonObject) =>
  Object.keys(before).length > 0 && JSON.stringify(spec) !== JSON.stringify(before);

const panics = keeping((spec, before) => {
  if (isEdited(spec, before)) throw new Panic();
});
const refuses = keeping((spec, before) => {
  if (isEdited(spec, before)) throw new Error("the annotation is of another object");
});

/** `kind place check: way` of what was found. */
const linesOf = (found: Awaited<ReturnType<typeof checked>>) =>
  found.findings
    .filter(({ kind }) => kind !== "kept by annotations")
    .map(({ kind, place, check, versions }) => `${kind} ${place} ${check}: ${versions.join(" → ")}`);

describe("a view that a client edited", () => {
  it("is found where the webhook panics", async () => {
    const found = await checked(crd, panics);
    expect(linesOf(found)).toEqual(["crashed spec edit: v1 → v2"]);
    const [, edited] = found.findings.find(({ kind }) => kind === "crashed")?.views ?? [];
    expect(edited?.what).toMatch(/^v1, with spec\.(size|name) set to/);
    expect(saved(edited?.object ?? {})).toBeTypeOf("string");
  });

  it("is found where it is refused, and the finding says that it is not without the annotations", async () => {
    const found = await checked(crd, refuses);
    expect(linesOf(found)).toEqual(["refused spec edit: v1 → v2"]);
    const message = found.findings.find(({ kind }) => kind === "refused")?.message;
    expect(message).toBe(
      "the annotation is of another object; without the webhook's annotations the edit is converted",
    );
  });

  it("is found where what was written can not be read again", async () => {
    const convert: Conversion = (object, desired) => {
      const size = get(object, "spec", "size");
      const made = same(object, desired);
      if (desired.endsWith("/v1")) {
        if (size === 7) throw new Panic();
        return typeof size === "number" ? annotated(made, String(size), key) : made;
      }
      const text = saved(object);
      const isOther = /^\d+$/.test(String(text)) && text !== String(size) && isObject(made.spec);
      const bare = annotated(made, undefined, key);
      return isOther ? { ...bare, spec: { ...objectAt(bare, "spec"), size: 7 } } : bare;
    };
    expect(linesOf(await checked(plain, convert))).toContain("crashed spec.size edit: v1 → v2 → v1");
  });

  it("is no finding of its own where plain objects show the same", async () => {
    const convert: Conversion = (object, desired) => {
      const size = get(object, "spec", "size");
      if (desired.endsWith("/v2") && size !== undefined) throw new Error("not supported");
      return same(object, desired);
    };
    expect(linesOf(await checked(plain, convert))).toEqual(["refused spec.size conversion: v1 → v2"]);
  });

  it("is a note where only its text is not read", async () => {
    const convert: Conversion = (object, desired) => {
      if (!["a", undefined, ""].includes(get(object, "spec", "name") as string | undefined))
        throw new Error("unknown name");
      return same(object, desired);
    };
    const found = await checked(plain, convert);
    expect(new Set(found.findings.map(({ kind }) => kind))).toEqual(new Set(["looser"]));
  });
});

it("a view without the webhook's annotations is found where the webhook panics", async () => {
  const convert: Conversion = (object, desired) => {
    const isMarked = saved(object) !== undefined;
    const hasBoth = ["size", "name"].every((name) => get(object, "spec", name) !== undefined);
    if (desired.endsWith("/v2") && !isMarked && hasBoth) throw new Panic();
    return annotated(same(object, desired), desired.endsWith("/v1") ? "yes" : undefined, key);
  };
  const found = await checked(crd, convert, { runs: 20 });
  expect(linesOf(found).join()).toContain("crashed");
});
