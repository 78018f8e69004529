import { detach } from "../../conversion/carriers.ts";
import { jsonIn, writeJson } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, listAt, objectAt, textAt } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { laws } from "../../laws/check.ts";
import type { Counterexample } from "../../laws/law.ts";
import { questionsOf } from "../../laws/questions.ts";
import { writeYaml } from "../../yaml/yaml.ts";

/** What a page asks: how many cases for each claim, and a seed; the same seed draws the same cases. */
export interface LawsQuestion {
  readonly runs: number;
  readonly seed: number;
}

/** A law for a version, as a table shows it. */
export interface ShownTrial {
  readonly law: string;
  readonly statement: string;
  /** Empty if the law has no case here. */
  readonly version: string;
  readonly runs: number;
  readonly state: "held" | "broken" | "nothing to try";
  /** JSON of the counterexample; empty if there is none. */
  readonly counterexample: string;
}

/** Tries all laws on a kind. `tell` gets how many there are and how many are done, with the result of the last one. */
export function tryLaws({ runs, seed }: LawsQuestion, kind: Kind, tell: (progress: Json) => void): number {
  const questions = questionsOf(kind, laws);
  for (const [index, { law, statement, version = "", ask }] of questions.entries()) {
    const trial = ask(runs, seed);
    const state =
      trial.counterexample !== undefined ? "broken" : trial.runs === 0 ? "nothing to try" : "held";
    const counterexample = trial.counterexample === undefined ? "" : textOf(trial.counterexample);
    const shown: ShownTrial = { law, statement, version, runs: trial.runs, state, counterexample };
    tell({ done: index + 1, of: questions.length, trial: shown as unknown as Json });
  }
  return questions.length;
}

/** A counterexample as JSON, as links and reports hold it: without the stack. */
export function textOf({ stack: _, ...counterexample }: Counterexample): string {
  return writeJson(counterexample as unknown as Json);
}

/** A counterexample as a strip: the object at each station of its way, then what was expected and what came. */
export interface ShownCounterexample {
  readonly claim: string;
  readonly versions: string;
  /** The object that it begins with as one for a pane, and its version. */
  readonly at: string;
  readonly text: string;
  readonly field: string;
  readonly hint: string;
  readonly steps: readonly string[];
  readonly strip: readonly Station[];
}

interface Station {
  readonly title: string;
  readonly text: string;
}

/** A counterexample from its JSON, which anyone may have written; undefined if it is none. */
export function shownCounterexample(text: string, kind: Kind): ShownCounterexample | undefined {
  const json = jsonIn(text);
  if (!isObject(json) || typeof json.claim !== "string" || typeof json.versions !== "string")
    return undefined;
  const views = listAt(json, "views").map((view) => station(textAt(view, "what"), get(view, "object")));
  return {
    claim: json.claim,
    versions: json.versions,
    ...paneOf(json.object, json.versions, kind),
    field: textAt(json, "field"),
    hint: textAt(json, "hint"),
    steps: listAt(json, "steps").map(String),
    strip: [
      station("begins with", json.object),
      ...views,
      station("expected", json.expected),
      station("came out", json.actual),
    ],
  };
}

/** Most laws look at content alone: the version is the first of their way. */
function paneOf(object: Json | undefined, way: string, { definition, versions }: Kind) {
  const content = objectAt(object);
  const named = textAt(content, "apiVersion").split("/").at(-1) || way.split(" → ")[0];
  const at = versions.find(({ name }) => name === named)?.name ?? versions.at(-1)?.name ?? "";
  const identity = { apiVersion: `${definition.group}/${at}`, kind: definition.kind };
  const metadata = { name: "counterexample", ...objectAt(content.metadata) };
  return { at, text: writeYaml({ ...identity, ...content, ...identity, metadata }) };
}

function station(title: string, value: Json | undefined): Station {
  if (value === undefined) return { title, text: "(absent)\n" };
  const shown = isObject(value) && value.apiVersion !== undefined ? detach(value).object : value;
  return { title, text: isObject(shown) || isArray(shown) ? writeYaml(shown) : `${writeJson(shown)}\n` };
}
