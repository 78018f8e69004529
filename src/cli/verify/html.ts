import { textOf as textOfCounterexample } from "../../play/laws/shown.ts";
import { pageWith } from "../../play/page-file.ts";
import { type Example, mostFragment, stateOf, writeLink } from "../../play/state.ts";
import { attribute, escaped } from "../reports/markup.ts";
import type { Answer, KindReport, Report } from "./report.ts";
import { failureLines } from "./text.ts";

/**
 * A report as one HTML file: the page in which versions are side by side, with the kinds of the report, and above it what held and
 * what is broken. A counterexample opens in the page by its link; nothing is asked of any server.
 */
export function htmlOf(report: Report, page: string, examples: ReadonlyMap<string, Example>): string {
  const whole = pageWith(page, { examples: [...examples.values()] });
  return whole.replace("<body>", () => `<body>\n${sectionOf(report, examples)}`);
}

function sectionOf(
  { kinds, seed, runs, interrupted }: Report,
  examples: ReadonlyMap<string, Example>,
): string {
  const end = `${interrupted ? "interrupted; " : ""}seed ${seed}, ${runs} runs of each claim`;
  const bodies = kinds.map((kind) => kindOf(kind, examples.get(kind.folder)));
  return `<section class="report" aria-label="Report"><h2>antechamber verify</h2><p>${escaped(end)}</p>${bodies.join("")}</section>`;
}

function kindOf({ name, versions, answers }: KindReport, example: Example | undefined): string {
  const order = (state: Answer["state"]) => (state === "failed" ? 0 : state === "held" ? 2 : 1);
  const rows = answers
    .toSorted((a, b) => order(a.state) - order(b.state))
    .map((each) => rowOf(each, answers, example));
  const head = ["law", "version", "cases", "result"].map((title) => `<th>${title}</th>`).join("");
  return `<h3>${escaped(`${name} (${versions.join(", ")})`)}</h3><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function rowOf(answer: Answer, answers: readonly Answer[], example: Example | undefined): string {
  const { law, statement, version = "", runs, state } = answer;
  const cells = [
    `<td title="${attribute(statement)}">${escaped(law)}</td>`,
    ...[version, String(runs)].map((cell) => `<td>${escaped(cell)}</td>`),
  ];
  const lines = failureLines(answer, answers).map(({ text }) => text);
  const details =
    lines.length === 0 ? "" : `<pre>${escaped(lines.join("\n"))}</pre>${linkOf(answer, example)}`;
  return `<tr class="${state === "failed" ? "broken" : "held"}">${cells.join("")}<td>${escaped(state)}${details}</td></tr>`;
}

/** The link to a counterexample, unless it is longer than the page would read. */
function linkOf({ counterexample }: Answer, example: Example | undefined): string {
  if (counterexample === undefined || example === undefined) return "";
  const parts = { laws: { counterexample: textOfCounterexample(counterexample) } };
  const link = writeLink({ ...stateOf(example), parts });
  return link.length > mostFragment
    ? ""
    : `<a href="#${attribute(link)}">See the counterexample beside the versions</a>`;
}
