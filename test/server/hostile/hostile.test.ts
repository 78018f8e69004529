import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { get, type Json } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";

// Hostile requests, sent over HTTPS to a service in a process of its own: each is answered as designed, and the
// next good review too. HOSTILE=1 sends more of it: a thousand slow clients, 200 MB that are not announced.
const isLong = process.env.HOSTILE === "1";

let service: RunningService;
let good: string;
beforeAll(async () => {
  service = await startService();
  good = (await service.post("/convert?timeout=30s", review([room("good")]))).body;
  expect(status(good)).toBe("Success");
});
afterAll(async () => {
  const peak = peakOf(service);
  console.log(`the hostile suite ended with a peak of ${peak.toFixed(0)} MiB`);
  // 384 MiB of bodies and answers, and what a bare service with its caches and garbage takes.
  expect(peak).toBeLessThan(900);
  expect(service.logged(), "nothing of it is a fault of ours").not.toMatch(/"level":[56]0/);
  expect(await service.stop()).toBe(0);
});

it.each<[string, number, RegExp, string | Buffer, Record<string, string>?]>([
  ["nothing", 400, /the body is empty/, ""],
  ["garbage", 400, /the body is not UTF-8/, Buffer.from([0xff, 0xfe, 0x00, 0x9d])],
  ["half a review", 400, /not JSON: unexpected end/, review(["x"]).slice(0, 60)],
  ["a megabyte of words", 400, /not JSON: unexpected character at line 1, column 1/, "la ".repeat(350_000)],
  [
    "a depth of 200,000",
    413,
    /nested more than 10000 deep/,
    `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`,
  ],
  ["brackets that never close", 413, /nested more than/, "[".repeat(2_000_000)],
  ["fewer brackets that never close", 413, /nested more than/, "[".repeat(200_000)],
  ["two million lists", 413, /more than 1048576 lists/, `[${"[],".repeat(2_000_000)}1]`],
  ["five million lists", 413, /larger than 7340032 bytes/, `[${"[],".repeat(5_000_000)}1]`],
  ["a form", 415, /not application\/json/, "a=b", { "Content-Type": "application/x-www-form-urlencoded" }],
  ["YAML", 415, /not application\/json/, "a: b", { "Content-Type": "application/yaml" }],
  ["gzip", 415, /Content-Encoding is not identity/, gzipSync("{}"), { "Content-Encoding": "gzip" }],
  ["a review without a uid", 400, /no request.uid/, review([room("a")]).replace('"uid":"r-1",', "")],
  [
    "a review without a request",
    400,
    /has no request/,
    '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}',
  ],
  [
    "an admission review at the path of conversions",
    400,
    /is this the right path/,
    review([]).replace("ConversionReview", "AdmissionReview"),
  ],
  [
    "a version of reviews that is not known",
    400,
    /neither apiextensions/,
    review([]).replace("k8s.io/v1", "k8s.io/v7"),
  ],
  ["a list", 400, /is not a JSON object/, "[]"],
])("%s is answered %i", async (_what, code, sentence, body, headers = {}) => {
  const reply = await service.post("/convert?timeout=30s", body, headers);
  expect(reply.status).toBe(code);
  expect(JSON.parse(reply.body)).toMatchObject({ kind: "Status", status: "Failure", code });
  expect(reply.body).toMatch(sentence);
  await expectGood();
});

it("200 MB with a declared length are rejected before they arrive", async () => {
  const socket = await dial();
  socket.write(head("/convert", ["Content-Length: 209715200"]));
  expect(await firstLine(socket)).toBe("HTTP/1.1 413 Payload Too Large");
  await expectGood();
});

if (isLong)
  it("sixty million numbers are answered 413", async () => {
    const { status: code, body } = await service.post("/convert", `[${"1,".repeat(60_000_000)}1]`);
    expect(code).toBe(413);
    expect(body).toContain("the body is larger than 7340032 bytes, the limit of this path");
    await expectGood();
  }, 60_000);

if (isLong)
  it("200 MB without a declared length are rejected at the limit", async () => {
    const socket = await dial();
    socket.write(head("/convert", ["Transfer-Encoding: chunked"]));
    const answered = firstLine(socket);
    const chunk = Buffer.concat([
      Buffer.from("100000\r\n"),
      Buffer.alloc(0x100000, " "),
      Buffer.from("\r\n"),
    ]);
    let left = 200;
    const push = () => {
      while (left-- > 0 && !socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", push);
    push();
    expect(await answered).toBe("HTTP/1.1 413 Payload Too Large");
    await expectGood();
  }, 60_000);

it("10,000 objects are converted, each in its place", async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `room-${index}`);
  const reply = await service.post("/convert?timeout=30s", review(names.map((name) => room(name))));
  expect(status(reply.body)).toBe("Success");
  const converted = get(JSON.parse(reply.body), "response", "convertedObjects") as Json[];
  expect(converted.map((object) => get(object, "metadata", "name"))).toEqual(names);
  await expectGood();
}, 60_000);

it("10,000 objects of which the last cannot be converted are a Failure that names it", async () => {
  const objects = Array.from({ length: 10_000 }, (_, index) =>
    room(`room-${index}`, index === 9_999 ? "Attic" : "Room"),
  );
  const reply = await service.post("/convert?timeout=30s", review(objects));
  expect(get(JSON.parse(reply.body), "response")).toMatchObject({
    uid: "r-1",
    result: { status: "Failure", message: expect.stringMatching(/^objects\[9999\]: kind "Attic"/) },
    convertedObjects: [],
  });
  await expectGood();
}, 60_000);

