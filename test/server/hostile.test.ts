import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { limits } from "../../src/server/shared/limits.ts";
import { dial, dialToReset, expectAlive, post, rest, seen, startTestServer } from "./test-server.ts";

it.each([
  ["no HTTP at all", "hello\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a method that does not exist", "STEAL /convert HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a target that is none", "POST ? HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["no Host", "POST /convert HTTP/1.1\r\n\r\n"],
  ["both a length and chunks", post("{}", ["Transfer-Encoding: chunked"])],
  ["two lengths", post("{}", ["Content-Length: 3"])],
  ["a negative length", post("").replace("Length: 0", "Length: -1")],
  ["a length that is not a number", post("").replace("Length: 0", "Length: 0x10")],
  ["a length beyond 2^64", post("").replace("Length: 0", "Length: 99999999999999999999999")],
  [
    "a chunk whose size is none",
    `${post("").replace("Content-Length: 0", "Transfer-Encoding: chunked")}zz\r\n{}\r\n`,
  ],
  ["a header with a NUL", post("{}", ["X: a\0b"])],
  ["a header that goes on in the next line", post("{}", ["X: a", " b"])],
  ["a space before the colon", post("{}", ["X : a"])],
])("%s is answered 400, and the connection closed", async (_what, bytes) => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(bytes);
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 400 /);
  await expectAlive(server);
});

it("a flood of headers is answered 431, and the connection closed", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(post("{}", [`X: ${"a".repeat(17_000)}`]));
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 431 [\s\S]*"code":431/);
  await expectAlive(server);
});

it("two thousand headers do no harm", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(post("{}", [...Array.from({ length: 2_000 }, (_, i) => `a${i}:`), "Connection: close"]));
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 \d/);
  await expectAlive(server);
});

it("an absurd target is a path that does not exist", async () => {
  const server = await startTestServer();
  for (const target of [
    "http://[/convert",
    "http://a:99999999/convert",
    "http://%/x",
    "/\\..\\convert",
    "/a?%",
  ]) {
    const socket = await dial(server);
    socket.write(post("{}", ["Connection: close"], target));
    expect(await rest(socket)).toMatch(/^HTTP\/1.1 40[04] [\s\S]*"kind":"Status"/);
  }
  await expectAlive(server);
});

it("pipelined requests are answered in order", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(post('{"n":1}') + post('{"n":2}', [], "/nowhere") + post('{"n":3}', ["Connection: close"]));
  expect((await rest(socket)).match(/HTTP\/1.1 \d+|"n":\d/g)).toEqual([
    "HTTP/1.1 200",
    '"n":1',
    "HTTP/1.1 404",
    "HTTP/1.1 200",
    '"n":3',
  ]);
});

it("a length that is too short leaves a rest that is not a request", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(post('{"n":1}').replace(/$/, "and a tail\r\n\r\n"));
  const text = await rest(socket);
  expect(text.match(/HTTP\/1.1 \d+/g)?.at(0)).not.toBe("HTTP/1.1 500");
  await expectAlive(server);
});

it("garbage behind requests takes none of their answers away, and is not taken for one", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  const holding = server.holds();
  socket.write(`${post('{"hold":true}')}${post('{"n":2}')}garbage\r\n\r\n`);
  const answers = rest(socket);
  await Promise.all([server.logged("a connection broke"), holding]);
  socket.write("more garbage\r\n\r\n");
  await expectAlive(server);
  server.held[0]?.();
  expect((await answers).match(/HTTP\/1.1 \d+|"hold":true|"n":2|Connection: \S+/gi)).toEqual([
    "HTTP/1.1 200",
    "Connection: keep-alive",
    '"hold":true',
    "HTTP/1.1 200",
    "Connection: close",
    '"n":2',
  ]);
  await expectAlive(server);
});

it("a body that goes wrong behind a request takes its answer away from neither", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  const chunked = post("").replace("Content-Length: 0", "Transfer-Encoding: chunked");
  const holding = server.holds();
  socket.write(`${post('{"hold":true}')}${chunked}zz\r\n`);
  const answers = rest(socket);
  await Promise.all([server.logged("a connection broke"), holding]);
  server.held[0]?.();
  expect((await answers).match(/HTTP\/1.1 \d+|"hold":true/g)).toEqual(["HTTP/1.1 200", '"hold":true']);
  await expectAlive(server);
});

