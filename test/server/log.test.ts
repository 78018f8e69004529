import { expect, it } from "vitest";
import { call, setStage } from "./stage.ts";

const levels = { success: 20, allow: 20, change: 20, deny: 30, failure: 40, error: 50 };

it.each(Object.entries(levels))("a review that ends in %s is told at level %i", async (outcome, level) => {
  const stage = await setStage();
  await call(stage, { body: JSON.stringify({ outcome }) });
  expect(await stage.logged("review answered")).toMatchObject({
    level,
    outcome,
    kind: "Lamp.home",
    uid: "u-1",
  });
});

it("a denial is told with what was denied and why", async () => {
  const stage = await setStage();
  await call(stage, { body: '{"outcome":"deny"}' });
  expect(await stage.logged("review answered")).toMatchObject({
    name: "lamp-1",
    namespace: "hall",
    operation: "CREATE",
    reason: "too bright",
  });
});

it("no log has a body in it", async () => {
  const stage = await setStage();
  const bodies = [
    '{"hunter2":1}',
    '{"hunter2":1,"boom":true}',
    '{"hunter2":1,"outcome":"failure"}',
    '{"hunter2":1',
  ];
  for (const body of bodies) await call(stage, { body });
  await call(stage, { path: "/nowhere", body: '"hunter2"' });
  expect(stage.log.length).toBeGreaterThanOrEqual(bodies.length);
  expect(JSON.stringify(stage.log)).not.toContain("hunter2");
});

it("a refusal is told with its path cut short", async () => {
  const stage = await setStage();
  await call(stage, { path: `/${"x".repeat(5_000)}` });
  const { url, status } = await stage.logged("request refused");
  expect(status).toBe(404);
  expect(String(url)).toHaveLength(200);
});
