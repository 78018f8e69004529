import { diffArrays } from "diff";
import { detach } from "../../conversion/carriers.ts";
import { SyntaxFault } from "../../json/document.ts";
import { parseJson, writeJson } from "../../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, objectAt, set } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { readYaml, writeYaml } from "../../yaml/yaml.ts";
import type { Fate } from "./fates.ts";
import { lived, type TakenStep } from "./lives.ts";
import { type Part as LeftOut, readSteps, type Step, sentenceOf, versionOf } from "./steps.ts";

/** What a page asks of a life: its steps as JSON, and how much of the object is shown. */
export interface LifeQuestion {
  readonly steps: string;
  /** With carriers, and with who manages which fields. */
  readonly stored: boolean;
  readonly managers: boolean;
  /** Whether the webhook only maps fields. */
  readonly plain: boolean;
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
  /** What to do first, where the step found nothing; else empty. */
  readonly hint: string;
  /** What became of values that the client did not see: a sentence for each sort and version. */
  readonly fates: readonly ShownFate[];
  /** How many values were lost. */
  readonly lost: number;
  readonly views: readonly ShownView[];
}

interface ShownFate {
  readonly sort: Fate["sort"];
  readonly sentence: string;
}

/** The object at a version as YAML, with the lines that it does not have any more, and those that it did not have before. */
export interface ShownView {
  readonly version: string;
  readonly parts: readonly ShownLines[];
}

interface ShownLines {
  readonly sort: "same" | "added" | "removed";
  readonly text: string;
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
      shown: shownSteps(steps, lived(kind, steps, { plain: question.plain, namespaces: true }), question),
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
  return taken.map(({ code, message = "", warnings, views, fates }, index) => {
    const texts = Object.entries(views).map(
      ([version, view]) => [version, linesOf(writeYaml(visible(view, question)))] as const,
    );
    const shown = texts.map(([version, lines]) => ({
      version,
      parts: partsOf(before.get(version) ?? [], lines),
    }));
    // An object that is created again is compared with the one that was deleted.
    if (texts.length > 0) before = new Map(texts);
    const step = steps[index];
    return {
      sentence: step === undefined ? "" : sentenceOf(step),
      code,
      message,
      warnings,
      hint: step !== undefined && code === 404 ? hintFor(step) : "",
      fates: sentencesOn(fates),
      lost: fates.filter(({ sort }) => sort === "dropped").length,
      views: shown,
    };
  });
}

function hintFor(step: Step): string {
  const isOfCopy = "restore" in step || ("replace" in step && step.replace.kept === true);
  return isOfCopy
    ? "The client has no copy of this version, or the object is gone. Press Read while there is an object."
    : "Press Create first: with an empty field, it creates the object that stands in the pane above.";
}

/** In which order fates are said, and in which words: of one value, and of several. */
const fateWords = {
  dropped: ["value was lost", "values were lost"],
  replaced: ["value gave way to what the client wrote", "values gave way to what the client wrote"],
  returned: [
    "value came back, though the client did not send it",
    "values came back, though the client did not send them",
  ],
  carried: ["value was kept unseen", "values were kept unseen"],
} as const;

/** A sentence names so many places of values that are there, and of those that are gone. */
const [mostKept, mostGone] = [8, 40];

function sentencesOn(fates: readonly Fate[]): readonly ShownFate[] {
  const sorts = Object.keys(fateWords) as readonly Fate["sort"][];
  const owners = [...new Set(fates.map(({ owner }) => owner))];
  return sorts.flatMap((sort) =>
    owners.flatMap((owner) => {
      const found = fates.filter((each) => each.sort === sort && each.owner === owner);
      if (found.length === 0) return [];
      const [one, many] = fateWords[sort];
      const isGone = sort === "dropped" || sort === "replaced";
      const most = isGone ? mostGone : mostKept;
      const places = found
        .slice(0, most)
        .map(({ place, value }) => (isGone && value !== "" ? `${place} (${value})` : place));
      const more = found.length > most ? ` and ${found.length - most} more` : "";
      const words = `${found.length} ${found.length === 1 ? one : many}`;
      return [{ sort, sentence: `${owner}: ${words}: ${places.join(", ")}${more}` }];
    }),
  );
}

function visible(view: JsonObject, { stored, managers }: LifeQuestion): JsonObject {
  const { object } = stored ? { object: view } : detach(view);
  if (managers) return object;
  return set(object, "metadata", set(objectAt(object.metadata), "managedFields", undefined));
}

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split("\n");
}

function partsOf(before: readonly string[], after: readonly string[]): readonly ShownLines[] {
  return diffArrays([...before], [...after]).map(({ added, removed, value }) => ({
    sort: removed ? "removed" : added ? "added" : "same",
    text: value.map((line) => `${line}\n`).join(""),
  }));
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
