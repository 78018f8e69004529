import { once } from "node:events";
import { Agent } from "node:https";
import { connect } from "node:net";
import { expect, it } from "vitest";
import type { Pause } from "../../src/server/life.ts";
import { ask, call, dial, post, seen, sentenceOf, setStage } from "./stage.ts";

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
  const stage = await setStage({ pause: grace().pause });
  stage.service.drain();
  const ready = await ask(stage, "/readyz");
  expect(ready).toMatchObject({ status: 503, text: "shutting down\n" });
  expect((await ask(stage, "/livez")).status).toBe(200);
  const reply = await call(stage, { agent: new Agent({ keepAlive: true }) });
  expect(reply).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
});

it("after its grace period it finishes the requests that it has begun and rejects new ones", async () => {
  const { pause, end } = grace();
  const stage = await setStage({ pause });
  const socket = await dial(stage);
  socket.write(post('{"hold":true}'));
  await stage.holds();
  const idle = new Agent({ keepAlive: true, maxSockets: 1 });
  await call(stage, { agent: idle });
  const drained = stage.service.drain();
  end();
  const rejected = await call(stage, { agent: idle, body: "{}" });
  expect(sentenceOf(rejected, 503)).toContain("shutting down");
  expect(rejected.headers).toMatchObject({ "retry-after": "1", connection: "close" });
  const answered = seen(socket, /^HTTP\/1.1 200 OK[\s\S]*Connection: close[\s\S]*"hold":true/);
  stage.held[0]?.();
  await answered;
  await drained;
  await expect(call(stage)).rejects.toThrow("ECONNREFUSED");
  await expect(ask(stage, "/livez")).rejects.toThrow("ECONNREFUSED");
});

it("after a grace period an idle connection is closed only once its client had time to close it", async () => {
  const waits: (() => void)[] = [];
  const lengths: number[] = [];
  const pause: Pause = (milliseconds) =>
    new Promise((resolve) => {
      lengths.push(milliseconds);
      waits.push(resolve);
    });
  const stage = await setStage({ pause, grace: 10_000 });
  const [active, idle] = [0, 1].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (const agent of [active, idle]) await call(stage, agent === undefined ? {} : { agent });
  let isOver = false;
  const drained = stage.service.drain().then(() => {
    isOver = true;
  });
  waits[0]?.();
  expect(sentenceOf(await call(stage, active === undefined ? {} : { agent: active }), 503)).toContain(
    "shutting down",
  );
  expect(isOver).toBe(false);
  expect(lengths.slice(0, 2)).toEqual([10_000, 2_000]);
  waits[1]?.();
  await drained;
  expect(Object.values(active?.freeSockets ?? {}).flat()).toEqual([]);
});

it("it leaves as soon as all clients have closed their connections", async () => {
  const { pause, end } = grace();
  const stage = await setStage({ pause, grace: 10_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await call(stage, { agent });
  const drained = stage.service.drain();
  end();
  sentenceOf(await call(stage, { agent }), 503);
  await drained;
});

it("a client that sends a large body while the service leaves can read its 503", async () => {
  const { pause, end } = grace();
  const stage = await setStage({ pause });
  const socket = await dial(stage);
  socket.write(post('{"hold":true}'));
  await stage.holds();
  stage.service.drain();
  end();
  sentenceOf(await call(stage, { body: JSON.stringify("x".repeat(3_000_000)) }), 503);
});

it("idle connections do not delay the shutdown", async () => {
  const stage = await setStage();
  const agent = new Agent({ keepAlive: true });
  await call(stage, { agent });
  await dial(stage);
  await stage.service.drain();
  await expect(call(stage, { agent })).rejects.toThrow("ECONNREFUSED");
});

it("a connection without a handshake does not delay the shutdown", async () => {
  const stage = await setStage();
  const socket = connect(stage.service.port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.resume();
  await once(socket, "connect");
  // Answered after the other one was let in.
  await call(stage);
  const gone = once(socket, "close");
  await stage.service.close();
  await gone;
}, 5_000);

it("close ends a drain that waits", async () => {
  const stage = await setStage({ grace: 3_600_000 });
  const socket = await dial(stage);
  socket.write(post('{"hold":true}'));
  await stage.holds();
  const drained = stage.service.drain();
  await stage.service.close();
  await drained;
});

it("drain and close may be called again", async () => {
  const { service } = await setStage();
  await Promise.all([service.drain(), service.drain(), service.close()]);
  await service.drain();
  await service.close();
});
