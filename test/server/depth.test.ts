import { expect, it } from "vitest";
import { placeBeyond } from "../../src/json/depth.ts";
import { writeJson } from "../../src/json/exact.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { answerConversion } from "../../src/review/conversion.ts";
import { ask, call, startTestServer } from "./test-server.ts";

/** Objects in each other, so many, the innermost empty. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

async function startRoomServer() {
  const kinds = await loadKinds(["webhooks"]);
  const convert = (asked: Json) => answerConversion(asked, kinds);
  return startTestServer({ handlers: { convert, mutate: convert, validate: convert } });
}

function conversion(content: string): string {
  const object = `{"apiVersion":"home.antechamber.dev/v1","kind":"Room","metadata":{},"spec":${content}}`;
  const request = `{"uid":"r-1","desiredAPIVersion":"home.antechamber.dev/v1beta1","objects":[{"apiVersion":"home.antechamber.dev/v1","kind":"Room"},${object}]}`;
  return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":${request}}`;
}

function admission(member: string, content: string): string {
  const request = `{"uid":"r-2","operation":"UPDATE","name":"n","namespace":"s","${member}":{"spec":${content}}}`;
  return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":${request}}`;
}

const tooDeep =
  "spec.a.a.a.a.a.a.a.a.a.a.a… is nested more than 1000 levels deep, which is the limit; make it flatter";

it("the place that is too deep is the first one, and what is just deep enough is none", () => {
  expect(placeBeyond([1, { b: { c: [] } }], 3)).toEqual([1, "b", "c"]);
  expect(placeBeyond([1, { b: { c: [] } }], 4)).toBeUndefined();
  expect(placeBeyond({ x: 1, y: JSON.rawJSON("1") as Json }, 1)).toBeUndefined();
  const deep = JSON.parse("[".repeat(1_000_000) + "]".repeat(1_000_000));
  expect(placeBeyond(deep, 999_999)).toHaveLength(999_999);
});

it("an object of 1,000 levels is converted; with one more it is a Failure that says where", async () => {
  const server = await startRoomServer();
  const good = JSON.parse((await call(server, { body: conversion(nested(999)) })).text);
  expect(get(good, "response", "result", "status")).toBe("Success");
  for (const levels of [1_000, 5_000, 9_900]) {
    const { status, text } = await call(server, { body: conversion(nested(levels)) });
    expect(status).toBe(200);
    expect(get(JSON.parse(text), "response")).toEqual({
      uid: "r-1",
      result: { status: "Failure", message: `objects[1]: ${tooDeep}` },
      convertedObjects: [],
    });
  }
  expect((await ask(server, "/metrics")).text).toMatch(
    /^antechamber_conversion_requests_total\{[^}]*outcome="failure"\} 3$/m,
  );
});

it("the same in a review that is large", async () => {
  const server = await startRoomServer();
  const { text } = await call(server, {
    body: conversion(`{"x":"${"x".repeat(300_000)}","d":${nested(2_000)}}`),
  });
  expect(text).toContain("objects[1]: spec.d.a.a.a");
});

const deep = conversion(nested(3_000));

it.each([
  ["a word in", deep.replace("{}}}", "oops}}}"), "oops"],
  ["a bracket of the wrong sort in", deep.replace("{}}}", "[}}}"), "}}}"],
  ["a control character in", deep.replace("{}}}", '"\u0001"}}}'), "\u0001"],
  ["a sign behind", deep.replace(/\}$/, "#}"), "#"],
])("%s what is too deep to be looked at makes the body no JSON", async (_what, body, fault) => {
  const sentence = `unexpected character at line 1, column ${body.indexOf(fault) + 1}`;
  const { status, text } = await call(await startRoomServer(), { body });
  expect(text).toContain(`the body is not JSON: ${sentence}`);
  expect(status).toBe(400);
});

it("a body that ends too early after a value that is too deep is not JSON", async () => {
  const { status, text } = await call(await startRoomServer(), { body: deep.slice(0, -1) });
  expect(text).toContain(`the body is not JSON: unexpected end after ${deep.length - 1} characters`);
  expect(status).toBe(400);
});

it.each(["object", "oldObject"])(
  "an %s of an admission that is too deep is denied with where",
  async (member) => {
    const server = await startRoomServer();
    const { status, text } = await call(server, {
      path: "/validate",
      body: admission(member, nested(3_000)),
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: {
        uid: "r-2",
        allowed: false,
        status: { status: "Failure", message: `request.${member}: ${tooDeep}`, reason: "Invalid", code: 422 },
      },
    });
  },
);

it.each([
  ["/mutate", conversion(nested(3_000))],
  ["/validate", conversion(nested(3_000))],
  ["/convert", admission("object", nested(3_000))],
])("a review of the other kind that is too deep is rejected by %s", async (path, body) => {
  const { status, text } = await call(await startRoomServer(), { path, body });
  expect(text).toContain("is this the right path?");
  expect(status).toBe(400);
});

it("a number that a double cannot hold, deep in a text, does no harm", async () => {
  const server = await startRoomServer();
  const content = nested(9_000).replace("{}", "9007199254740993");
  expect((await call(server, { body: conversion(content) })).text).toContain(tooDeep);
});

it("depth outside the objects does not matter", async () => {
  const server = await startRoomServer();
  const asked = JSON.parse(conversion("{}")) as JsonObject;
  const body = writeJson({ ...asked, more: 0 }).replace('"more":0', `"more":${nested(5_000)}`);
  expect((await call(server, { body })).text).toContain('"Success"');
});
