import { isObject, type Json } from "../../json/json.ts";
import type { Counterexample } from "../../laws/law.ts";
import { yamlDiff, yamlLines } from "../../offline/diff.ts";
import { type Line, printed, type Style } from "../../offline/lines.ts";
import { shellWord } from "../shell-word.ts";
import type { Answer, KindReport, Report } from "./report.ts";
import { surveyCounts, surveyLines } from "./survey.ts";

/** How a report is printed. */
export interface TextStyle extends Style {
  /** Whether each kind gets a line, and each broken law another one. */
  readonly summary?: boolean;
  /** The command as a reader types it. */
  readonly command: string;
}

/** A report as text. */
export function textOf({ kinds, seed, runs, interrupted }: Report, style: TextStyle): string {
  const end = `${interrupted ? "interrupted; " : ""}seed ${seed}, ${runs} runs of each claim`;
  const ends = [{ text: end }, ...firstLook(kinds, runs, style.command)];
  const lines = style.summary
    ? [...kinds.flatMap(briefLines), ...ends]
    : [...kinds.flatMap((kind) => [...kindLines(kind), { text: "" }]), ...ends];
  return printed(lines, style);
}

/** The number of runs that verify has by default, and that a verdict takes at least. */
const usualRuns = 100;

/** What to do after a run that was too short for a verdict: with other seeds it finds other laws broken, or none. */
function firstLook(kinds: Report["kinds"], runs: number, command: string): readonly Line[] {
  if (runs >= usualRuns) return [];
  const folders = kinds.map(({ folder }) => shellWord(folder)).join(" ");
  return [
    { text: "a first look and no verdict: so few runs miss what others find. For a longer one:" },
    { text: `  ${command} verify ${folders} --runs ${10 * usualRuns}`, isVerbatim: true },
  ];
}

/** A kind in one line, and a line for each law that is broken. */
function briefLines(kind: KindReport): readonly Line[] {
  const { name, versions, answers } = kind;
  const count = (state: Answer["state"]) => answers.filter((each) => each.state === state).length;
  const parts = [
    [count("failed"), "broken"],
    [count("held"), "held"],
    [count("nothing to try"), "with nothing to try"],
    [count("cut short"), "cut short"],
    [count("not tried"), "not tried"],
  ] as const;
  const laws = parts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])).join(", ");
  return [
    { text: `${name} (${versions.join(", ")}): ${laws}`, tone: count("failed") > 0 ? "bad" : "good" },
    ...answers.flatMap((answer): readonly Line[] => {
      const { law, version = "", counterexample } = answer;
      if (counterexample === undefined) return [];
      const { claim, field } = counterexample;
      const where = field === "" ? "" : `, at ${field}`;
      return [{ text: `  FAILED  ${law}  ${version}  broken: ${claim}${where}`, tone: "bad" }];
    }),
    ...surveyCounts(kind).map((text) => ({ text: `  ${text}` })),
  ];
}

/** The counterexample of a broken law, view by view and step by step, and how to reproduce it; empty if the law holds. */
export function failureLines(answer: Answer, answers: readonly Answer[]): readonly Line[] {
  const { statement, counterexample, invalid, reproduce } = answer;
  if (counterexample === undefined) return [];
  const {
    claim,
    versions,
    object,
    steps,
    field,
    expected,
    actual,
    views = [],
    hint,
    also = [],
  } = counterexample;
  return [
    { text: statement },
    { text: `broken: ${claim}, on the path ${versions}` },
    ...(isObject(object) && Object.keys(object).length === 0
      ? []
      : objectLines(invalid === undefined ? "object" : `object, ${invalid}`, object)),
    ...views.flatMap((view) => objectLines(view.what, view.object)),
    ...(steps.length === 0 ? [] : [{ text: "steps:" }]),
    ...steps.map((step, index) => ({ text: `  ${index + 1}. ${step}` })),
    { text: `${field === "" ? "the whole object" : field}: - expected, + actual` },
    ...few(yamlDiff(expected, actual).map(({ mark, line }) => diffLine(mark, line))),
    { text: `hint: ${hint ?? hintFor(answer, counterexample, answers)}` },
    ...(also.length === 0 ? [] : [{ text: "broken also at:" }]),
    ...also.map((each) => ({ text: `  ${each}` })),
    { text: `reproduce: ${reproduce}`, isVerbatim: true },
  ];
}

