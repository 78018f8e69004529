import { type Gate, openGates } from "../gate.ts";
import type { Kinds } from "../kind.ts";
import type { Lister, ListerNeed } from "../lister.ts";
import { patience } from "../review/waiting.ts";
import type { Surroundings } from "../review/write.ts";

/** What reviews are answered with; all that can be worked out before one comes is worked out once. */
export function surroundingsOf(
  kinds: Kinds,
  listerOf: (need: ListerNeed) => Lister,
  gates: ReadonlyMap<string, boolean>,
  { now, random }: Pick<Surroundings, "now" | "random">,
): Surroundings {
  const listersOf = once((needs: Readonly<Record<string, ListerNeed>>) =>
    Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, listerOf(need)])),
  );
  for (const { definition } of kinds.natives) definition.prepare?.(listersOf(definition.needs));
  return {
    kinds,
    now,
    random,
    listersOf,
    gatesOf: once((asked: Readonly<Record<string, Gate>>) => openGates(asked, gates)),
    mayWait: patience(now),
  };
}

/** The same answer for the same question, worked out once: a kind's needs do not change. */
function once<Question extends object, Found>(
  find: (question: Question) => Found,
): (question?: Question) => Found {
  const found = new WeakMap<object, Found>();
  const none = {} as Question;
  return (question = none) => {
    const known = found.get(question);
    if (known !== undefined) return known;
    const fresh = find(question);
    found.set(question, fresh);
    return fresh;
  };
}
