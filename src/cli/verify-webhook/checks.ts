import { type Finding, notes } from "../../checks/index.ts";
import { yamlLines } from "../../offline/diff.ts";
import { type Check, type Finding as CheckFinding, type CheckReport, isFailed } from "../reports/report.ts";
import type { WebhookKind, WebhookReport } from "./report.ts";
import { figuresOf, inOrder, leftOf, placeOf, readable, remarksOf, sentenceOf, titles } from "./sentences.ts";

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
  const found = inOrder(kind);
  return kind.ways.map((way) => {
    const { from, to } = way;
    const findings = found
      .filter(({ versions }) => versions[0] === from && versions[1] === to)
      .map((each) => findingOf(each, kind));
    const check = { group: kind.kind, name: `${from} → ${to}`, findings };
    const isSkipped = way.left.length > 0 && !isFailed(check);
    return isSkipped ? { ...check, skipped: `not tried: ${leftOf({ ...kind, ways: [way] }).join()}` } : check;
  });
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
