import type { Check, CheckReport, Finding } from "../reports/report.ts";
import type { Answer, KindReport, Report } from "./report.ts";
import { surveyLines } from "./survey.ts";
import { failureLines, whyUntried } from "./text.ts";

/** The results of verification for CI: a suite for each kind, a check for each law and version. */
export function checksOf({ kinds, seed }: Report): CheckReport {
  const suites = kinds.map((kind) => ({
    name: kind.name,
    properties: { seed: String(seed) },
    checks: kind.answers.map((answer) => checkOf(answer, kind)),
    output: surveyLines(kind).join("\n"),
  }));
  return { name: "antechamber verify", suites };
}

function checkOf(answer: Answer, kind: KindReport): Check {
  const { law, version, state, seconds } = answer;
  const check = { group: kind.name, name: version === undefined ? law : `${law} ${version}`, seconds };
  if (state === "held") return { ...check, findings: [] };
  if (state !== "failed") return { ...check, findings: [], skipped: whyUntried(answer) };
  return { ...check, findings: [findingOf(answer, kind)] };
}

/** Without a place of its own a broken law concerns the kind as a whole: its place is the file that defines it. */
function findingOf(answer: Answer, { file, answers }: KindReport): Finding {
  const details = failureLines(answer, answers).map(({ text }) => text);
  return {
    level: "error",
    rule: answer.law,
    message: answer.counterexample?.claim ?? answer.statement,
    details: details.join("\n"),
    place: answer.place ?? { file, line: 1 },
  };
}
