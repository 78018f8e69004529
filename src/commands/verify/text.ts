import { isObject, type Json } from "../../json/json.ts";
import { yamlDiff, yamlLines } from "../diff.ts";
import { type Line, painted } from "../lines.ts";
import type { Answer, KindReport, Report } from "./report.ts";
import { surveyLines } from "./survey.ts";

/** A report as text, with colours if `coloured`. */
export function textOf({ kinds, seed, runs, interrupted }: Report, coloured: boolean): string {
  const lines = [
    ...kinds.flatMap((kind) => [...kindLines(kind), { text: "" }]),
    { text: `${interrupted ? "interrupted; " : ""}seed ${seed}, ${runs} runs of each claim` },
  ];
  return lines.map((line) => painted(line, coloured)).join("\n");
}

/** The counterexample of a broken law, step by step, and how to reproduce it; empty if the law holds. */
export function failureLines({ statement, counterexample, reproduce }: Answer): readonly Line[] {
  if (counterexample === undefined) return [];
  const { claim, versions, object, steps, field, expected, actual } = counterexample;
  return [
    { text: statement },
    { text: `broken: ${claim}, on the path ${versions}` },
    { text: "object:" },
    ...few(yamlLines(inOrder(object)).map((line) => ({ text: `  ${line}` }))),
    ...(steps.length === 0 ? [] : [{ text: "steps:" }]),
    ...steps.map((step, index) => ({ text: `  ${index + 1}. ${step}` })),
    { text: `${field === "" ? "the whole object" : field}: - expected, + actual` },
    ...few(yamlDiff(expected, actual).map(({ mark, line }) => diffLine(mark, line))),
    { text: `reproduce: ${reproduce}` },
  ];
}

function kindLines(kind: KindReport): readonly Line[] {
  const { name, folder, versions, answers } = kind;
  return [
    { text: `${name} (${versions.join(", ")}) in ${folder}` },
    ...answers.flatMap((answer) => [
      answerLine(answer, answers),
      ...failureLines(answer).map((line) => indented(line, 4)),
    ]),
    ...surveyLines(kind).map((text) => ({ text: `  ${text}` })),
  ];
}

/** The reason why a law was not tested. */
export function whyUntried({ state, needs }: Answer): string {
  return needs === undefined ? state : `${state}: needs ${needs}`;
}

function answerLine(answer: Answer, all: readonly Answer[]): Line {
  const { law, version = "", state, runs } = answer;
  const [laws, versions] = [all.map((each) => each.law.length), all.map((each) => each.version?.length ?? 0)];
  const mark = { held: "held  ", failed: "FAILED", "nothing to try": "-     ", "not tried": "-     " }[state];
  const result =
    state === "held" || state === "failed" ? `${runs} ${runs === 1 ? "run" : "runs"}` : whyUntried(answer);
  const text = `  ${mark}  ${law.padEnd(Math.max(...laws))}  ${version.padEnd(Math.max(...versions))}  ${result}`;
  return { text, ...(state === "failed" ? { tone: "bad" } : state === "held" ? { tone: "good" } : {}) };
}

function diffLine(mark: " " | "-" | "+", line: string): Line {
  const text = `  ${mark} ${line}`;
  return mark === " " ? { text } : { text, tone: mark === "-" ? "good" : "bad" };
}

/** An object in the usual order of keys. */
function inOrder(object: Json): Json {
  if (!isObject(object)) return object;
  const rank = (key: string) => ["status", "spec", "metadata", "kind", "apiVersion"].indexOf(key);
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => rank(b) - rank(a)));
}

/** The first lines, if there are too many for a terminal. */
function few(lines: readonly Line[]): readonly Line[] {
  const most = 60;
  if (lines.length <= most) return lines;
  return [
    ...lines.slice(0, most),
    { text: `  … and ${lines.length - most} more lines; -o json has all of them` },
  ];
}

function indented({ text, ...rest }: Line, by: number): Line {
  return { ...rest, text: `${" ".repeat(by)}${text}` };
}
