import type { CrdFinding as Finding } from "../../checks/index.ts";
import type { JsonObject } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { crdModelOf } from "../../schema/model/crd.ts";
import { placeLines } from "../deletion-text.ts";
import type { Check, CheckReport, Finding as ReportedFinding } from "../reports/report.ts";
import type { CompatReport, DeletedObjects, KindReport } from "./report.ts";
import { deletedSentence, detailsOf, sentenceOf } from "./text.ts";

/** A report for tools: a check for each kind; what breaks is an error, what is risky a warning, both in the file of the new side. */
export function checksOf(report: CompatReport, crdOf: (name: string) => JsonObject | undefined): CheckReport {
  const { seed, kinds } = report;
  const suites = kinds.map((kind) => ({
    name: kind.name,
    properties: { seed: String(seed) },
    checks: [checkOf(kind, crdOf(kind.name))],
  }));
  return { name: "antechamber compat", suites };
}

function checkOf(kind: KindReport, crd: JsonObject | undefined): Check {
  const removed = { level: "error", rule: "removed", message: "the kind is removed" } as const;
  return {
    group: kind.name,
    name: "compatible",
    findings: [
      ...(kind.only === "old" ? [removed] : []),
      ...kind.refusedCrd.map((sentence) => refusedCrd(sentence, kind)),
      ...(kind.stored?.deletes ?? []).map((each) => deletes(each, kind)),
      ...kind.findings
        .filter((finding) => finding.class !== "safe")
        .map((finding) => reported(finding, kind, crd)),
    ],
  };
}

function refusedCrd(sentence: string, { find }: KindReport): ReportedFinding {
  const message = `the API server refuses this CRD as an update: ${sentence}`;
  const place = find?.(["spec"]);
  return { level: "error", rule: "refused-crd", message, ...(place === undefined ? {} : { place }) };
}

function deletes(each: DeletedObjects, { find }: KindReport): ReportedFinding {
  const place = find?.(["spec"]);
  return {
    level: "error",
    rule: "deletes",
    message: deletedSentence(each),
    details: placeLines(each.places).join("\n"),
    ...(place === undefined ? {} : { place }),
  };
}

function reported(finding: Finding, { find }: KindReport, crd: JsonObject | undefined): ReportedFinding {
  const place = find?.(pathInCrd(finding, crd));
  return {
    level: finding.class === "breaking" ? "error" : "warning",
    rule: finding.effect.replaceAll(" ", "-"),
    message: `${finding.version} ${sentenceOf(finding)}`,
    details: detailsOf(finding).join("\n"),
    ...(place === undefined ? {} : { place }),
  };
}

/** The path in a CRD of the schema at the place of a finding; of what is not there the nearest that is. */
function pathInCrd({ version, place }: Finding, crd: JsonObject | undefined): Path {
  const index = crdModelOf(crd ?? null).spec.versions.findIndex(({ name }) => name === version);
  if (index < 0) return ["spec", "versions"];
  const start = ["spec", "versions", index, "schema", "openAPIV3Schema"];
  const steps = [...place.matchAll(/(\[\])|(\.\*)|\[([^\]]*)\]|([^.[\]]+)/g)];
  const below = steps.flatMap(([, item, entry, key, name]) => {
    if (item !== undefined) return ["items"];
    return entry === undefined ? ["properties", key ?? name ?? ""] : ["additionalProperties"];
  });
  return [...start, ...below];
}
