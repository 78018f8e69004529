import { expect, it } from "vitest";
import type { Finding, KindFindings } from "../../../src/checks/index.ts";
import type { WebhookReport } from "../../../src/cli/verify-webhook/report.ts";
import { antechamber } from "../../support/cli.ts";
import { startService } from "../../support/service.ts";
import { compareFindings } from "../target-findings.ts";
import type { RunningTarget } from "../webhook-targets.ts";

// What `verify --url` finds in the conversion webhooks of other projects. RECORD=1 writes the findings; each was compared
// with the project's source by hand (docs/evidence/findings.md).
compareFindings("test/cases/webhook-findings.yaml", async (target, plural) => {
  const { report, code, stderr } = await verified(target, target.crd(plural));
  const [kind] = report.kinds;
  if (kind === undefined) throw new Error(stderr);
  const lines = linesOf(kind);
  const faults = lines.filter((line) => /^(crashed|refused|differs|lost|became)/.test(line));
  expect(code).toBe(faults.length > 0 ? 1 : 0);
  expect(kind.ended).toBeUndefined();
  return lines;
});

it("the service of this repository comes out clean", async () => {
  const service = await startService();
  try {
    const url = `https://localhost:${service.port}/convert`;
    const args = [
      "verify",
      "--url",
      url,
      "--ca",
      service.caFile,
      "--crd",
      "manifests/components",
      "--summary",
    ];
    const { code, stdout } = await antechamber([...args, "--seed", "1", "--runs", "20"]);
    expect(stdout.match(/nothing is lost/g)).toHaveLength(7);
    expect(code, stdout).toBe(0);
  } finally {
    await service.stop();
  }
}, 300_000);

async function verified(target: RunningTarget, crd: string) {
  const args = ["verify", "--url", target.url, "--ca", target.caFile, "--crd", crd, "-o", "json"];
  const { stdout, stderr, code } = await antechamber([...args, "--seed", "1", "--runs", "20"]);
  const report: WebhookReport = JSON.parse(stdout);
  return { report, code, stderr };
}

/** The findings without what only an admission webhook could forbid or a default explains. */
function linesOf({ findings }: KindFindings): readonly string[] {
  return findings
    .filter(({ kind }) => kind !== "added" && kind !== "invalid")
    .map(lineOf)
    .toSorted();
}

function lineOf({ kind, check, place, versions, places }: Finding): string {
  const count = places.length > 1 ? ` and ${places.length - 1} below or beside it` : "";
  const how = check === "round trip" || check === "conversion" ? "" : `, ${check}`;
  return `${kind} ${place === "" ? "the whole object" : place}${count} (${versions.join(" → ")}${how})`;
}
