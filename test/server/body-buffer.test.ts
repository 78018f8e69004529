import fc from "fast-check";
import { expect, it } from "vitest";
import { createBodyBuffer } from "../../src/server/body-buffer.ts";

const chunk = fc.nat({ max: 400_000 }).map((length) => Buffer.alloc(length, length));

it.each([
  ["no length was declared", () => 0],
  ["its length was declared", (length: number) => length],
  ["a greater length was declared", (length: number) => length * 2 + 5_000_000],
  ["a smaller length was declared", (length: number) => length - 1],
])("a body is joined if %s", (_what, declare) => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
      const all = Buffer.concat(chunks);
      const buffer = createBodyBuffer(declare(all.length));
      for (const each of chunks) buffer.add(each);
      expect(buffer.whole().equals(all)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it("a declared length alone allocates no memory", () => {
  const before = process.memoryUsage().arrayBuffers;
  const buffers = Array.from({ length: 50 }, () => createBodyBuffer(100_000_000));
  for (const { add } of buffers) add(Buffer.alloc(1_000));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  expect(buffers.map(({ whole }) => whole().length)).toEqual(Array(50).fill(1_000));
});