it("a length that is too long, and a caller who then leaves", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(post('{"n":1}').replace("Length: 7", "Length: 70"));
  socket.end();
  await rest(socket);
  await server.logged("the caller left before its body");
  await expectAlive(server);
});

it.each(["destroy", "end"] as const)("a caller who leaves in the middle of a body by %s", async (way) => {
  const server = await startTestServer();
  const socket = await dial(server);
  const continued = seen(socket, /100 Continue/);
  socket.write(post("", ["Expect: 100-continue"]).replace("Length: 0", "Length: 70000"));
  await continued;
  socket.write("[".repeat(30_000));
  socket[way]();
  await server.logged("the caller left before its body");
  expect(server.log.filter(({ level }) => Number(level) > 20)).toEqual([]);
  await expectAlive(server);
});

it("a caller who resets its connection before its answer", async () => {
  const server = await startTestServer();
  const { socket, reset } = await dialToReset(server);
  socket.write(post('{"hold":true}'));
  await server.holds();
  const gone = once(socket, "close");
  reset();
  await gone;
  // A call of our own after it: when that is answered, the service has seen the other leave.
  await expectAlive(server);
  server.held[0]?.();
  await server.logged("the caller left before its answer");
  await expectAlive(server);
});

it("clients that half-close their connections are answered, however many at once", async () => {
  const server = await startTestServer();
  const sockets = await Promise.all(Array.from({ length: 50 }, () => dial(server)));
  const answers = sockets.map((socket, index) => {
    socket.end(post(`{"n":${index}}`) + post(`{"again":${index}}`));
    return rest(socket);
  });
  for (const [index, answer] of (await Promise.all(answers)).entries()) {
    expect(answer.match(/HTTP\/1.1 200|"(?:n|again)":\d+/g)).toEqual([
      "HTTP/1.1 200",
      `"n":${index}`,
      "HTTP/1.1 200",
      `"again":${index}`,
    ]);
  }
  await expectAlive(server);
});

it("a client that has half-closed its connection is answered, and then the connection closes", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  const [asked, ended] = [server.holds(), once(socket, "finish")];
  socket.end(post('{"hold":true}'));
  const answer = rest(socket);
  await Promise.all([asked, ended]);
  await expectAlive(server);
  server.held[0]?.();
  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
});

it("a client that half-closes before it has sent a request leaves no connection behind", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.end();
  expect(await rest(socket)).toBe("");
  const half = await dial(server);
  half.end("POST /convert HT");
  expect(await rest(half)).toMatch(/^HTTP\/1.1 400 /);
  await server.service.drain();
});

it("a caller who speaks no TLS", async () => {
  const server = await startTestServer();
  const socket = connect(server.service.port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.end("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.resume();
  await once(socket, "close");
  await server.logged("a TLS handshake failed");
  await expectAlive(server);
});

it("a caller who wants to change the protocol or reach further", async () => {
  const server = await startTestServer();
  const upgrade = await dial(server);
  upgrade.write(post("{}", ["Connection: upgrade", "Upgrade: websocket"]));
  await seen(upgrade, /^HTTP\/1.1 200 /);
  const tunnel = await dial(server);
  tunnel.write("CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(await rest(tunnel)).not.toMatch(/ 200 /);
  await expectAlive(server);
});

it("an expectation that is not known is answered 417", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(post("{}", ["Expect: wonders", "Connection: close"]));
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 417 /);
  await expectAlive(server);
});

it("HTTP/1.0 is answered, and the connection closed", async () => {
  const server = await startTestServer();
  const socket = await dial(server);
  socket.write(post('{"n":1}', ["Expect: 100-continue"]).replace("HTTP/1.1", "HTTP/1.0"));
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 200 [\s\S]*"n":1/);
});

it("a hundred callers who send half a request and wait", async () => {
  const server = await startTestServer({ limits: { ...limits, stallMilliseconds: 100 } });
  const idle = await Promise.all(Array.from({ length: 100 }, () => dial(server)));
  for (const socket of idle) socket.write("POST /convert HT");
  await expectAlive(server);
  await Promise.all(idle.map(rest));
});
