import type { Answer, KindReport, Report } from "./report.ts";
import { surveyLines } from "./survey.ts";
import { failureLines, whyUntried } from "./text.ts";

/** A report as JUnit XML: a testsuite a kind, a testcase a law and version. */
export function junitOf({ kinds, seed }: Report): string {
  const all = kinds.flatMap(({ answers }) => answers);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="antechamber verify" ${countsOf(all)}>`,
    ...kinds.flatMap((kind) => suiteOf(kind, seed)),
    "</testsuites>",
  ].join("\n");
}

function suiteOf(kind: KindReport, seed: number): readonly string[] {
  const { name, answers } = kind;
  return [
    `  <testsuite name="${attribute(name)}" ${countsOf(answers)}>`,
    `    <properties><property name="seed" value="${seed}"/></properties>`,
    ...answers.flatMap((each) => caseOf(each, name)),
    `    <system-out>${escaped(surveyLines(kind).join("\n"))}</system-out>`,
    "  </testsuite>",
  ];
}

function caseOf(answer: Answer, kind: string): readonly string[] {
  const { law, version, state, seconds, counterexample } = answer;
  const name = version === undefined ? law : `${law} ${version}`;
  const open = `    <testcase classname="${attribute(kind)}" name="${attribute(name)}" time="${seconds.toFixed(3)}"`;
  if (state === "held") return [`${open}/>`];
  const inside =
    counterexample === undefined
      ? `<skipped message="${attribute(whyUntried(answer))}"/>`
      : `<failure type="${attribute(law)}" message="${attribute(counterexample.claim)}">${escaped(
          failureLines(answer)
            .map(({ text }) => text)
            .join("\n"),
        )}</failure>`;
  return [`${open}>`, `      ${inside}`, "    </testcase>"];
}

function countsOf(answers: readonly Answer[]): string {
  const failures = answers.filter(({ state }) => state === "failed").length;
  const skipped = answers.filter(({ state }) => state === "nothing to try" || state === "not tried").length;
  const seconds = answers.reduce((sum, each) => sum + each.seconds, 0);
  return `tests="${answers.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds.toFixed(3)}"`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\t": "&#9;",
  "\n": "&#10;",
};

/** Text for an element. What XML 1.0 cannot say at all (production Char) is left out. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>\r]/g, (character) => entities[character] ?? character);
}

/** Text for an attribute, in which a reader would take line ends and tabs for spaces. */
function attribute(text: string): string {
  return escaped(text).replaceAll(/["\t\n]/g, (character) => entities[character] ?? character);
}
