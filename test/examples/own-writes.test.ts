import { expect, it } from "vitest";
import { OwnWrites } from "../../examples/home/own-writes.ts";

const at = (resourceVersion: string) => ({ metadata: { resourceVersion } });

it("an own write is known until the watch has reported it, or a later one", () => {
  const own = new OwnWrites();
  expect(own.add("a", at("10"))).toBe(true);
  own.reported("a", at("9"));
  own.reported("b", at("11"));
  expect(own.get("a")).toEqual(at("10"));
  own.reported("a", at("10"));
  expect(own.get("a")).toBeUndefined();
  own.add("a", at("12"));
  own.reported("a", at("100"));
  expect(own.get("a")).toBeUndefined();
});

it("a response that comes after the event of the watch is no news, nor is that of a deleted object", () => {
  const own = new OwnWrites();
  own.reported("a", at("10"));
  expect(own.add("a", at("10"))).toBe(false);
  expect(own.add("b", at("9"))).toBe(false);
  expect([own.get("a"), own.get("b")]).toEqual([undefined, undefined]);
});

it("a watch that connects again may not report own writes any more", () => {
  const own = new OwnWrites();
  own.add("a", at("10"));
  own.clear();
  expect(own.get("a")).toBeUndefined();
  expect(own.add("a", at("11"))).toBe(true);
});
