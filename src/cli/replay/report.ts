import { type Line, painted } from "../../offline/lines.ts";
import { formatReport, isReportFormat, type ReportFormat } from "../reports/format.ts";
import type { CheckReport } from "../reports/report.ts";
import type { Compared, Webhook } from "./compare.ts";

/** A recording that was answered again. */
export interface Replayed extends Compared {
  readonly file: string;
  readonly webhook: Webhook;
}

/** The results in an output format. */
export function formatted(
  results: readonly Replayed[],
  output: "text" | "json" | ReportFormat,
  coloured: boolean,
): string {
  if (isReportFormat(output)) return formatReport(checksOf(results), output);
  if (output === "json") return JSON.stringify({ reviews: results }, null, 2);
  return [...results.flatMap(linesOf), summaryOf(results)].map((line) => painted(line, coloured)).join("\n");
}

function linesOf({ file, differences, patchText }: Replayed): readonly Line[] {
  const found = differences.map(({ field, sentence }) => ({ text: `  ${field}: ${sentence}` }));
  if (found.length > 0) return [{ text: file, tone: "bad" }, ...found];
  if (patchText === undefined) return [];
  return [{ text: file }, { text: `  the same effect in other words: ${patchText}` }];
}

function summaryOf(results: readonly Replayed[]): Line {
  const changed = results.filter(({ differences }) => differences.length > 0).length;
  const reworded = results.filter(({ patchText }) => patchText !== undefined).length;
  const words = reworded === 0 ? "" : `, ${reworded} with a patch in other words`;
  const text = `${results.length} reviews answered: ${changed} differ${words}`;
  return { text, tone: changed > 0 ? "bad" : "good" };
}

function checksOf(results: readonly Replayed[]): CheckReport {
  const checks = results.map(({ file, webhook, differences }) => ({
    group: webhook,
    name: file,
    findings: differences.map(({ field, sentence }) => ({
      level: "error" as const,
      rule: "answer",
      message: `${field}: ${sentence}`,
      place: { file, line: 1 },
    })),
  }));
  return { name: "antechamber replay", suites: [{ name: "recordings", checks }] };
}
