import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { pino } from "pino";
import { beforeAll, expect, it, vi } from "vitest";
import { offlineListers } from "../../src/cluster/offline.ts";
import { ListerFeed, needsOf } from "../../src/cluster/replica.ts";
import { reviewThreadModule } from "../../src/commands/review-thread.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import type { Kinds } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { type Answer, writeAnswer } from "../../src/review/answer.ts";
import { answerConversion, beginConversion } from "../../src/review/conversion.ts";
import { answerLarge, type LargeOutcome, largeBody } from "../../src/server/large.ts";
import { readReview } from "../../src/server/read-json.ts";
import { rejectionOfError } from "../../src/server/rejection.ts";
import { ReviewThread } from "../../src/server/review-thread.ts";
import { mostItems } from "../../src/server/scan.ts";
import { TimeSlicer } from "../../src/server/time-slicer.ts";
import { ask, call, dial, post, sentenceOf, startTestServer, type TestServer } from "./test-server.ts";

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

/** What came of a review: the text of its answer and the report, or the code and sentence of its rejection. */
type Result =
  | { readonly text: string; readonly report: Answer["report"] }
  | { readonly code: number; readonly message: string };

/** A review answered object by object, without another thread. */
function inPieces(text: string | Buffer): Result {
  const pieces: Uint8Array[] = [];
  const endpoint = {
    handler: (asked: Json) => answerConversion(asked, kinds),
    begin: (asked: Json) => beginConversion(asked, kinds),
  };
  const work = answerLarge(Buffer.from(text), endpoint, (piece) => pieces.push(piece) > 0);
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return resultOf(step.value, pieces);
    }
  } catch (error) {
    return resultOf({ outcome: "rejected", rejection: rejectionOfError(error) }, []);
  }
}

function resultOf(outcome: LargeOutcome, pieces: readonly Uint8Array[]): Result {
  if (outcome.outcome === "overloaded") throw new Error("there is memory");
  if (outcome.outcome === "rejected")
    return { code: outcome.rejection.code, message: outcome.rejection.message };
  const { head, tail, report } = outcome;
  const parts = tail === undefined ? [head] : [head, ...pieces, tail];
  return { text: Buffer.concat(parts).toString(), report };
}

/** The same review taken as a whole. */
function asWhole(text: string | Buffer): Result {
  const reading = readReview(Buffer.from(text));
  try {
    if ("rejection" in reading) return { code: reading.rejection.code, message: reading.rejection.message };
    const answer = answerConversion(reading.review, kinds);
    return { text: writeAnswer(answer).join(""), report: answer.report };
  } catch (error) {
    const { code, message } = rejectionOfError(error);
    return { code, message };
  }
}

/** Holds that a review is answered in pieces as it is as a whole: the same bytes, or a rejection with the same code. */
function expectAlike(text: string | Buffer): "answered" | "rejected" {
  const [pieces, whole] = [inPieces(text), asWhole(text)];
  if ("text" in whole) {
    expect(pieces).toEqual(whole);
    return "answered";
  }
  expect(pieces).toMatchObject({ code: whole.code });
  return "rejected";
}

it.each([0, 1, 2, 1_000])("%i objects are answered to the byte as a whole review of them is", (count) => {
  const objects = Array.from({ length: count }, (_, i) =>
    room(`r${i}`, { big: parseJson("9007199254740993") }),
  );
  expect(expectAlike(writeJson(review(objects)))).toBe("answered");
  expect(expectAlike(JSON.stringify(review(objects), null, 2))).toBe("answered");
});

it("the text around the objects may have any content and order", () => {
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
  ["a version that is missing", [room("a")], { desiredAPIVersion: null }],
  ["an item that is not an object", [room("a"), null, room("b")], {}],
])("%s is answered alike", (_what, objects, request) => {
  expect(expectAlike(writeJson(review(objects, request)))).toBe("answered");
});