it("keys that JavaScript gives a meaning are keys like any other", async () => {
  const odd = room("odd").replace(
    '"spec":{',
    '"spec":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"10":1,"9":1,',
  );
  const down = await service.post("/convert?timeout=30s", review([odd]));
  const view = JSON.stringify((get(JSON.parse(down.body), "response", "convertedObjects") as Json[])[0]);
  const up = await service.post("/convert?timeout=30s", review([view], "v1"));
  const [back] = get(JSON.parse(up.body), "response", "convertedObjects") as Json[];
  expect(back).toEqual(JSON.parse(odd));
  expect(Object.keys(get(back, "spec") as object)).toContain("__proto__");
  await expectGood();
});

it("annotations of one byte more than an API server takes come back as they are", async () => {
  const key = "notes";
  const note = "n".repeat(256 * 1024 + 1 - key.length);
  const large = room("large").replace('"metadata":{', `"metadata":{"annotations":{"${key}":"${note}"},`);
  const reply = await service.post("/convert?timeout=30s", review([large]));
  expect(status(reply.body)).toBe("Success");
  const [object] = get(JSON.parse(reply.body), "response", "convertedObjects") as Json[];
  expect(get(object, "metadata", "annotations")).toEqual({ [key]: note });
  await expectGood();
});

it("a client that half-closes its connection after its request is answered", async () => {
  const socket = await dial();
  const body = review([room("good")]);
  socket.end(`${head("/convert", [`Content-Length: ${body.length}`])}${body}`);
  expect(await all(socket)).toMatch(/^HTTP\/1.1 200 OK|^$/);
  await expectGood();
});

it("requests in a pipeline are answered in their order", async () => {
  const socket = await dial();
  const ask = (uid: string, more: readonly string[] = []) => {
    const body = review([room("good")]).replace("r-1", uid);
    return `${head("/convert", [`Content-Length: ${body.length}`, ...more])}${body}`;
  };
  const uids = Array.from({ length: 50 }, (_, index) => `pipe-${index}`);
  socket.write(uids.map((uid) => ask(uid, uid === uids.at(-1) ? ["Connection: close"] : [])).join(""));
  const answers = (await all(socket)).matchAll(/"uid":"(pipe-\d+)","result"/g);
  expect([...answers].map(([, uid]) => uid)).toEqual(uids);
  await expectGood();
});

it("a client that expects 100 Continue gets it, and sends only then", async () => {
  const socket = await dial();
  const body = review([room("good")]);
  socket.write(
    head("/convert", [`Content-Length: ${body.length}`, "Expect: 100-continue", "Connection: close"]),
  );
  expect(await firstLine(socket)).toBe("HTTP/1.1 100 Continue");
  socket.write(body);
  expect(await all(socket)).toContain('"Success"');
  await expectGood();
});

it("clients that send a byte now and then delay no other client", async () => {
  const count = isLong ? 1_000 : 150;
  const body = review([room("good")]);
  const slow: TLSSocket[] = [];
  for (let index = 0; index < count; index++) slow.push(await dial());
  const text = `${head("/convert", [`Content-Length: ${body.length}`])}${body}`;
  for (let sent = 0; sent < 20; sent++) {
    for (const socket of slow) socket.write(text.charAt(sent));
    await expectGood();
  }
  for (const socket of slow.slice(0, count / 2)) socket.destroy();
  const answers = slow.slice(count / 2).map((socket) => {
    socket.write(text.slice(20));
    return firstLine(socket);
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 200 OK"]));
  await expectGood();
}, 120_000);

/** Holds that the service answers a good review as it did at the beginning. */
async function expectGood(): Promise<void> {
  const { status: code, body } = await service.post("/convert?timeout=30s", review([room("good")]));
  expect([code, body]).toEqual([200, good]);
}

function room(name: string, kind = "Room"): string {
  const metadata = `{"name":"${name}","namespace":"home","uid":"u-${name}","generation":1}`;
  const spec = '{"climate":{"targetCelsius":21.5,"mode":"Heat"},"lights":[{"name":"a","brightness":0.333}]}';
  return `{"apiVersion":"home.antechamber.dev/v1","kind":"${kind}","metadata":${metadata},"spec":${spec}}`;
}

function review(objects: readonly string[], to = "v1beta1"): string {
  const request = `{"uid":"r-1","desiredAPIVersion":"home.antechamber.dev/${to}","objects":[${objects.join(",")}]}`;
  return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":${request}}`;
}

function status(text: string): Json | undefined {
  return get(JSON.parse(text), "response", "result", "status");
}

function head(path: string, headers: readonly string[]): string {
  const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

async function dial(): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port: service.port, servername: "localhost", ca: service.ca });
  // The service may reset the connection; what was read before counts.
  socket.on("error", () => socket.destroy());
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

async function firstLine(socket: TLSSocket): Promise<string | undefined> {
  const [chunk] = await once(socket, "data");
  return String(chunk).split("\r\n", 1)[0];
}

async function all(socket: TLSSocket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

/** The most memory that the service has held so far, in MiB; known only on Linux. */
function peakOf({ process: child }: RunningService): number {
  const status =
    process.platform === "linux" ? readFileSync(`/proc/${child.pid}/status`, "utf8") : "VmHWM: 0";
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