function objectLines(what: string, object: Json): readonly Line[] {
  const lines = yamlLines(inOrder(object)).map((line) => ({ text: `  ${line}`, isVerbatim: true as const }));
  return [{ text: `${what}:` }, ...few(lines)];
}

/** The laws of the lens alone, without which the others cannot hold. A row that Mapped misses breaks no other law. */
const basic = ["Total", "Faithful"];

/** What to do about a broken law that does not say so itself. */
function hintFor(
  { law, isMapped = true, across }: Answer,
  { field, expected, actual }: Counterexample,
  answers: readonly Answer[],
): string {
  const report = "please report it with the object and the steps";
  const first = answers.find((answer) => answer.state === "failed" && basic.includes(answer.law));
  if (first !== undefined && first.law !== law && !basic.includes(law))
    return `mend what breaks ${first.law} first: this law breaks with it`;
  if (across !== undefined)
    return `a row maps ${across}: a write of status cannot change spec, nor a write of spec status. Map it to a field of the same part, or leave the row out: without one, both versions keep their own value`;
  if (!isMapped)
    return `no row maps ${field === "" ? "any field" : field}: this may be a fault of antechamber; ${report}`;
  switch (law) {
    case "Total":
      return "a lens must not throw, nor return what is not JSON: let it return undefined for a value that it does not know";
    case "Deterministic":
      return "a lens must not depend on a clock, on chance or on anything but its argument";
    case "Exact":
      if (withoutNumbers(expected) !== withoutNumbers(actual)) break;
      return "a lens must not calculate with numbers beyond 2^53 as doubles: use isInteger, toDecimal and toInteger";
  }
  return `look at the row of ${field === "" ? "the fields that differ" : field}: each of its two ways must read what the other writes, and nothing else. If both do, this is a fault of antechamber: ${report}`;
}

/** JSON text without its numbers, to see whether anything else differs. */
function withoutNumbers(value: Json | undefined): string {
  return String(value).replaceAll(/-?\d[\d.eE+-]*/g, "0");
}

function kindLines(kind: KindReport): readonly Line[] {
  const { name, folder, versions, answers } = kind;
  return [
    { text: `${name} (${versions.join(", ")}) in ${folder}` },
    ...answers.flatMap((answer) => [
      answerLine(answer, answers),
      ...failureLines(answer, answers).map((line) => indented(line, 4)),
    ]),
    ...[...kind.remarks, ...surveyLines(kind)].map((text) => ({ text: `  ${text}` })),
  ];
}

/** The reason why a law was not tested, or not to the end. */
export function whyUntried({ state, needs, why, runs }: Answer): string {
  const what = state === "cut short" ? `${state} after ${runs} runs` : state;
  const reason = needs === undefined ? why : `needs ${needs}`;
  return reason === undefined ? what : `${what}: ${reason}`;
}

function answerLine(answer: Answer, all: readonly Answer[]): Line {
  const { law, version = "", state, runs } = answer;
  const [laws, versions] = [all.map((each) => each.law.length), all.map((each) => each.version?.length ?? 0)];
  const mark = marks[state];
  const result =
    state === "held" || state === "failed" ? `${runs} ${runs === 1 ? "run" : "runs"}` : whyUntried(answer);
  const text = `  ${mark}  ${law.padEnd(Math.max(...laws))}  ${version.padEnd(Math.max(...versions))}  ${result}`;
  return { text, ...(state === "failed" ? { tone: "bad" } : state === "held" ? { tone: "good" } : {}) };
}

const marks: Readonly<Record<Answer["state"], string>> = {
  held: "held  ",
  failed: "FAILED",
  "cut short": "part  ",
  "nothing to try": "-     ",
  "not tried": "-     ",
};

function diffLine(mark: " " | "-" | "+", line: string): Line {
  const text = `  ${mark} ${line}`;
  return { text, isVerbatim: true, ...(mark === " " ? {} : { tone: mark === "-" ? "good" : "bad" }) };
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