it.each<[string, "answered" | "rejected", (text: string) => string]>([
  ["text behind the review", "rejected", (text) => `${text}}`],
  ["a review that ends too early", "rejected", (text) => text.slice(0, -1)],
  ["a review that ends in an object", "rejected", (text) => text.slice(0, text.indexOf("r1") + 5)],
  ["something between two objects", "answered", (text) => text.replace("},{", "},1,{")],
  ["no comma between two objects", "rejected", (text) => text.replace("},{", "}{")],
  ["a comma behind the last object", "rejected", (text) => text.replace(/\}\](?=.*response)/, "},]")],
  ["an object that is not JSON", "rejected", (text) => text.replace("21.5", "warm")],
  ["brackets that do not match", "rejected", (text) => text.replace("0.3}", "0.3]")],
  ["a key with an escape", "answered", (text) => text.replace('"objects":', '"\\u006fbjects":')],
  ["a key with a bad escape", "rejected", (text) => text.replace('"objects":', '"\\x6fbjects":')],
  [
    "a request that is not an object",
    "rejected",
    (text) => text.replace(/"request":\{.*\},"r/, '"request":1,"r'),
  ],
  ["no request", "rejected", (text) => text.replace("request", "bequest")],
  ["no uid", "rejected", (text) => text.replace('"uid":"r-1",', "")],
  ["another kind", "rejected", (text) => text.replace("ConversionReview", "AdmissionReview")],
  ["a byte order mark", "answered", (text) => `\uFEFF${text}`],
  ["deep nesting", "answered", (text) => text.replace("21.5", `${"[".repeat(990)}${"]".repeat(990)}`)],
])("with %s it is answered as a whole review is: %s", (_what, expected, change) => {
  const text = writeJson(review([room("r0"), room("r1")]));
  expect(change(text)).not.toBe(text);
  expect(expectAlike(change(text))).toBe(expected);
});

it.each([
  [
    "objects twice",
    (text: string) => text.replace('"objects":', '"objects":[],"objects":'),
    "request.objects",
  ],
  [
    "objects twice, once escaped",
    (text: string) => text.replace('"objects":', '"\\u006fbjects":3,"objects":'),
    "request.objects",
  ],
  ["a request twice", (text: string) => text.replace('"response":{', '"request":{},"response":{'), "request"],
])("with %s it is rejected: which of them is meant?", (_what, change, member) => {
  const text = change(writeJson(review([room("r0")])));
  expect(inPieces(text)).toEqual({
    code: 400,
    message: `the review has two members ${member}; send one`,
  });
});

