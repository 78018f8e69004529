import { once } from "node:events";
import { Agent } from "node:https";
import { connect } from "node:net";
import { expect, it, vi } from "vitest";
import type { Pause } from "../../src/time.ts";
import { ask, call, dial, post, seen, sentenceOf, startTestServer } from "./test-server.ts";

/** A pause that ends when the test says so. */
function grace(): { readonly pause: Pause; readonly end: () => void } {
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  let first = true;
  const pause: Pause = (_milliseconds, signal) => {
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    if (!first) return aborted;
    first = false;
    return Promise.race([over, aborted]);
  };
  return { pause, end };
}

it("a draining service is not ready at once, and answers during its grace period", async () => {
  const server = await startTestServer({ pause: grace().pause });
  server.service.drain();
  const ready = await ask(server, "/readyz");
  expect(ready).toMatchObject({ status: 503, text: "shutting down\n" });
  expect((await ask(server, "/livez")).status).toBe(200);
  const reply = await call(server, { agent: new Agent({ keepAlive: true }) });
  expect(reply).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
});

it("after its grace period it finishes the requests that it has begun and rejects new ones", async () => {
  const { pause, end } = grace();
  const server = await startTestServer({ pause });
  const socket = await dial(server);
  socket.write(post('{"hold":true}'));
  await server.holds();
  const idle = new Agent({ keepAlive: true, maxSockets: 1 });
  await call(server, { agent: idle });
  const drained = server.service.drain();
  end();
  const rejected = await call(server, { agent: idle, body: "{}" });
  expect(sentenceOf(rejected, 503)).toContain("shutting down");
  expect(rejected.headers).toMatchObject({ "retry-after": "1", connection: "close" });
  const answered = seen(socket, /^HTTP\/1.1 200 OK[\s\S]*Connection: close[\s\S]*"hold":true/);
  server.held[0]?.();
  await answered;
  await drained;
  await expect(call(server)).rejects.toThrow("ECONNREFUSED");
  await expect(ask(server, "/livez")).rejects.toThrow("ECONNREFUSED");
});

it("after a grace period an idle connection is closed only once its client had time to close it", async () => {
  const waits: (() => void)[] = [];
  const lengths: number[] = [];
  const pause: Pause = (milliseconds) =>
    new Promise((resolve) => {
      lengths.push(milliseconds);
      waits.push(resolve);
    });
  const server = await startTestServer({ pause, grace: 10_000 });
  const [active, idle] = [0, 1].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (const agent of [active, idle]) await call(server, agent === undefined ? {} : { agent });
  let isOver = false;
  const drained = server.service.drain().then(() => {
    isOver = true;
  });
  waits[0]?.();
  expect(sentenceOf(await call(server, active === undefined ? {} : { agent: active }), 503)).toContain(
    "shutting down",
  );
  expect(isOver).toBe(false);
  expect(lengths.slice(0, 2)).toEqual([10_000, 2_000]);
  waits[1]?.();
  await drained;
  expect(Object.values(active?.freeSockets ?? {}).flat()).toEqual([]);
});

it("a request that has arrived when idle connections are closed, and was not read yet, is answered", async () => {
  const waits: (() => void)[] = [];
  const pause: Pause = () => new Promise((resolve) => waits.push(resolve));
  const server = await startTestServer({ pause, grace: 10_000 });
  const socket = await dial(server);
  socket.write(post("{}"));
  await seen(socket, /^HTTP\/1.1 200 OK/);
  const drained = server.service.drain();
  waits[0]?.();
  await vi.waitFor(() => expect(waits.length).toBeGreaterThan(1));
  const answered = seen(socket, /HTTP\/1.1 503 [\s\S]*Connection: close/i);
  // Into the buffers of the system; this process reads it in a later turn of its loop.
  socket.write(post("{}"));
  waits[1]?.();
  await answered;
  await drained;
});

it("it leaves as soon as all clients have closed their connections", async () => {
  const { pause, end } = grace();
  const server = await startTestServer({ pause, grace: 10_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await call(server, { agent });
  const drained = server.service.drain();
  end();
  sentenceOf(await call(server, { agent }), 503);
  await drained;
});

it("a client that sends a large body while the service leaves can read its 503", async () => {
  const { pause, end } = grace();
  const server = await startTestServer({ pause });
  const socket = await dial(server);
  socket.write(post('{"hold":true}'));
  await server.holds();
  server.service.drain();
  end();
  sentenceOf(await call(server, { body: JSON.stringify("x".repeat(3_000_000)) }), 503);
});

it("idle connections do not delay the shutdown", async () => {
  const server = await startTestServer();
  const agent = new Agent({ keepAlive: true });
  await call(server, { agent });
  await dial(server);
  await server.service.drain();
  await expect(call(server, { agent })).rejects.toThrow("ECONNREFUSED");
});

it("a connection without a handshake does not delay the shutdown", async () => {
  const server = await startTestServer();
  const socket = connect(server.service.port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.resume();
  await once(socket, "connect");
  // Answered after the other one was let in.
  await call(server);
  const gone = once(socket, "close");
  await server.service.close();
  await gone;
}, 5_000);

it("close ends a drain that waits", async () => {
  const server = await startTestServer({ grace: 3_600_000 });
  const socket = await dial(server);
  socket.write(post('{"hold":true}'));
  await server.holds();
  const drained = server.service.drain();
  await server.service.close();
  await drained;
});

it("drain and close may be called again", async () => {
  const { service } = await startTestServer();
  await Promise.all([service.drain(), service.drain(), service.close()]);
  await service.drain();
  await service.close();
});
