import { type Finding, notes } from "../../checks/index.ts";
import { yamlLines } from "../../offline/diff.ts";
import { type Line, printed, type Style } from "../../offline/lines.ts";
import type { WebhookKind, WebhookReport } from "./report.ts";
import {
  figuresOf,
  inOrder,
  isComplete,
  leftOf,
  placeOf,
  readable,
  remarksOf,
  sentenceOf,
  titles,
  verdictOf,
} from "./sentences.ts";

/** A report as text; with `summary` one line for each finding. */
export function webhookText(
  { webhook, kinds, seed, runs }: WebhookReport,
  style: Style & { readonly summary: boolean },
): string {
  const left = kinds.flatMap(leftOf);
  const lines: readonly Line[] = [
    ...(left.length === 0 ? [] : [{ text: "Not tried:", tone: "bad" } as const]),
    ...few(left, style.summary ? 10 : 100).map((text) => ({ text: `  ${text}` })),
    ...(left.length === 0 ? [] : [{ text: "" }]),
    ...kinds.flatMap((kind) => [...kindLines(kind, style.summary), { text: "" }]),
    { text: `${webhook}: seed ${seed}, ${runs} random objects for each pair of versions` },
  ];
  return printed(lines, style);
}

function kindLines(kind: WebhookKind, summary: boolean): readonly Line[] {
  const found = inOrder(kind);
  const faults = found.filter((each) => !notes.has(each.kind));
  const rest = found.filter((each) => notes.has(each.kind));
  const remarks = remarksOf(kind);
  return [
    {
      text: `${kind.kind} (${kind.versions.join(", ")}): ${verdictOf(kind)}`,
      tone: faults.length === 0 && isComplete(kind) ? "good" : "bad",
    },
    ...faults.flatMap((each) => [lineOf(each, "bad"), ...(summary ? [] : viewLines(each))]),
    ...(rest.length === 0 ? [] : [{ text: "  good to know:" }]),
    ...rest.map((each) => ({ text: `  ${lineOf(each).text}` })),
    ...few(remarks, summary ? 5 : 40).map((text) => ({ text: `  ${text}` })),
    { text: `  ${figuresOf(kind)}` },
  ];
}

function lineOf(finding: Finding, tone?: "bad"): Line {
  const way = finding.versions.join(" → ");
  const text = `  ${titles[finding.kind]}  ${placeOf(finding)}  (${way})  ${sentenceOf(finding)}`;
  return { text, ...(tone === undefined ? {} : { tone }) };
}

/** Each view of a finding as YAML. */
function viewLines({ views }: Finding): readonly Line[] {
  return views.flatMap(({ what, object }) => [
    { text: `      ${what}:` },
    ...few(yamlLines(readable(object)), 40).map((line) => ({
      text: `        ${line}`,
      isVerbatim: true as const,
    })),
  ]);
}

function few(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `… and ${lines.length - most} more; -o json has all`];
}
