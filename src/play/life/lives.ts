import type { JsonObject } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { type Step, type StepAnswer, take, unborn, viewsOf } from "./steps.ts";

/** A step that was taken: the answer, and the object at each version afterwards. */
export type TakenStep = StepAnswer & { readonly views: Readonly<Record<string, JsonObject>> };

/** Takes all steps of a life, one after the other. */
export function lived(kind: Kind, steps: readonly Step[]): readonly TakenStep[] {
  let life = unborn(kind);
  return steps.map((step) => {
    const taken = take(life, step);
    life = taken.life;
    return { ...taken.answer, views: viewsOf(life) };
  });
}
