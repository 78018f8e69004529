import type { Json } from "../json/json.ts";
import { type Gate, openGates } from "../kind/gate.ts";
import type { Kinds } from "../kind/kind.ts";
import type { Lister, ListerNeed } from "../kind/lister.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { answerConversion } from "../review/conversion.ts";
import { preparedOnUse } from "../review/prepare.ts";
import { patience } from "../review/waiting.ts";
import type { AdmissionContext } from "../review/write.ts";
import { soon } from "../time.ts";

/** What answers the reviews of the three endpoints, in the service and in its thread for large reviews. */
export function handlersOf(
  kinds: Kinds,
  listerOf: (need: ListerNeed) => Lister,
  gates: ReadonlyMap<string, boolean>,
  io: Pick<AdmissionContext, "now" | "random">,
) {
  const context = reviewContextOf(preparedOnUse(kinds, soon), listerOf, gates, io);
  return {
    convert: (review: Json) => answerConversion(review, kinds),
    mutate: (review: Json) => answerMutation(review, context),
    validate: (review: Json) => answerValidation(review, context),
  };
}

/** Everything that handlers need besides the review; whatever does not depend on the review is computed once. */
export function reviewContextOf(
  kinds: Kinds,
  listerOf: (need: ListerNeed) => Lister,
  gates: ReadonlyMap<string, boolean>,
  { now, random }: Pick<AdmissionContext, "now" | "random">,
): AdmissionContext {
  const listersOf = memoized((needs: Readonly<Record<string, ListerNeed>>) =>
    Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, listerOf(need)])),
  );
  for (const { definition } of kinds.natives) definition.prepare?.(listersOf(definition.needs));
  return {
    kinds,
    now,
    random,
    listersOf,
    gatesOf: memoized((asked: Readonly<Record<string, Gate>>) => openGates(asked, gates)),
    mayWait: patience(now),
  };
}

/** Memoizes a function by the identity of its argument: the needs of a kind do not change. */
function memoized<Argument extends object, Result>(
  compute: (argument: Argument) => Result,
): (argument?: Argument) => Result {
  const results = new WeakMap<object, Result>();
  const none = {} as Argument;
  return (argument = none) => {
    const known = results.get(argument);
    if (known !== undefined) return known;
    const result = compute(argument);
    results.set(argument, result);
    return result;
  };
}