it("an object that is nested too deeply fails the review with its place", () => {
  const text = writeJson(review([room("r0"), room("r1", { d: "DEEP" })])).replace(
    '"DEEP"',
    `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
  );
  const { report } = inPieces(text) as { report: Answer["report"] };
  expect(report).toMatchObject({
    outcome: "failure",
    objects: 2,
    message: expect.stringContaining("objects[1]: spec.d.a.a"),
  });
});

it("an object of more than 4 MiB fails the review, and one of 4 MiB does not", () => {
  const size = (bytes: number) => {
    const filled = room("big", { note: "" });
    const empty = writeJson(filled).length + 2; // The euro sign has three bytes.
    return writeJson(review([room("r0"), room("big", { note: "x".repeat(bytes - empty) })]));
  };
  const most = 4 * 1024 * 1024;
  expect(inPieces(size(most))).toMatchObject({ report: { outcome: "success" } });
  expect(inPieces(size(most + 1))).toMatchObject({
    report: {
      outcome: "failure",
      message: `objects[1]: it has ${most + 1} bytes, more than the ${most} that an object may have`,
    },
  });
});

it("too much text around the objects, or too many objects, are rejected", () => {
  const text = writeJson(review([room("r0")]));
  expect(inPieces(text.replace("{", `{"x":"${"x".repeat(1024 * 1024)}",`))).toMatchObject({ code: 413 });
  expect(inPieces(`[${"1,".repeat(600_000)}1]`)).toMatchObject({ code: 413 });
  const items = (count: number) =>
    text.replace(/"objects":\[.*\](?=.*response)/, `"objects":[${"1,".repeat(count - 1)}1]`);
  expect(inPieces(items(mostItems))).toMatchObject({ report: { objects: mostItems, outcome: "failure" } });
  expect(inPieces(items(mostItems + 1))).toMatchObject({ code: 413 });
});

it("a fault is reported at its line and column in the whole body", () => {
  const text = JSON.stringify(review([room("€"), room("r1")]), null, 1);
  for (const [from, to] of [
    ["21.5", "warm"],
    ['"uid": "u-r1"', '"uid": u-r1'],
    ['"convertedObjects": null', '"convertedObjects": nil'],
    ['"uid": "r-1"', '"uid": r-1'],
  ] as const) {
    const broken =
      text.slice(0, text.lastIndexOf(from)) + text.slice(text.lastIndexOf(from)).replace(from, to);
    expect(inPieces(broken)).toEqual(asWhole(broken));
    expect(inPieces(broken)).toMatchObject({ message: expect.stringMatching(/line \d+, column \d+/) });
  }
});

it("a byte that is not UTF-8, in an object or around them, is rejected", () => {
  const text = writeJson(review([room("r0"), room("€")]));
  for (const index of [text.indexOf("€"), text.lastIndexOf("€"), text.indexOf("r-1")]) {
    const bytes = Buffer.from(text);
    bytes[Buffer.byteLength(text.slice(0, index))] = 0xff;
    expect(inPieces(bytes)).toEqual({ code: 400, message: "the body is not UTF-8" });
  }
});

it("a review with random changes to its bytes is answered, or rejected, as if it were read as a whole", () => {
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
  const outcomes = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
      let changed: Buffer = bytes;
      for (const [at, length, added] of edits) {
        changed = Buffer.concat([changed.subarray(0, at), Buffer.from(added), changed.subarray(at + length)]);
      }
      const result = inPieces(changed);
      const outcome =
        "message" in result && result.message.startsWith("the review has two")
          ? "twice"
          : expectAlike(changed);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }),
    { numRuns: Number(process.env.LAWS_RUNS ?? 500) },
  );
  expect(outcomes.get("answered")).toBeGreaterThan(0);
  expect(outcomes.get("rejected")).toBeGreaterThan(0);
});

it("tasks take turns, each for a time slice, callers take turns too, and a task can be cancelled", async () => {
  let now = 0;
  const timeSlicer = new TimeSlicer(() => now);
  const steps: string[] = [];
  function* task(name: string) {
    for (let i = 0; i < 6; i++) {
      now++;
      steps.push(name);
      yield undefined;
    }
    return name;
  }
  let isCancelled = false;
  const cancelled = timeSlicer.run(task("x"), () => isCancelled, "third");
  const run = (name: string, caller: string) => timeSlicer.run(task(name), () => false, caller);
  const all = Promise.all([run("a", "first"), run("b", "first"), run("c", "second")]);
  isCancelled = true;
  expect(await all).toEqual(["a", "b", "c"]);
  expect(await cancelled).toBeUndefined();
  // The second caller gets every other slice, though the first has two tasks.
  expect(steps.join("")).toBe("aaccbbccaaccbbaabb");
});

/** A service whose large reviews are answered on a thread of their own, with the kinds of the repository. */
async function startLargeServer(options: Parameters<typeof startTestServer>[0] = {}) {
  const listerOf = offlineListers([], kinds, { now: () => new Date() });
  const thread = new ReviewThread({
    module: reviewThreadModule,
    data: { webhooks: ["webhooks"], featureGates: "" },
    feed: new ListerFeed(needsOf(kinds), listerOf, new TimeSlicer(() => performance.now())),
    log: pino({ level: "silent" }),
  });
  const convert = (asked: Json) => answerConversion(asked, kinds);
  return startTestServer({ handlers: { convert, mutate: convert, validate: convert }, thread, ...options });
}

const rooms = (count: number) =>
  Array.from({ length: count }, (_, i) => room(`r${i}`, { note: "x".repeat(2_000) }));

it("over HTTPS a large review is answered as a small one; small ones and /livez are answered meanwhile", async () => {
  const server = await startLargeServer();
  const asked = review(rooms(2_000));
  const body = writeJson(asked);
  expect(body.length).toBeGreaterThan(largeBody);
  let done = false;
  const large = call(server, { body }).finally(() => {
    done = true;
  });
  const small = writeJson(review([room("small")]));
  let meanwhile = 0;
  while (!done) {
    expect((await call(server, { body: small })).status).toBe(200);
    expect((await ask(server, "/livez")).text).toBe("ok\n");
    if (!done) meanwhile++;
  }
  expect(meanwhile).toBeGreaterThan(2);
  const { status, headers, text } = await large;
  expect(status).toBe(200);
  expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
  expect(text).toBe(writeAnswer(answerConversion(asked, kinds)).join(""));
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
});

it("a large review that is not JSON is rejected with the place, as a small one is", async () => {
  const server = await startLargeServer();
  const text = JSON.stringify(review(rooms(200)), null, 1).replace(/"note": "x+"(?=[^"]*"[^"]*$)/, "note");
  const broken = text.slice(0, -40);
  expect(sentenceOf(await call(server, { body: broken }), 400)).toContain("the body is not JSON: ");
  await expectAlive(server);
});

async function expectAlive(server: TestServer): Promise<void> {
  expect((await call(server, { body: writeJson(review([room("alive")])) })).status).toBe(200);
}

it("a large review that takes too long is rejected with 504", async () => {
  let now = 0;
  const server = await startLargeServer({ clock: () => (now += 400) });
  const reply = await call(server, { path: "/convert?timeout=1s", body: writeJson(review(rooms(5_000))) });
  expect(sentenceOf(reply, 504)).toBe("the review was not answered within its timeout");
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
});

it("the work on a large review ends when its caller leaves", async () => {
  const server = await startLargeServer();
  const socket = await dial(server);
  socket.write(post(writeJson(review(rooms(3_000)))));
  await vi.waitFor(async () => {
    expect((await ask(server, "/metrics")).text).toContain("antechamber_request_bytes_count 1");
  });
  socket.destroy();
  await server.logged("the caller left before its answer");
  expect(server.log.some(({ msg }) => msg === "review answered")).toBe(false);
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
});

it("a review whose answer can never fit into memory is rejected for good", async () => {
  const body = writeJson(review(rooms(500)));
  const server = await startLargeServer({ limits: { memoryBytes: body.length * 1.6 } });
  expect(sentenceOf(await call(server, { body }), 413)).toContain("--body-memory");
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
  await expectAlive(server);
});

it("a review whose answer does not fit into memory now is rejected for now", async () => {
  const body = writeJson(review(rooms(500)));
  const server = await startLargeServer({ limits: { memoryBytes: body.length * 5 } });
  const other = await dial(server);
  const held = post("x".repeat(body.length));
  other.write(held.slice(0, -1));
  await vi.waitFor(async () => {
    const [, bytes] =
      /^antechamber_body_memory_bytes (\d+)$/m.exec((await ask(server, "/metrics")).text) ?? [];
    expect(Number(bytes)).toBeGreaterThan(body.length * 0.9);
  });
  expect(sentenceOf(await call(server, { body }), 503)).toContain("too many large bodies");
  other.destroy();
  await vi.waitFor(async () => expect((await call(server, { body })).status).toBe(200));
});

it("a small review whose carrier inflates to megabytes is answered on the thread", async () => {
  const server = await startLargeServer();
  const content = `{"hub":{"spec":{"x":{"=":[${"[],".repeat(300_000)}1]}}}}`;
  const deflated = deflateRawSync(content).toString("base64");
  const carrier = JSON.stringify({ format: 1, uid: "u-r", generation: 3, deflated });
  const object = room("r");
  const metadata = object.metadata as JsonObject;
  const annotations = { "antechamber.dev/conversion-data-0123456789": carrier };
  const asked = review([{ ...object, metadata: { ...metadata, annotations } }]);
  const body = writeJson(asked);
  expect(body.length).toBeLessThan(largeBody);
  let done = false;
  const costly = call(server, { body }).finally(() => {
    done = true;
  });
  let meanwhile = 0;
  while (!done) {
    expect((await call(server, { body: writeJson(review([room("small")])) })).status).toBe(200);
    if (!done) meanwhile++;
  }
  // On the main thread none would come in between.
  expect(meanwhile).toBeGreaterThan(2);
  expect((await costly).text).toBe(writeAnswer(answerConversion(asked, kinds)).join(""));
});
