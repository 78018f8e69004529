import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { Finding, KindFindings } from "../../../src/checks/index.ts";
import type { WebhookReport } from "../../../src/cli/verify-webhook/report.ts";
import { antechamber } from "../../support/cli.ts";
import { startService } from "../../support/service.ts";
import {
  haveTargets,
  type RunningTarget,
  startTarget,
  type TargetName,
  targetsLeftOut,
  webhookTargets,
} from "../webhook-targets.ts";

// What `verify --url` finds in the conversion webhooks of other projects. RECORD=1 writes the findings; each was compared
// with the project's source by hand (docs/evidence/findings.md).
const file = "test/cases/webhook-findings.yaml";

type Recorded = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const recorded: Recorded = parse(readFileSync(file, "utf8")) ?? {};
const made: Record<string, Record<string, readonly string[]>> = {};

if (!haveTargets()) it(targetsLeftOut, () => {});
else describe.each(webhookTargets)("$name", ({ name, crds }) => findingsIn(name, crds));

afterAll(() => {
  if (process.env.RECORD) writeFileSync(file, stringify(made, { lineWidth: 0, sortMapEntries: true }));
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

function findingsIn(name: TargetName, crds: readonly string[]): void {
  let target: RunningTarget;
  beforeAll(async () => {
    target = await startTarget(name);
  });
  afterAll(() => target.stop());

  it.each(crds.map((crd) => crd.replace(/^.*_(.*)\.yaml$/, "$1")))(
    "%s",
    async (plural) => {
      const { report, code, stderr } = await verified(target, target.crd(plural));
      const [kind] = report.kinds;
      expect(kind, stderr).toBeDefined();
      if (kind === undefined) return;
      const lines = linesOf(kind);
      made[name] = { ...made[name], [plural]: lines };
      if (!process.env.RECORD) expect(lines).toEqual(recorded[name]?.[plural]);
      const faults = lines.filter((line) => /^(crashed|refused|differs|lost|became)/.test(line));
      expect(code).toBe(faults.length > 0 ? 1 : 0);
      expect(kind.ended).toBeUndefined();
    },
    120_000,
  );
}

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
