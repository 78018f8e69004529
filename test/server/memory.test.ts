import { expect, it } from "vitest";
import { BodyMemory } from "../../src/server/body/memory.ts";

const mebibyte = 1024 * 1024;

/** How many MiB one caller gets, a MiB at a time. */
function fill(memory: BodyMemory, caller: string): number {
  const share = memory.share(caller);
  let count = 0;
  while (share.grow(mebibyte)) count++;
  return count;
}

it("a caller that is alone may hold two thirds of the memory", () => {
  const memory = new BodyMemory(384 * mebibyte);
  expect(fill(memory, "a")).toBe(256);
});

it("however many callers hold all they may, a new caller gets some memory", () => {
  const memory = new BodyMemory(384 * mebibyte);
  const shares = ["a", "b", "c", "d"].map((caller) => fill(memory, caller));
  for (const share of shares) expect(share).toBeGreaterThanOrEqual(9);
  expect(memory.held()).toBeLessThan(384 * mebibyte);
});

it("a small body is always accepted", () => {
  const memory = new BodyMemory(mebibyte);
  fill(memory, "a");
  for (let count = 0; count < 100; count++) expect(memory.share("a").grow(64 * 1024)).toBe(true);
  expect(memory.share("a").grow(64 * 1024 + 1)).toBe(false);
});

it("released memory is free again, and releasing twice changes nothing", () => {
  const memory = new BodyMemory(3 * mebibyte);
  const share = memory.share("a");
  expect(share.grow(2 * mebibyte)).toBe(true);
  expect(memory.share("a").grow(mebibyte)).toBe(false);
  share.release();
  share.release();
  expect(memory.held()).toBe(0);
  expect(memory.share("a").grow(2 * mebibyte)).toBe(true);
});
