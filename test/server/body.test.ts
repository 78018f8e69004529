import { expect, it } from "vitest";
import { limits } from "../../src/server/shared/limits.ts";
import {
  ask,
  call,
  dial,
  expectAlive,
  post,
  rest,
  seen,
  sentenceOf,
  startTestServer,
} from "./test-server.ts";

const small = { ...limits, bodyBytes: 100_000, memoryBytes: 150_000 };

it("an empty body is rejected with a hint at what to send", async () => {
  expect(sentenceOf(await call(await startTestServer(), { body: "" }), 400)).toContain("empty");
});

it("a body of the limit is read, one more byte is not", async () => {
  const server = await startTestServer({ limits: small });
  const body = (size: number) => `{"a":"${"x".repeat(size - 8)}"}`;
  expect((await call(server, { body: body(100_000) })).status).toBe(200);
  expect(sentenceOf(await call(server, { body: body(100_001) }), 413)).toContain("100000 bytes");
});

it.each(["/convert", "/mutate", "/validate"])("at %s a body of 7 MiB is read", async (path) => {
  const server = await startTestServer();
  const body = JSON.stringify({ fill: "x".repeat(7 * 1024 * 1024 - 11) });
  expect((await call(server, { path, body })).status).toBe(200);
  sentenceOf(await call(server, { path, body: `${body} ` }), 413);
});

it("a body whose declared length is too large is rejected before it arrives, and the connection closed", async () => {
  const server = await startTestServer({ limits: { ...small, lingerMilliseconds: 50 } });
  const socket = await dial(server);
  socket.write(post("", ["X: y"]).replace("Content-Length: 0", "Content-Length: 200000"));
  const text = await rest(socket);
  expect(text).toMatch(/^HTTP\/1.1 413 [\s\S]*\r\nConnection: close\r\n/i);
  await expectAlive(server);
});

it("a client that goes on sending after its rejection can still read it, and is cut off in the end", async () => {
  const server = await startTestServer({ limits: { ...small, lingerBytes: 1_000_000 } });
  const socket = await dial(server);
  const rejected = seen(socket, /HTTP\/1.1 413/);
  const closed = rest(socket);
  socket.write(post("").replace("Content-Length: 0", "Content-Length: 9000000000"));
  await rejected;
  const push = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536, " ")));
  };
  socket.on("drain", push);
  push();
  await closed;
  expect(socket.bytesWritten).toBeLessThan(30_000_000);
  await expectAlive(server);
});

it("a chunked body is read, up to the limit", async () => {
  const server = await startTestServer({ limits: { ...small, lingerMilliseconds: 50 } });
  const head = "POST /mutate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n";
  const good = await dial(server);
  good.write(`${head}Connection: close\r\n\r\n2\r\n{"\r\n4\r\na":1\r\n1\r\n}\r\n0\r\n\r\n`);
  expect(await rest(good)).toContain('"echo":{"a":1}');
  const long = await dial(server);
  long.write(`${head}\r\n${`100\r\n${" ".repeat(256)}\r\n`.repeat(500)}`);
  expect(await rest(long)).toMatch(/^HTTP\/1.1 413/);
  await expectAlive(server);
});

it("a body that exceeds the memory together with others is rejected for now", async () => {
  const server = await startTestServer({ limits: small });
  const first = await dial(server);
  first.write(post(`{"hold":true,"a":"${"x".repeat(90_000)}"}`));
  await server.holds();
  const reply = await call(server, { body: `{"a":"${"x".repeat(90_000)}"}` });
  sentenceOf(reply, 503);
  expect(reply.headers["retry-after"]).toBe("1");
  // A small body is accepted even then.
  expect((await call(server, { body: `{"a":"${"x".repeat(65_000)}"}` })).status).toBe(200);
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 9\d{4}$/m);
  const answered = seen(first, /200 OK/);
  server.held[0]?.();
  await answered;
  expect((await call(server, { body: `{"a":"${"x".repeat(90_000)}"}` })).status).toBe(200);
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
});

