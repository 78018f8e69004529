import { deflateRawSync } from "node:zlib";
import { pino } from "pino";
import { beforeAll, expect, it, vi } from "vitest";
import { reviewThreadModule, threadData } from "../../src/cli/serve/review-thread.ts";
import { ListerFeed, needsOf } from "../../src/cluster/follow/replica.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import type { Kinds } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { offlineListers } from "../../src/offline/listers.ts";
import { writeAnswer } from "../../src/review/answer.ts";
import { answerConversion } from "../../src/review/conversion.ts";
import { largeBody } from "../../src/server/large/large.ts";
import { ReviewThread } from "../../src/server/large/review-thread.ts";
import { ask, call, dial, post, sentenceOf, startTestServer, type TestServer } from "./test-server.ts";

let kinds: Kinds;
beforeAll(async () => {
  kinds = await loadKinds(["webhooks/home"]);
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

/** Counts what it is asked. */
class CountingThread extends ReviewThread {
  asked = 0;

  override answer(...review: Parameters<ReviewThread["answer"]>): ReturnType<ReviewThread["answer"]> {
    this.asked++;
    return super.answer(...review);
  }
}

function threadOfHome(): CountingThread {
  const listerOf = offlineListers([], kinds, { now: () => new Date() });
  return new CountingThread({
    module: reviewThreadModule,
    data: threadData(["webhooks/home"]),
    feed: new ListerFeed(needsOf(kinds), listerOf),
    log: pino({ level: "silent" }),
  });
}

/** A service whose large reviews are answered on a thread of their own, with the kinds of a home. */
async function startLargeServer(options: Parameters<typeof startTestServer>[0] = {}) {
  return startTestServer({ handlers, thread: threadOfHome(), ...options });
}

const convert = (asked: Json) => answerConversion(asked, kinds);
const handlers = { convert, mutate: convert, validate: convert };

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

it("what can be wrong with a review is answered alike whether the review is large or small", async () => {
  const [large, small] = [await startLargeServer(), await startTestServer({ handlers })];
  const objects = [...rooms(40), room("r€", { big: parseJson("9007199254740993"), d: "DEEP" })];
  const text = JSON.stringify(review(objects), null, 1);
  const wrong: readonly (readonly [number, string | Buffer])[] = [
    [200, text],
    [200, `\uFEFF${text}`],
    [200, text.replace('"DEEP"', `${"[".repeat(990)}${"]".repeat(990)}`)],
    [200, text.replace('"DEEP"', `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`)],
    [200, text.replace(/"Room"(?=[^€]*€)/, '"Attic"')],
    [400, text.slice(0, -40)],
    [400, text.replace('"DEEP"', "DEEP")],
    [400, text.replace("ConversionReview", "AdmissionReview")],
    [400, text.replace('"uid": "r-1"', '"uid": ""')],
    [400, Buffer.from(text.replace("r€", "r\u00ff"), "latin1")],
    [413, text.replace('"DEEP"', `[${"[],".repeat(1024 * 1024)}1]`)],
    [413, text.replace('"DEEP"', `${"[".repeat(10_000)}${"]".repeat(10_000)}`)],
  ];
  for (const [status, body] of wrong) {
    expect(body.length).toBeGreaterThan(largeBody);
    const reply = await call(large, { body });
    expect(reply).toMatchObject({ status, text: (await call(small, { body })).text });
  }
  await expectAlive(large);
});

async function expectAlive(server: TestServer): Promise<void> {
  expect((await call(server, { body: writeJson(review([room("alive")])) })).status).toBe(200);
}

it("a large review that takes too long is rejected with 504", async () => {
  let now = 0;
  const server = await startLargeServer({ clock: () => (now += 400) });
  const reply = await call(server, { path: "/convert?timeout=1s", body: writeJson(review(rooms(2_000))) });
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

it("a body of many values goes to the thread before it is parsed, unless it is very small", async () => {
  const thread = threadOfHome();
  const server = await startLargeServer({ thread });
  const asked = async (body: string) => {
    const before = thread.asked;
    const { status } = await call(server, { body });
    return [status, thread.asked - before];
  };
  const values = (count: number, value: Json) =>
    writeJson(review([room("r", { x: Array(count).fill(value) })]));
  expect(await asked(values(3_000, 1))).toEqual([200, 0]);
  expect(await asked(values(3_000, "long"))).toEqual([200, 1]);
  expect(await asked(values(3_000, "long").slice(0, -1))).toEqual([400, 1]);
  expect(await asked(values(30, "long".repeat(200)))).toEqual([200, 0]);
});
