import fc from "fast-check";
import { beforeAll, expect, it, vi } from "vitest";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import type { Kinds } from "../../src/kind.ts";
import { loadKinds } from "../../src/kinds.ts";
import { writeAnswer } from "../../src/review/answer.ts";
import { answerConversion, beginConversion } from "../../src/review/conversion.ts";
import { answerInPieces, largeBody, type Made } from "../../src/server/large.ts";
import { BodyMemory } from "../../src/server/memory.ts";
import { readReview } from "../../src/server/reading.ts";
import { Turns } from "../../src/server/turns.ts";
import { ask, call, dial, post, type Stage, sentenceOf, setStage } from "./stage.ts";

let kinds: Kinds;
beforeAll(async () => {
  kinds = await loadKinds(["webhooks"]);
});

const room = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "home.antechamber.dev/v1",
  kind: "Room",
  metadata: { name, uid: `u-${name}`, generation: 3 },
  spec: {
    climate: { targetCelsius: 21.5, mode: "Heat" },
    lights: [{ name: "a€", brightness: 0.3 }],
    ...spec,
  },
});

function review(objects: readonly Json[], request: JsonObject = {}): JsonObject {
  return {
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: { uid: "r-1", desiredAPIVersion: "home.antechamber.dev/v1beta1", objects, ...request },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

/** What the road answers object by object; all at once, since nobody waits. */
function inPieces(text: string | Buffer, bytes = 1e9): Made {
  const work = answerInPieces(
    Buffer.from(text),
    (asked) => beginConversion(asked, kinds),
    new BodyMemory(bytes).share(),
  );
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Holds that the answer in pieces, where there is one, is the answer as a whole, told alike. */
function expectAlike(text: string | Buffer): Made["outcome"] {
  const made = inPieces(text);
  if (made.outcome !== "answered") return made.outcome;
  const reading = readReview(Buffer.from(text));
  if ("refusal" in reading) throw new Error(`refused as a whole: ${reading.refusal.message}`);
  const whole = answerConversion(reading.review, kinds);
  expect(Buffer.concat(made.pieces).toString()).toBe(writeAnswer(whole).join(""));
  expect(made.report).toEqual(whole.report);
  return made.outcome;
}

it.each([0, 1, 2, 1_000])("%i objects are answered to the byte as a whole review of them is", (count) => {
  const objects = Array.from({ length: count }, (_, i) =>
    room(`r${i}`, { big: parseJson("9007199254740993") }),
  );
  expect(expectAlike(writeJson(review(objects)))).toBe("answered");
  expect(expectAlike(JSON.stringify(review(objects), null, 2))).toBe("answered");
});

it("what stands around the objects may stand anywhere, and be anything", () => {
  const { kind = "", apiVersion = "", request = {} } = review([room("a"), room("b")]);
  for (const text of [
    writeJson({ request, kind, apiVersion, extra: { request: { objects: [1] } } }),
    writeJson({ kind, apiVersion, request: { objects: [room("a")], uid: "r", desiredAPIVersion: "x/v1" } }),
    writeJson({
      "": {},
      kind,
      apiVersion,
      request: { ...(request as JsonObject), ["__proto__"]: { objects: 1 } },
    }),
  ]) {
    expect(expectAlike(text)).toBe("answered");
  }
});

it.each<[string, readonly Json[], JsonObject]>([
  ["an object of a kind that is not served", [room("a"), { ...room("b"), kind: "Attic" }, room("c")], {}],
  [
    "objects of several versions",
    [room("a"), { ...room("b"), apiVersion: "home.antechamber.dev/v1beta1" }],
    {},
  ],
  ["a version that is not there", [room("a")], { desiredAPIVersion: "home.antechamber.dev/v9" }],
  ["no version that is wanted", [room("a")], { desiredAPIVersion: null }],
])("%s is answered alike", (_what, objects, request) => {
  expect(expectAlike(writeJson(review(objects, request)))).toBe("answered");
});

it.each<[string, (text: string) => string]>([
  ["no JSON behind the review", (text) => `${text}}`],
  ["a review that ends too early", (text) => text.slice(0, -1)],
  ["a review that ends in an object", (text) => text.slice(0, text.indexOf("r1") + 5)],
  ["something between two objects", (text) => text.replace("},{", "},1,{")],
  ["no comma between two objects", (text) => text.replace("},{", "}{")],
  ["a comma behind the last object", (text) => text.replace(/\}\](?=.*response)/, "},]")],
  ["an object that is none", (text) => text.replace('"objects":[', '"objects":[null,')],
  ["an object that is no JSON", (text) => text.replace("21.5", "warm")],
  ["brackets that do not match", (text) => text.replace("0.3}", "0.3]")],
  ["objects twice", (text) => text.replace('"objects":', '"objects":[],"objects":')],
  ["objects twice, once escaped", (text) => text.replace('"objects":', '"\\u006fbjects":[],"objects":')],
  ["a request twice", (text) => text.replace('"response":{', '"request":{},"response":{')],
  ["no request", (text) => text.replace("request", "bequest")],
  ["no uid", (text) => text.replace('"uid":"r-1",', "")],
  ["another kind", (text) => text.replace("ConversionReview", "AdmissionReview")],
  ["a byte order mark", (text) => `\uFEFF${text}`],
  ["nesting without end", (text) => text.replace("21.5", `${"[".repeat(1_000)}${"]".repeat(1_000)}`)],
])("with %s it is taken as a whole", (_what, change) => {
  const text = writeJson(review([room("r0"), room("r1")]));
  expect(change(text)).not.toBe(text);
  expect(inPieces(change(text)).outcome).toBe("odd");
});

it("a byte that is not UTF-8, in an object or around them, is left to the whole road", () => {
  const text = writeJson(review([room("r0"), room("€")]));
  for (const index of [text.indexOf("€"), text.lastIndexOf("€"), text.indexOf("r-1")]) {
    const bytes = Buffer.from(text);
    bytes[Buffer.byteLength(text.slice(0, index))] = 0xff;
    expect(inPieces(bytes).outcome).toBe("odd");
  }
});

it("whatever is done to a review's bytes, it is answered as a whole is or left to that road", () => {
  const bytes = Buffer.from(writeJson(review([room("r0"), room("r1"), room("r2")])));
  const place = fc.nat({ max: bytes.length });
  const piece = fc.constantFrom(
    ...'{}[],:"\\ 0null'.split(""),
    "{}",
    "[]",
    '"objects":[],',
    '"a":1,',
    "},{",
    "",
  );
  const edit = fc.tuple(place, fc.nat({ max: 30 }), piece);
  let answered = 0;
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
      let changed = bytes;
      for (const [at, length, added] of edits) {
        changed = Buffer.concat([changed.subarray(0, at), Buffer.from(added), changed.subarray(at + length)]);
      }
      if (expectAlike(changed) === "answered") answered++;
    }),
    { numRuns: Number(process.env.LAWS_RUNS ?? 500) },
  );
  expect(answered).toBeGreaterThan(0);
});

