import { diffArrays } from "diff";
import { detach } from "../../conversion/carriers.ts";
import { SyntaxFault } from "../../json/document.ts";
import { parseJson, writeJson } from "../../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, objectAt, set } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { readYaml, writeYaml } from "../../yaml/yaml.ts";
import { lived, type TakenStep } from "./lives.ts";
import { type Part as LeftOut, readSteps, type Step, sentenceOf, versionOf } from "./steps.ts";

/** What a page asks of a life: its steps as JSON, and how much of the object is shown. */
export interface LifeQuestion {
  readonly steps: string;
  /** With carriers, and with who manages which fields. */
  readonly stored: boolean;
  readonly managers: boolean;
  /** Whether the last step is taken back. */
  readonly shorter?: boolean;
  /** A step to be taken after the others. */
  readonly next?: NextStep;
}

/** A step as the buttons and fields of a page have it. */
export interface NextStep {
  readonly action: string;
  readonly at: string;
  readonly by: string;
  /** YAML of what the client writes. */
  readonly body: string;
  readonly status: boolean;
  readonly kept: boolean;
  readonly force: boolean;
  readonly without: readonly LeftOut[];
}

/** A life as a page shows it; or why the next step, or the link, cannot be read. */
export type ShownLife =
  | { readonly steps: string; readonly shown: readonly ShownStep[] }
  | { readonly fault: string };

/** A step with its answer, and the object at each version afterwards. */
export interface ShownStep {
  readonly sentence: string;
  readonly code: number;
  readonly message: string;
  readonly warnings: readonly string[];
  readonly views: readonly ShownView[];
}

/** The object at a version as YAML; `changed` are the lines, from 0, that it did not have before. */
export interface ShownView {
  readonly version: string;
  readonly text: string;
  readonly changed: readonly number[];
}

/** Takes the steps, and shows each. */
export function shownLife(question: LifeQuestion, kind: Kind): ShownLife {
  try {
    const { next, shorter = false } = question;
    const given = question.steps === "" ? [] : parseJson(question.steps);
    if (!isArray(given)) return { fault: "the link holds no steps" };
    const kept = shorter ? given.slice(0, -1) : given;
    const steps = readSteps(next === undefined ? kept : [...kept, nextOf(next, kind)]);
    if (typeof steps === "string") return { fault: steps };
    return {
      steps: writeJson(steps as unknown as Json),
      shown: shownSteps(steps, lived(kind, steps), question),
    };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: `line ${error.line}: ${error.message}` };
    if (error instanceof SyntaxError) return { fault: "the link holds no steps" };
    throw error;
  }
}

function shownSteps(
  steps: readonly Step[],
  taken: readonly TakenStep[],
  question: LifeQuestion,
): readonly ShownStep[] {
  let before = new Map<string, readonly string[]>();
  return taken.map(({ code, message = "", warnings, views }, index) => {
    const texts = Object.entries(views).map(
      ([version, view]) => [version, writeYaml(visible(view, question))] as const,
    );
    const shown = texts.map(([version, text]) => {
      const lines = text.trimEnd().split("\n");
      return { version, text, changed: changedLines(before.get(version) ?? [], lines) };
    });
    before = new Map(texts.map(([version, text]) => [version, text.trimEnd().split("\n")]));
    const step = steps[index];
    return { sentence: step === undefined ? "" : sentenceOf(step), code, message, warnings, views: shown };
  });
}

function visible(view: JsonObject, { stored, managers }: LifeQuestion): JsonObject {
  const { object } = stored ? { object: view } : detach(view);
  if (managers) return object;
  return set(object, "metadata", set(objectAt(object.metadata), "managedFields", undefined));
}

function changedLines(before: readonly string[], after: readonly string[]): readonly number[] {
  const changed: number[] = [];
  let line = 0;
  for (const { added, removed, value } of diffArrays([...before], [...after])) {
    if (removed) continue;
    if (added) changed.push(...value.map((_, index) => line + index));
    line += value.length;
  }
  return changed;
}

/** The step that buttons and fields mean; fields that an action does not have are left out. */
function nextOf(next: NextStep, { definition }: Kind): Json {
  const { action, at, status, kept, force, without } = next;
  const body = bodyOf(next.body);
  const by = next.by === "" ? {} : { by: next.by };
  const writer = { at, ...(status ? { status } : {}), ...by };
  const left = without.length > 0 ? { without } : {};
  if (action === "create")
    return { create: { object: wholeObject(body, next, definition.group, definition.kind), ...by } };
  if (action === "replace")
    return {
      replace: { ...writer, ...(kept ? { kept } : {}), ...(isHollow(body) ? {} : { change: body }), ...left },
    };
  if (action === "patch") return { patch: { ...writer, patch: body } };
  if (action === "apply") return { apply: { ...writer, ...(force ? { force } : {}), object: body } };
  if (action === "restore") return { restore: { at, ...left, ...by } };
  if (action === "release") return { release: { at, fields: body } };
  return { [action]: { at } };
}

function isHollow(body: Json): boolean {
  return isObject(body) && Object.keys(body).length === 0;
}

/** An object to be created says of itself what the version and kind do not say already. */
function wholeObject(body: Json, { at }: NextStep, group: string, kind: string): Json {
  if (!isObject(body) || versionOf(body) !== "") return body;
  return { apiVersion: `${group}/${at}`, kind, ...body };
}

function bodyOf(text: string): Json {
  return readYaml(text)[0]?.value ?? {};
}
