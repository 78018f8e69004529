import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect, it, onTestFinished, vi } from "vitest";
import { limits } from "../../src/server/shared/limits.ts";
import {
  ask,
  dial,
  dialToReset,
  expectAlive,
  post,
  seen,
  startTestServer,
  type TestServer,
} from "./test-server.ts";

/** A clock that stands still, and the checks that a service makes from time to time. */
function times() {
  let now = 1_000;
  const tasks: (() => void)[] = [];
  return {
    options: {
      clock: () => now,
      repeat: (task: () => void) => {
        tasks.push(task);
        return () => {};
      },
    },
    pass: (milliseconds: number) => {
      now += milliseconds;
      for (const task of tasks) task();
    },
  };
}

/** A TCP connection that has been accepted and says nothing. */
async function knock({ service }: TestServer, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port: service.port, host: "127.0.0.1", localAddress });
  socket.on("error", () => socket.destroy());
  socket.resume();
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** A TLS connection from an address. */
function dialFrom(server: TestServer, localAddress: string): Promise<TLSSocket> {
  return dial(server, connect({ port: server.service.port, host: "127.0.0.1", localAddress }));
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, "close"));

it("a connection that does not shake hands in time is closed, however many bytes it drips", async () => {
  const { options, pass } = times();
  const server = await startTestServer(options);
  const [silent, dripping] = [await knock(server), await knock(server)];
  await expectAlive(server);
  pass(9_000);
  dripping.write("\x16");
  await expectAlive(server);
  expect([silent.closed, dripping.closed]).toEqual([false, false]);
  pass(2_000);
  await Promise.all([closed(silent), closed(dripping)]);
  await expectAlive(server);
});

it("a handshake that fails leaves no connection behind", async () => {
  const server = await startTestServer();
  const socket = await knock(server);
  socket.write("this is not TLS\r\n\r\n");
  await closed(socket);
  expect((await ask(server, "/metrics")).text).not.toMatch(/refused_requests_total\{/);
});

it("a flood of silent connections keeps no client out, and leaves nothing behind", async () => {
  const server = await startTestServer({ limits: { ...limits, connections: 50, handshakes: 20 } });
  await expectAlive(server);
  const before = descriptors();
  const flood = await Promise.all(Array.from({ length: 300 }, () => knock(server, "127.0.0.2")));
  const client = await dialFrom(server, "127.0.0.3");
  const answered = seen(client, /200 OK/);
  client.write(post("{}"));
  await answered;
  expect(await ask(server, "/livez")).toMatchObject({ status: 200 });
  for (const socket of flood) socket.destroy();
  client.destroy();
  await Promise.all([...flood, client].map(closed));
  await vi.waitFor(() => expect(descriptors()).toBeLessThanOrEqual(before));
});

it("at the limit a new connection replaces one of the caller that holds most, the longest idle first", async () => {
  const server = await startTestServer({ limits: { ...limits, connections: 4 } });
  const own = await dialFrom(server, "127.0.0.3");
  const [first, second, busy] = [
    await dialFrom(server, "127.0.0.2"),
    await dialFrom(server, "127.0.0.2"),
    await dialFrom(server, "127.0.0.2"),
  ];
  const used = seen(first, /200 OK/);
  first.write(post("{}"));
  await used;
  busy.write(post('{"hold":true}'));
  await server.holds();
  await dialFrom(server, "127.0.0.3");
  await closed(second);
  expect([own.closed, first.closed, busy.closed]).toEqual([false, false, false]);
  const answered = seen(busy, /200 OK/);
  server.held[0]?.();
  await answered;
});

it("an unfinished handshake is closed before an idle connection", async () => {
  const server = await startTestServer({ limits: { ...limits, connections: 2 } });
  const idle = await dialFrom(server, "127.0.0.2");
  const silent = await knock(server, "127.0.0.2");
  await dialFrom(server, "127.0.0.3");
  await closed(silent);
  expect(idle.closed).toBe(false);
});

it("one connection too many costs its caller a request of its own, and other callers none", async () => {
  const server = await startTestServer({ limits: { ...limits, connections: 2 } });
  const [own, other] = [await dialFrom(server, "127.0.0.2"), await dialFrom(server, "127.0.0.3")];
  for (const socket of [own, other]) {
    socket.write(post('{"hold":true}'));
    await server.holds();
  }
  await dialFrom(server, "127.0.0.2");
  await closed(own);
  const answered = seen(other, /200 OK/);
  for (const answer of server.held) answer();
  await answered;
});

it("a caller without a connection gets one, even if all others have requests in progress", async () => {
  const server = await startTestServer({ limits: { ...limits, connections: 2 } });
  for (const address of ["127.0.0.2", "127.0.0.3"]) {
    const socket = await dialFrom(server, address);
    socket.write(post('{"hold":true}'));
    await server.holds();
  }
  const client = await dialFrom(server, "127.0.0.4");
  const answered = seen(client, /200 OK/);
  client.write(post("{}"));
  await answered;
});

it("one address may have a limited number of unfinished handshakes, and the newest go on", async () => {
  const server = await startTestServer({ limits: { ...limits, handshakes: 3 } });
  const flood = await Promise.all(Array.from({ length: 5 }, () => knock(server, "127.0.0.2")));
  await vi.waitFor(() => expect(flood.filter((socket) => socket.closed)).toHaveLength(2));
  await dialFrom(server, "127.0.0.2");
  await vi.waitFor(() => expect(flood.filter((socket) => socket.closed)).toHaveLength(3));
});

it("the connection of a client that fetches its response too slowly, or not at all, is closed", async () => {
  const { options, pass } = times();
  const server = await startTestServer(options);
  const socket = await dialFrom(server, "127.0.0.2");
  socket.pause();
  socket.write(post(`{"a":"${"x".repeat(7_000_000)}"}`));
  await server.logged("review answered");
  pass(34_000);
  expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes [1-9]/m);
  pass(2_000);
  await vi.waitFor(async () =>
    expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m),
  );
});

it.each(["resets", "ends"] as const)(
  "the pipelined requests of a client that %s its connection are forgotten",
  async (way) => {
    const server = await startTestServer();
    const large = post(`{"hold":true,"a":"${"x".repeat(200_000)}"}`);
    const { socket, reset } = await dialToReset(server);
    socket.write(large);
    await server.holds();
    socket.write(large + large);
    await server.holds();
    expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes [46]\d{5}$/m);
    if (way === "resets") reset();
    else socket.destroy();
    if (way === "ends") for (const answer of server.held) answer();
    await vi.waitFor(async () =>
      expect((await ask(server, "/metrics")).text).toMatch(/^antechamber_body_memory_bytes 0$/m),
    );
    await server.service.drain();
  },
);

function descriptors(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}
