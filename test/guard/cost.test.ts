import { describe, expect, it } from "vitest";
import { isObject, type JsonObject, set } from "../../src/json/json.ts";
import { planted } from "../checks/webhook/planted.ts";
import { faultless, webhookOf } from "../checks/webhook/webhooks.ts";
import { guarded, widget } from "./guarded.ts";

const [v1, v2] = ["example.com/v1", "example.com/v2"];

describe("the upstream", () => {
  it("is asked at most three times for a conversion, whatever its fault", async () => {
    const object = widget("v2", { size: 3, words: ["b", "a"], secret: "s", open: true, mode: "Slow" });
    for (const { fault, convert } of planted) {
      if (/process ends|refused|panic|name is changed/.test(fault)) continue;
      const guard = guarded(webhookOf(convert));
      const [shown] = await guard.convert([object], v1);
      if (!isObject(shown)) throw new Error(fault);
      const there = guard.asked.length;
      await guard.convert([shown], v2);
      expect([fault, there <= 3, guard.asked.length - there <= 3]).toEqual([fault, true, true]);
    }
  });

  it("is asked about all objects of a review at once", async () => {
    const guard = guarded(webhookOf(faultless));
    const objects = Array.from({ length: 50 }, (_, size) => widget("v2", { size, secret: "s" }));
    await guard.convert(objects, v1);
    expect(guard.asked.map((each) => each.length)).toEqual([50, 50]);
  });

  it("is not asked again for what it has answered, unless that is not to be kept", async () => {
    const reviews: readonly (readonly [JsonObject, string])[] = [
      [widget("v2", { size: 3, secret: "s" }), v1],
      [widget("v2", { size: 3, secret: "s" }, { resourceVersion: "7" }), v1],
      [set(widget("v2", { size: 3, secret: "s" }), "metadata", "managedFields", []), v1],
    ];
    const counts = async (cache: number) => {
      const guard = guarded(webhookOf(faultless), { cache });
      for (const [object, to] of reviews) await guard.convert([object], to);
      return guard.asked.length;
    };
    expect(await counts(1024 ** 2)).toBe(2);
    expect(await counts(0)).toBe(6);
  });

  it("is asked again for what it refused, after a while", async () => {
    let now = 0;
    let isOut = true;
    const guard = guarded(
      webhookOf((object, desired) => {
        if (isOut) throw new Error("not now");
        return faultless(object, desired);
      }),
      { cache: 1024 ** 2, clock: () => now },
    );
    await guard.convert([widget("v2", {})], v1);
    isOut = false;
    const before = guard.asked.length;
    await guard.convert([widget("v2", {})], v1);
    expect(guard.asked.length).toBe(before);
    now = 60_000;
    await guard.convert([widget("v2", {})], v1);
    expect(guard.asked.length).toBeGreaterThan(before);
  });
});
