import { Agent } from "node:https";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/json/json.ts";
import type { Answer, ConversionReport } from "../../src/review/answer.ts";
import { call, expectAlive, sentenceOf, startTestServer } from "./test-server.ts";

const report: ConversionReport = {
  review: "conversion",
  uid: "u-1",
  kind: "other",
  from: "other",
  to: "other",
  objects: 0,
  outcome: "success",
};

it.each(["/convert", "/mutate", "/validate"])(
  "POST %s answers a review in JSON, of a known length",
  async (path) => {
    const reply = await call(await startTestServer(), { path, body: '{"a":1}' });
    expect(reply).toMatchObject({ status: 200, text: '{"kind":"ConversionReview","echo":{"a":1}}' });
    expect(reply.headers).toMatchObject({ "content-type": "application/json", "content-length": "42" });
    expect(reply.headers).not.toHaveProperty("x-powered-by");
    expect(reply.headers).not.toHaveProperty("etag");
  },
);

it.each([
  "/convert?timeout=30s",
  "/convert/",
  "/convert/rooms",
  "/mutate/a/b/c?x=%zz",
  "/validate/%zz",
  "/validate//",
])("%s is one of the paths", async (path) => {
  expect((await call(await startTestServer(), { path })).status).toBe(200);
});

it.each(["/", "/converter", "/Convert", "//convert", "/%zz", "/x/convert", "/%63onvert", "*", "/livez"])(
  "the rejection of %s lists the paths",
  async (path) => {
    const server = await startTestServer();
    expect(sentenceOf(await call(server, { path }), 404)).toContain("/convert, /mutate or /validate");
    await expectAlive(server);
  },
);

it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"])(
  "the rejection of %s names POST",
  async (method) => {
    const reply = await call(await startTestServer(), { method, body: "" });
    expect(sentenceOf(reply, 405)).toContain("POST");
    expect(reply.headers.allow).toBe("POST");
  },
);

it("HEAD is rejected without a body", async () => {
  const reply = await call(await startTestServer(), { method: "HEAD", body: "" });
  expect(reply).toMatchObject({ status: 405, text: "" });
});

it("the rejection of what curl -d sends names the header to add", async () => {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const sentence = sentenceOf(await call(await startTestServer(), { headers }), 415);
  expect(sentence).toContain("-H 'Content-Type: application/json'");
});

it.each(["application/json", "Application/JSON", "application/json; charset=utf-8", " application/json;v=1"])(
  "Content-Type %s is JSON",
  async (type) => {
    expect((await call(await startTestServer(), { headers: { "Content-Type": type } })).status).toBe(200);
  },
);

it.each(["text/plain", "application/jsonx", "application/json-patch+json", "x, application/json"])(
  "Content-Type %s is not JSON",
  async (type) => {
    sentenceOf(await call(await startTestServer(), { headers: { "Content-Type": type } }), 415);
  },
);

it("a compressed body is rejected, one with identity encoding is not", async () => {
  const server = await startTestServer();
  const encoded = (encoding: string) => call(server, { headers: { "Content-Encoding": encoding } });
  expect(sentenceOf(await encoded("gzip"), 415)).toContain("uncompressed");
  expect((await encoded("identity")).status).toBe(200);
});

it("an unreadable review is a 400 with its sentence", async () => {
  const reply = await call(await startTestServer(), { body: '{"unreadable":true}' });
  expect(sentenceOf(reply, 400)).toBe("the review has no request");
});

it("a handler that throws is a 500 with one sentence; the error is only in the log", async () => {
  const server = await startTestServer();
  const reply = await call(server, { body: '{"boom":true}' });
  expect(sentenceOf(reply, 500)).toBe("the service failed at this review; its log says more");
  expect(await server.logged("a request failed")).toMatchObject({
    err: { message: "the lamp at /etc/secret exploded", stack: expect.stringContaining("actOut") },
  });
  await expectAlive(server);
});

it("a handler whose promise rejects is a 500 too", async () => {
  const reject = () => Promise.reject(new Error("late"));
  const server = await startTestServer({ handlers: { convert: reject, mutate: reject, validate: reject } });
  sentenceOf(await call(server), 500);
});

it("a handler that throws undefined is caught too", async () => {
  const reject = () => Promise.reject(undefined);
  const server = await startTestServer({ handlers: { convert: reject, mutate: reject, validate: reject } });
  sentenceOf(await call(server), 500);
});

it("an answer that cannot be written is a 500", async () => {
  const circle: Record<string, JsonObject> = {};
  circle.self = circle;
  const handler = (): Answer => ({ review: circle, report });
  const server = await startTestServer({
    handlers: { convert: handler, mutate: handler, validate: handler },
  });
  sentenceOf(await call(server), 500);
});

it("a review nested as deep as is allowed is answered", async () => {
  const body = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
  expect((await call(await startTestServer(), { body })).text).toContain(body);
});

it("one connection serves several requests", async () => {
  const server = await startTestServer();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const replies = [
    await call(server, { agent }),
    await call(server, { agent, path: "/no" }),
    await call(server, { agent }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 404, 200]);
  expect(replies.map(({ headers }) => headers.connection)).toEqual([
    "keep-alive",
    "keep-alive",
    "keep-alive",
  ]);
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
  agent.destroy();
});

it("an idle connection stays open longer than an API server keeps it", async () => {
  const { headers } = await call(await startTestServer(), { agent: new Agent({ keepAlive: true }) });
  expect(headers["keep-alive"]).toBe("timeout=115");
});