it("an answer for which there is no memory is not made", () => {
  const text = writeJson(review(Array.from({ length: 500 }, (_, i) => room(`r${i}`))));
  expect(inPieces(text, text.length - 1).outcome).toBe("crowded");
  expect(inPieces(text, text.length).outcome).toBe("crowded");
  expect(inPieces(text, text.length * 10).outcome).toBe("answered");
});

it("works take turns, each for a slice, and give up when they are told", async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const steps: string[] = [];
  function* work(name: string) {
    for (let i = 0; i < 6; i++) {
      now++;
      steps.push(name);
      yield undefined;
    }
    return name;
  }
  let left = false;
  const given = turns.run(work("c"), () => left);
  const both = Promise.all([turns.run(work("a")), turns.run(work("b"))]);
  left = true;
  expect(await both).toEqual(["a", "b"]);
  expect(await given).toBeUndefined();
  expect(steps.join("")).toBe("aabbaabbaabb");
});

async function largeStage() {
  return setStage({
    roads: {
      convert: (asked) => answerConversion(asked, kinds),
      beginConversion: (asked) => beginConversion(asked, kinds),
      mutate: () => Promise.reject(new Error("no")),
      validate: () => Promise.reject(new Error("no")),
    },
  });
}

const rooms = (count: number) =>
  Array.from({ length: count }, (_, i) => room(`r${i}`, { note: "x".repeat(2_000) }));

it("over HTTPS a large review is answered as on the small road; small ones and /livez are answered meanwhile", async () => {
  const stage = await largeStage();
  const asked = review(rooms(2_000));
  const body = writeJson(asked);
  expect(body.length).toBeGreaterThan(largeBody);
  let done = false;
  const large = call(stage, { body }).finally(() => {
    done = true;
  });
  const small = writeJson(review([room("small")]));
  let meanwhile = 0;
  while (!done) {
    expect((await call(stage, { body: small })).status).toBe(200);
    expect((await ask(stage, "/livez")).text).toBe("ok\n");
    if (!done) meanwhile++;
  }
  expect(meanwhile).toBeGreaterThan(2);
  const { status, headers, text } = await large;
  expect(status).toBe(200);
  expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
  expect(text).toBe(writeAnswer(answerConversion(asked, kinds)).join(""));
  expect((await ask(stage, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
});

it("a large review that is no JSON is told where, as a small one is", async () => {
  const stage = await largeStage();
  const text = JSON.stringify(review(rooms(200)), null, 1).replace(/"note": "x+"(?=[^"]*"[^"]*$)/, "note");
  const broken = text.slice(0, -40);
  expect(sentenceOf(await call(stage, { body: broken }), 400)).toContain("the body is not JSON: ");
  await expectAlive(stage);
});

async function expectAlive(stage: Stage): Promise<void> {
  expect((await call(stage, { body: writeJson(review([room("alive")])) })).status).toBe(200);
}

it("a large review that takes too long is answered 504", async () => {
  let now = 0;
  const stage = await setStage({
    clock: () => (now += 400),
    roads: {
      convert: (asked) => answerConversion(asked, kinds),
      beginConversion: (asked) => beginConversion(asked, kinds),
      mutate: (asked) => answerConversion(asked, kinds),
      validate: (asked) => answerConversion(asked, kinds),
    },
  });
  const reply = await call(stage, { path: "/convert?timeout=5s", body: writeJson(review(rooms(200))) });
  expect(sentenceOf(reply, 504)).toBe("the review was not answered within its timeout");
  expect((await ask(stage, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
});

it("a large review whose caller leaves is worked on no longer", async () => {
  const stage = await largeStage();
  const socket = await dial(stage);
  socket.write(post(writeJson(review(rooms(3_000)))));
  await vi.waitFor(async () => {
    expect((await ask(stage, "/metrics")).text).toContain("antechamber_request_bytes_count 1");
  });
  socket.destroy();
  await stage.logged("the caller left before its answer");
  expect(stage.log.some(({ msg }) => msg === "review answered")).toBe(false);
  expect((await ask(stage, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
});
