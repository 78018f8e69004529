import { expect, it } from "vitest";
import { timeoutOf } from "../../src/server/deadline.ts";
import { limits } from "../../src/server/shared/limits.ts";
import { ask, call, dial, post, rest, sentenceOf, startTestServer } from "./test-server.ts";

it.each([
  ["/convert", 30_000],
  ["/convert?timeout=30s", 30_000],
  ["/convert?timeout=10s", 10_000],
  ["/convert?a=b&timeout=2s#x", 2_000],
  ["/convert?timeout=1m", 30_000],
  ["/convert?timeout=5ms", 1_000],
  ["/convert?timeout=-5s", 1_000],
  ["/convert?timeout=0", 1_000],
  ["/convert?timeout=%2B2s", 2_000],
  ["/convert?timeout=2.s", 2_000],
  ["/convert?timeout=1s500ms", 1_500],
  ["/convert?timeout=2s7%C2%B5s", 2_000.007],
  ["/convert?timeout=10", 30_000],
  ["/convert?timeout=1.2.3s", 30_000],
  ["/convert?timeout=1d", 30_000],
  ["/convert?timeout=%", 30_000],
  ["/convert?timeout=", 30_000],
  ["/convert?timeout=soon", 30_000],
  ["/convert?xtimeout=5s", 30_000],
  [`/convert?timeout=${"1".repeat(9_000)}s`, 30_000],
])("%s gives so many milliseconds", (url, milliseconds) => {
  expect(timeoutOf(url)).toBe(milliseconds);
});

it("a review that is not answered within its timeout is rejected with 504, and not logged later", async () => {
  const server = await startTestServer();
  const reply = call(server, { path: "/mutate?timeout=1s", body: '{"hold":true}' });
  await server.holds();
  expect(sentenceOf(await reply, 504)).toBe("the review was not answered within its timeout");
  server.held[0]?.();
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m);
  expect(server.log.some(({ msg }) => msg === "review answered")).toBe(false);
});

it("a body that does not arrive within the timeout is rejected", async () => {
  const server = await startTestServer({ limits: { ...limits, lingerMilliseconds: 10 } });
  const socket = await dial(server);
  socket.write(post('{"a":1}', [], "/convert?timeout=1s").slice(0, -3));
  expect(await rest(socket)).toMatch(/^HTTP\/1.1 408 [\s\S]*within 1 s/);
});
