import { expect, it } from "vitest";
import { call, startTestServer } from "./test-server.ts";

const levels = { success: 20, allow: 20, change: 20, deny: 30, failure: 40, error: 50 };

it.each(Object.entries(levels))("a review with outcome %s is logged at level %i", async (outcome, level) => {
  const server = await startTestServer();
  await call(server, { body: JSON.stringify({ outcome }) });
  expect(await server.logged("review answered")).toMatchObject({
    level,
    outcome,
    kind: "Lamp.home",
    uid: "u-1",
  });
});

it("the log line of a denial has the object and the reason", async () => {
  const server = await startTestServer();
  await call(server, { body: '{"outcome":"deny"}' });
  expect(await server.logged("review answered")).toMatchObject({
    name: "lamp-1",
    namespace: "hall",
    operation: "CREATE",
    reason: "too bright",
  });
});

it("the log has no body in it", async () => {
  const server = await startTestServer();
  const bodies = [
    '{"hunter2":1}',
    '{"hunter2":1,"boom":true}',
    '{"hunter2":1,"outcome":"failure"}',
    '{"hunter2":1',
  ];
  for (const body of bodies) await call(server, { body });
  await call(server, { path: "/nowhere", body: '"hunter2"' });
  expect(server.log.length).toBeGreaterThanOrEqual(bodies.length);
  expect(JSON.stringify(server.log)).not.toContain("hunter2");
});

it("the log line of a rejection has the path, cut short", async () => {
  const server = await startTestServer();
  await call(server, { path: `/${"x".repeat(5_000)}` });
  const { url, status } = await server.logged("request rejected");
  expect(status).toBe(404);
  expect(String(url)).toHaveLength(200);
});

it("a slow review is logged as a warning, whatever its outcome", async () => {
  let now = 0;
  const clock = () => {
    now += 100;
    return now;
  };
  const server = await startTestServer({ clock });
  for (const outcome of ["success", "error"]) await call(server, { body: JSON.stringify({ outcome }) });
  expect(server.log.find(({ outcome }) => outcome === "success")).toMatchObject({
    level: 20,
    msg: "review answered",
  });
  const late = await startTestServer({ clock, limits: { slowMilliseconds: 100 } });
  for (const outcome of ["success", "error"]) await call(late, { body: JSON.stringify({ outcome }) });
  expect(late.log.filter(({ slow }) => slow === true)).toMatchObject([
    { level: 40, outcome: "success", msg: "review answered" },
    { level: 50, outcome: "error", msg: "review answered" },
  ]);
});

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

it("every log line of a request has the trace of its caller", async () => {
  const server = await startTestServer();
  const headers = { traceparent: trace };
  await call(server, { headers });
  await call(server, { headers, body: "{" });
  expect(await server.logged("review answered")).toMatchObject({ traceparent: trace });
  expect(await server.logged("request rejected")).toMatchObject({ traceparent: trace });
});

it.each([
  "",
  "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
  "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
  "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
  "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
  `${trace}${"0".repeat(10_000)}`,
])("%j is not a valid traceparent", async (traceparent) => {
  const server = await startTestServer();
  await call(server, { headers: { traceparent } });
  expect(await server.logged("review answered")).not.toHaveProperty("traceparent");
});
