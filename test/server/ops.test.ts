import { connect } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { limits } from "../../src/server/shared/limits.ts";
import { ask, call, dial, post, rest, startTestServer } from "./test-server.ts";

it.each(["/livez", "/readyz", "/readyz?verbose"])("%s says ok", async (path) => {
  expect(await ask(await startTestServer(), path)).toMatchObject({ status: 200, text: "ok\n" });
});

it("/livez fails while the HTTPS port completes no handshake, and costs no more than one a second", async () => {
  let now = 0;
  const server = await startTestServer({
    clock: () => now,
    limits: { ...limits, connections: 0, livenessMilliseconds: 200 },
  });
  const replies = await Promise.all([ask(server, "/livez"), ask(server, "/livez")]);
  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 503, text: expect.stringContaining("completes no handshake") });
  }
  const attempts = () => server.log.filter(({ msg }) => msg === "a connection is closed").length;
  expect(attempts()).toBe(1);
  now += 900;
  expect((await ask(server, "/livez")).status).toBe(503);
  expect(attempts()).toBe(1);
  now += 200;
  expect((await ask(server, "/livez")).status).toBe(503);
  expect(attempts()).toBe(2);
  expect((await ask(server, "/readyz")).status).toBe(200);
});

it("/livez is well at the limit of connections", async () => {
  const server = await startTestServer({ limits: { ...limits, connections: 2 } });
  for (let count = 0; count < 2; count++) {
    const socket = await dial(server);
    socket.write(post('{"hold":true}'));
    await server.holds();
  }
  expect(await ask(server, "/livez")).toMatchObject({ status: 200 });
});

it("silent connections to the ops port keep no probe out, and no more than 128 of them stay open", async () => {
  const server = await startTestServer();
  const { opsPort } = server.service;
  const sockets = Array.from({ length: 300 }, () => connect(opsPort, "127.0.0.1"));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on("error", () => socket.destroy());
  expect(await ask(server, "/readyz")).toMatchObject({ status: 200, text: "ok\n" });
  await vi.waitFor(() => expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(128));
  expect(await ask(server, "/livez")).toMatchObject({ status: 200, text: "ok\n" });
});

it("the response for another path lists the paths", async () => {
  const reply = await ask(await startTestServer(), "/convert");
  expect(reply).toMatchObject({ status: 404, text: expect.stringContaining("/livez, /readyz, /metrics") });
});

it("the response for another method lists the methods; HEAD is one", async () => {
  const server = await startTestServer();
  expect(await ask(server, "/livez", "POST")).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  expect(await ask(server, "/livez", "HEAD")).toMatchObject({ status: 200, text: "" });
});

it("reviews are counted by kind, versions and outcome", async () => {
  const server = await startTestServer();
  for (const outcome of ["success", "success", "failure"])
    await call(server, { body: JSON.stringify({ outcome }) });
  for (const outcome of ["deny", "change"]) {
    await call(server, { path: "/validate", body: JSON.stringify({ outcome }) });
  }
  const { text, headers } = await ask(server, "/metrics");
  expect(headers["content-type"]).toMatch(/^text\/plain; version=0.0.4/);
  for (const line of [
    'antechamber_conversion_requests_total{kind="Lamp.home",from="v1beta1",to="v1",outcome="success"} 2',
    'antechamber_conversion_requests_total{kind="Lamp.home",from="v1beta1",to="v1",outcome="failure"} 1',
    'antechamber_conversion_objects_total{kind="Lamp.home",from="v1beta1",to="v1",outcome="success"} 4',
    'antechamber_conversion_duration_seconds_count{kind="Lamp.home",from="v1beta1",to="v1"} 3',
    'antechamber_admission_requests_total{kind="Lamp.home",operation="CREATE",outcome="deny"} 1',
    'antechamber_admission_requests_total{kind="Lamp.home",operation="CREATE",outcome="change"} 1',
    'antechamber_admission_duration_seconds_count{kind="Lamp.home"} 2',
    "antechamber_request_bytes_count 5",
    'antechamber_request_bytes_bucket{le="1024"} 5',
    "antechamber_body_memory_bytes 0",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  expect(text).toContain("nodejs_heap_size_used_bytes");
});

it("rejections are counted by their code", async () => {
  const server = await startTestServer();
  await call(server, { body: "" });
  await call(server, { body: "{" });
  await call(server, { path: "/nowhere" });
  await call(server, { method: "GET", body: "" });
  await call(server, { headers: { "Content-Type": "text/plain" } });
  const socket = await dial(server);
  socket.write("hello\r\n\r\n");
  await rest(socket);
  await call(server);
  const { text } = await ask(server, "/metrics");
  const counted = [...text.matchAll(/^antechamber_refused_requests_total\{code="(\d+)"\} (\d+)$/gm)];
  expect(counted.map(([, code, count]) => `${code}: ${count}`)).toEqual([
    "400: 3",
    "404: 1",
    "405: 1",
    "415: 1",
  ]);
});

it("durations of 50 µs and of 10 s have buckets of their own", async () => {
  const server = await startTestServer();
  await call(server);
  const { text } = await ask(server, "/metrics");
  const bounds = [...text.matchAll(/^antechamber_conversion_duration_seconds_bucket\{le="([^"]+)"/gm)];
  expect(bounds.at(0)?.[1]).toBe("0.00005");
  expect(bounds.at(-2)?.[1]).toBe("10");
});

it("two services count for themselves", async () => {
  const [one, other] = [await startTestServer(), await startTestServer()];
  await call(one);
  expect((await ask(other, "/metrics")).text).toContain("antechamber_request_bytes_count 0");
});
