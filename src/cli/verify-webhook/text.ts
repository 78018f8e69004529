import { type Finding, notes } from "../../checks/index.ts";
import { changedLines, yamlLines } from "../../offline/diff.ts";
import { type Line, printed, type Style } from "../../offline/lines.ts";
import { counted } from "../../words.ts";
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
    { text: `${webhook}: seed ${seed}, ${counted(runs, "random object")} for each pair of versions` },
  ];
  return printed(lines, style);
}

function kindLines(kind: WebhookKind, summary: boolean): readonly Line[] {
  const found = inOrder(kind);
  const faults = found.filter((each) => !notes.has(each.kind));
  const rest = found.filter((each) => notes.has(each.kind));
  const remarks = remarksOf(kind);
  const hidden = Math.max(0, faults.length - mostShown);
  return [
    {
      text: `${kind.kind} (${kind.versions.join(", ")}): ${verdictOf(kind)}`,
      tone: faults.length === 0 && isComplete(kind) ? "good" : "bad",
    },
    ...faults.flatMap((each, index) => [
      lineOf(each, "bad"),
      ...(summary || index >= mostShown ? [] : viewLines(each)),
    ]),
    ...(summary || hidden === 0
      ? []
      : [
          {
            text: `  the objects of the last ${counted(hidden, "finding")}: -o json and -o markdown have them`,
          },
        ]),
    ...(rest.length === 0 ? [] : [{ text: "  good to know:" }]),
    ...rest.map((each) => ({ text: `  ${lineOf(each).text}` })),
    ...few(remarks, summary ? 5 : 40).map((text) => ({ text: `  ${text}` })),
    { text: `  ${figuresOf(kind)}` },
  ];
}

/** The most findings of a kind whose objects are shown. */
const mostShown = 20;

function lineOf(finding: Finding, tone?: "bad"): Line {
  const way = finding.versions.join(" → ");
  const text = `  ${titles[finding.kind]}  ${placeOf(finding)}  (${way})  ${sentenceOf(finding)}`;
  return { text, ...(tone === undefined ? {} : { tone }) };
}

/** Each view of a finding as YAML; of a version that was shown before only the lines that differ. */
function viewLines({ views }: Finding): readonly Line[] {
  return views.flatMap(({ what, object }, index) => {
    const before = views.slice(0, index).find((each) => what === `${each.what} again`);
    const lines =
      before === undefined
        ? yamlLines(readable(object)).map((text): Line => ({ text }))
        : changedLines(readable(before.object), readable(object));
    const shown = lines.slice(0, mostLines);
    const more = lines.length - shown.length;
    return [
      { text: `      ${what}:` },
      ...shown.map((line) => ({ ...line, text: `        ${line.text}`, isVerbatim: true as const })),
      ...(more === 0 ? [] : [{ text: `        … and ${more} more lines; -o json has all` }]),
    ];
  });
}

/** The most lines of one view. */
const mostLines = 40;

function few(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `… and ${lines.length - most} more; -o json has all`];
}
