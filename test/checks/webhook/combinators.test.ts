import { describe, expect, it } from "vitest";
import { changing, checked, crdOf, faultsIn, same } from "./kinds.ts";

// What `allOf`, `anyOf` and `oneOf` say of a value is honoured when values are drawn: no place stays untried for them.

const specs: Readonly<Record<string, string>> = {
  "an enumeration in allOf": "target: { type: string, allOf: [{ enum: [x, y] }] }",
  "an enumeration in anyOf": "target: { type: string, anyOf: [{ enum: [x] }, { pattern: '^q[0-9]{3}z$' }] }",
  "two patterns":
    "target: { type: string, pattern: '^[a-z-]+$', allOf: [{ pattern: '^zz-' }, { minLength: 6 }] }",
  "a range in allOf": "target: { type: integer, allOf: [{ minimum: 700 }, { maximum: 702 }] }",
  "one of two ranges": "target: { type: integer, oneOf: [{ minimum: 9000 }, { maximum: -50 }] }",
  "an exclusive limit":
    "target: { type: integer, minimum: 11, exclusiveMinimum: true, maximum: 13, exclusiveMaximum: true }",
  "an enumeration in allOf of the parent": `
outer:
  type: object
  properties: { target: { type: string } }
  allOf: [{ properties: { target: { enum: [deep] } } }]`,
  "an enumeration in allOf of an allOf, from three levels above": `
one:
  type: object
  properties: { two: { type: object, properties: { target: { type: string } } } }
  allOf: [{ allOf: [{ properties: { two: { properties: { target: { enum: [deep] } } } } }] }]`,
  "one of two sorts, each with what it needs": `
outer:
  type: object
  properties:
    sort: { type: string }
    size: { type: integer }
    target: { type: string }
  oneOf:
    - { properties: { sort: { enum: [Sized] }, size: { minimum: 50 } }, required: [sort, size], not: { required: [target] } }
    - { properties: { sort: { enum: [Aimed] }, target: { enum: [moon] } }, required: [sort, target], not: { required: [size] } }`,
  "one of two fields": `
outer:
  type: object
  properties: { other: { type: string }, target: { type: string } }
  oneOf: [{ required: [other] }, { required: [target] }]`,
  "items of which one of three is required": `
list:
  type: array
  items:
    type: object
    properties: { a: { type: string }, b: { type: integer }, target: { type: string } }
    oneOf: [{ required: [a] }, { required: [b] }, { required: [target] }]`,
  "items in allOf of the list": `
list:
  type: array
  items: { type: object, properties: { target: { type: string } } }
  allOf: [{ items: { properties: { target: { enum: [k, l] } } } }]`,
  "items of an enumeration, in allOf of the list": `
list:
  type: array
  items: { type: string }
  allOf: [{ items: { enum: [target, other] } }]`,
};

describe.each(Object.entries(specs))("%s", (_what, spec) => {
  const crd = crdOf({ v1: { spec }, v2: { spec } });

  it("is tried, so that a loss there is found", async () => {
    const forgetful = changing((each) => without(each, "target"));
    expect(faultsIn(await checked(crd, forgetful))).not.toEqual([]);
  });

  it("is no reason to leave a place out, nor for an alarm", async () => {
    const found = await checked(crd, same);
    expect(found.untried.flatMap(({ places }) => places)).toEqual([]);
    expect(faultsIn(found)).toEqual([]);
  });
});

/** A value without the fields of a name, at any depth. */
function without<T>(value: T, name: string): T {
  return JSON.parse(JSON.stringify(value), (key, each) =>
    key === name || each === name ? undefined : each,
  ) as T;
}
