import type { JsonObject } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { type Fate, fatesOf, lostWords, wholeAt } from "./fates.ts";
import { type Life, type Setting, type Step, type StepAnswer, take, unborn, viewsOf } from "./steps.ts";

/** A step that was taken: the answer, and the object at each version afterwards. */
export type TakenStep = StepAnswer & {
  readonly views: Readonly<Record<string, JsonObject>>;
  /** What became of the values that the client of a write did not see. */
  readonly fates: readonly Fate[];
};

/** Takes all steps of a life, one after the other. */
export function lived(kind: Kind, steps: readonly Step[], setting?: Setting): readonly TakenStep[] {
  let life = unborn(kind, setting);
  let copies: Readonly<Record<string, JsonObject>> = {};
  return steps.map((step) => {
    const before = readBefore(life, step, copies);
    const taken = take(life, step);
    life = taken.life;
    if ("read" in step && before !== undefined) copies = { ...copies, [step.read.at]: before };
    const isTaken = taken.answer.code < 300;
    const fates = isTaken ? fatesIn(life, step, before, taken.written) : [];
    return { ...taken.answer, views: viewsOf(life), fates };
  });
}

function fatesIn(
  { server: { kind }, held: { object }, setting }: Life,
  step: Step,
  before: JsonObject | undefined,
  written: JsonObject | undefined,
): readonly Fate[] {
  if (object === undefined || written === undefined) return [];
  return [
    ...(before === undefined ? [] : fatesOf(kind, step, before, object)),
    ...(setting.plain ? lostWords(kind, written, object) : []),
  ];
}

/** What the client of a step has read, with all carriers. */
function readBefore(
  { server, held }: Life,
  step: Step,
  copies: Readonly<Record<string, JsonObject>>,
): JsonObject | undefined {
  const [{ at = "" } = {}] = Object.values(step) as readonly { readonly at?: string }[];
  if ("restore" in step) return copies[at];
  return held.object === undefined || at === "" ? undefined : wholeAt(server.kind, held.object, at);
}
