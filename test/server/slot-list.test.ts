import fc from "fast-check";
import { expect, it } from "vitest";
import { SlotList } from "../../src/server/slot-list.ts";

const names = fc.constantFrom("a", "b", "c", "d", "e");

it("it holds the items that were added and not removed, in any order and also if one is removed twice", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), names, fc.nat({ max: 40 })), { maxLength: 40 }), (moves) => {
      const list = new SlotList<string>();
      const present = new Map<() => void, string>();
      const removals: (() => void)[] = [];
      for (const [isAddition, name, which] of moves) {
        if (isAddition) {
          const remove = list.add(name);
          present.set(remove, name);
          removals.push(remove);
        } else {
          const remove = removals[which % removals.length];
          remove?.();
          if (remove !== undefined) present.delete(remove);
        }
        expect([...list].sort()).toEqual([...present.values()].sort());
        expect(list.size).toBe(present.size);
      }
    }),
  );
});

it("an item that is removed during an iteration is still visited", () => {
  const list = new SlotList<() => void>();
  let visited = 0;
  for (let count = 0; count < 3; count++) {
    const remove = list.add(() => remove());
  }
  for (const remove of list) {
    remove();
    visited++;
  }
  expect([visited, list.size]).toEqual([3, 0]);
});
