import { type Finding, notes } from "../../checks/index.ts";
import { yamlLines } from "../../offline/diff.ts";
import type { Check, Finding as CheckFinding, CheckReport } from "../reports/report.ts";
import type { WebhookKind, WebhookReport } from "./report.ts";
import { figuresOf, inOrder, placeOf, readable, remarksOf, sentenceOf, titles } from "./sentences.ts";

/** The findings for CI: a suite for each kind, a check for each way between its versions. Notes are warnings. */
export function webhookChecks({ kinds, seed }: WebhookReport): CheckReport {
  const suites = kinds.map((kind) => ({
    name: kind.kind,
    properties: { seed: String(seed) },
    checks: checksOf(kind),
    output: [...remarksOf(kind), figuresOf(kind)].join("\n"),
  }));
  return { name: "antechamber verify", suites };
}

function checksOf(kind: WebhookKind): readonly Check[] {
  const { versions } = kind;
  const pairs = versions.flatMap((from) => versions.filter((to) => to !== from).map((to) => [from, to]));
  const found = inOrder(kind);
  return pairs.map(([from, to]) => ({
    group: kind.kind,
    name: `${from} → ${to}`,
    findings: found
      .filter((each) => each.versions[0] === from && each.versions[1] === to)
      .map((each) => findingOf(each, kind)),
  }));
}

function findingOf(finding: Finding, { place }: WebhookKind): CheckFinding {
  const views = finding.views.flatMap(({ what, object }) => [`${what}:`, ...yamlLines(readable(object))]);
  return {
    level: notes.has(finding.kind) ? "warning" : "error",
    rule: titles[finding.kind],
    message: `${placeOf(finding)}: ${sentenceOf(finding)}`,
    details: views.join("\n"),
    ...(place === undefined ? {} : { place }),
  };
}
