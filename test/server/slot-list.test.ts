import fc from "fast-check";
import { expect, it } from "vitest";
import { SlotList } from "../../src/server/slot-list.ts";

const names = fc.constantFrom("a", "b", "c", "d", "e");

it("those are there who came and have not left, whoever left before them or twice", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), names, fc.nat({ max: 40 })), { maxLength: 40 }), (moves) => {
      const roll = new SlotList<string>();
      const there = new Map<() => void, string>();
      const everybody: (() => void)[] = [];
      for (const [isComing, name, whoever] of moves) {
        if (isComing) {
          const leave = roll.enter(name);
          there.set(leave, name);
          everybody.push(leave);
        } else {
          const leave = everybody[whoever % everybody.length];
          leave?.();
          if (leave !== undefined) there.delete(leave);
        }
        expect([...roll].sort()).toEqual([...there.values()].sort());
        expect(roll.size).toBe(there.size);
      }
    }),
  );
});

it("who leaves while all are looked through is still met", () => {
  const roll = new SlotList<() => void>();
  let met = 0;
  for (let count = 0; count < 3; count++) {
    const leave = roll.enter(() => leave());
  }
  for (const leave of roll) {
    leave();
    met++;
  }
  expect([met, roll.size]).toEqual([3, 0]);
});