it.each([
  ["a byte that is not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ["a surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ["a character cut short", Buffer.from([0x22, 0xe2, 0x82, 0x22])],
])("%s is rejected, not replaced", async (_what, body) => {
  expect(sentenceOf(await call(await startTestServer(), { body }), 400)).toBe("the body is not UTF-8");
});

it("a character that is split between two chunks is read whole", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  const body = Buffer.from('{"a":"€"}');
  socket.write(
    post("")
      .replace("Content-Length: 0", `Content-Length: ${body.length}`)
      .replace("Host", "Connection: close\r\nHost"),
  );
  socket.write(body.subarray(0, 7));
  socket.write(body.subarray(7));
  expect(await rest(socket)).toContain('{"a":"€"}');
});

it("a byte order mark is ignored", async () => {
  expect((await call(await startTestServer(), { body: '\uFEFF{"a":1}' })).text).toContain('"echo":{"a":1}');
});

it("integers that a double cannot hold stay exact", async () => {
  const body = '{"a":9007199254740993,"b":-9223372036854775808}';
  expect((await call(await startTestServer(), { body })).text).toContain(body);
});

it("the rejection of a body that is not JSON has the place and does not quote the body", async () => {
  const sentence = sentenceOf(
    await call(await startTestServer(), { body: '{\n  "password": hunter2\n}' }),
    400,
  );
  expect(sentence).toBe("the body is not JSON: unexpected character at line 2, column 15");
});

it("the rejection of JSON that ends too early says so", async () => {
  const sentence = sentenceOf(await call(await startTestServer(), { body: '{"a":[1,2' }), 400);
  expect(sentence).toBe("the body is not JSON: unexpected end after 9 characters");
});

it("a million open brackets cost nothing", async () => {
  const server = await startTestServer();
  expect(sentenceOf(await call(server, { body: "[".repeat(1_000_000) }), 413)).toContain("nested");
  await expectAlive(server);
});

it("more empty lists than the limit are rejected", async () => {
  const server = await startTestServer();
  expect(sentenceOf(await call(server, { body: `[${"[],".repeat(1024 * 1024)}1]` }), 413)).toContain(
    "1048576 lists",
  );
});

it("a body that does not arrive in time is rejected", async () => {
  const server = await startTestServer({
    limits: { ...small, bodyMilliseconds: 50, lingerMilliseconds: 50 },
  });
  const socket = await dial(server);
  socket.write(post('{"a":1}').slice(0, -3));
  const text = await rest(socket);
  expect(text).toMatch(/^HTTP\/1.1 408 /);
  expect(text).toContain("within 0.05 s");
  await expectAlive(server);
});

it("the connection of a client that does not fetch its response is closed", async () => {
  const server = await startTestServer({ limits: { ...limits, stallMilliseconds: 1_000 } });
  const socket = await dial(server);
  socket.pause();
  socket.write(post(`{"a":"${"x".repeat(7_000_000)}"}`));
  await server.logged("review answered");
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes [1-9]/m);
  await server.logged("a connection stalled");
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
  await expectAlive(server);
});

it("a client that expects 100 Continue gets it", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  const [head = "", body = ""] = post('{"a":1}', ["Expect: 100-continue"]).split(/(?<=\r\n\r\n)/);
  const continued = seen(socket, /^HTTP\/1.1 100 Continue\r\n\r\n/);
  socket.write(head);
  await continued;
  const answered = seen(socket, /200 OK/);
  socket.write(body);
  await answered;
});

it("a client that expects 100 Continue for a body that is too large gets a rejection instead", async () => {
  const server = await startTestServer({ limits: small });
  const socket = await dial(server);
  socket.write(post("", ["Expect: 100-continue"]).replace("Content-Length: 0", "Content-Length: 200000"));
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 413 /);
});
