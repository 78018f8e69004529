import packageJson from "../../../package.json" with { type: "json" };
import { type Finding, notes } from "../../checks/index.ts";
import { yamlLines } from "../../offline/diff.ts";
import { counted } from "../../words.ts";
import type { WebhookKind, WebhookReport } from "./report.ts";
import {
  figuresOf,
  inOrder,
  leftOf,
  placeOf,
  readable,
  remarksOf,
  sentenceOf,
  titles,
  verdictOf,
} from "./sentences.ts";

/** How a run is repeated. */
interface Repetition {
  readonly command: string;
  /** What the command line lacks. */
  readonly remarks: readonly string[];
}

/** A report as a plain page, to paste into an issue. */
export function markdownOf(
  { webhook, kinds, seed, runs }: WebhookReport,
  { command, remarks }: Repetition,
): string {
  return [
    "# Conversion webhook: what a round trip loses",
    "",
    `Made by \`antechamber verify\` ${packageJson.version}, which knows a conversion webhook only by its answers. It sends valid objects of each version to each other one and back, edits them there, and compares. A finding has the smallest object that shows it, and each view of it. In the repository of antechamber \`docs/guides/verify-url.md\` says what is tried, and what each word means.`,
    "",
    `Asked: ${code(webhook)}, with seed ${seed} and ${counted(runs, "random object")} for each pair of versions. This repeats the run:`,
    "",
    ...fenced(command.split("\n"), "sh"),
    ...remarks.flatMap((remark) => ["", remark]),
    ...listOf("Not tried", kinds.flatMap(leftOf).map(plain)),
    ...kinds.flatMap((kind) => ["", ...kindLines(kind)]),
  ].join("\n");
}

function kindLines(kind: WebhookKind): readonly string[] {
  const found = inOrder(kind);
  const faults = found.filter((each) => !notes.has(each.kind));
  const rest = found.filter((each) => notes.has(each.kind));
  return [
    `## ${kind.kind}`,
    "",
    `Versions ${kind.versions.join(", ")}. ${figuresOf(kind)}.`,
    "",
    ...(faults.length === 0 ? [sentence(verdictOf(kind))] : tableOf(faults)),
    ...faults.flatMap(sectionOf),
    ...listOf(
      "Good to know",
      rest.map(
        (each) =>
          `${titles[each.kind]}: ${code(placeOf(each))} (${each.versions.join(" → ")}): ${plain(sentenceOf(each))}`,
      ),
    ),
    ...listOf("Remarks", remarksOf(kind).slice(0, 40).map(plain)),
  ];
}

function tableOf(findings: readonly Finding[]): readonly string[] {
  return [
    "| finding | place | versions |",
    "|---|---|---|",
    ...findings.map(
      (each) => `| ${titles[each.kind]} | ${cell(code(placeOf(each)))} | ${each.versions.join(" → ")} |`,
    ),
  ];
}

function sectionOf(finding: Finding): readonly string[] {
  return [
    "",
    `### ${titles[finding.kind]}: ${plain(placeOf(finding))}`,
    "",
    plain(sentenceOf(finding)),
    ...finding.views.flatMap(({ what, object }) => {
      const lines = yamlLines(readable(object));
      return ["", `${plain(what)}:`, "", ...fenced(lines, "yaml")];
    }),
  ];
}

/** A fence is longer than any in the text. */
function fenced(lines: readonly string[], language: "sh" | "yaml"): readonly string[] {
  const longest = Math.max(
    2,
    ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)),
  );
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence];
}

function listOf(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, "", ...lines.map((line) => `- ${line}`)];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Text that is not read as markup. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]|]/g, (character) => `\\${character}`).replaceAll(/\s+/g, " ");
}

function code(text: string): string {
  return text.includes("`") ? plain(text) : `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
