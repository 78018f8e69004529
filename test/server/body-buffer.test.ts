import fc from "fast-check";
import { expect, it } from "vitest";
import { gather } from "../../src/server/body-buffer.ts";

const chunk = fc.nat({ max: 400_000 }).map((length) => Buffer.alloc(length, length));

it.each([
  ["nothing was said of its length", () => 0],
  ["its length was said", (length: number) => length],
  ["more was said", (length: number) => length * 2 + 5_000_000],
  ["less was said", (length: number) => length - 1],
])("a body comes together whole where %s", (_what, declare) => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
      const all = Buffer.concat(chunks);
      const gathering = gather(declare(all.length));
      for (const each of chunks) gathering.add(each);
      expect(gathering.whole().equals(all)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it("nobody gets room for what he only says", () => {
  const before = process.memoryUsage().arrayBuffers;
  const gatherings = Array.from({ length: 50 }, () => gather(100_000_000));
  for (const { add } of gatherings) add(Buffer.alloc(1_000));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  expect(gatherings.map(({ whole }) => whole().length)).toEqual(Array(50).fill(1_000));
});
