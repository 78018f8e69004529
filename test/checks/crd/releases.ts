import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareRevisions } from "../../../src/checks/crd/compare.ts";
import { countsOf, type KindReport } from "../../../src/cli/compat/report.ts";
import { type Sources, withSources } from "../../../src/cli/compat/sources.ts";
import { sentenceOf } from "../../../src/cli/compat/text.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { establishCrd } from "../../cluster/crd.ts";
import { type ApiServer, startApiServer } from "../../cluster/server.ts";
import { replayed } from "./compat-replay.ts";

// Compares the CRDs of successive releases of other projects, and prints a line of Markdown for each pair, with what breaks
// below it. With --replay each finding is also replayed on a real API server.
//
//     npm run compat:releases -- --project KEDA --replay

const { values } = parseArgs({
  options: { project: { type: "string" }, replay: { type: "boolean", default: false } },
});

const [document] = readYaml(readFileSync(join(import.meta.dirname, "releases.yaml"), "utf8"));
const projects = (isArray(document?.value) ? document.value : []).filter(
  (each) => values.project === undefined || get(each, "project") === values.project,
);

for (const project of projects) {
  const versions = get(project, "versions");
  const names = isArray(versions) ? versions.map(String) : [];
  for (const [index, version] of names.slice(1).entries()) {
    const folder = (at: string) =>
      join(
        moduleFolder(`${get(project, "module")}@${at}`),
        String(get(project, "moved", at) ?? get(project, "folder")),
      );
    const [old, after] = [names[index] ?? "", version];
    await report(`${get(project, "project")} ${old} → ${after}`, folder(old), folder(after));
  }
}

function moduleFolder(module: string): string {
  const printed = execFileSync("go", ["mod", "download", "-json", module], { cwd: "/", encoding: "utf8" });
  return String(get(parseJson(printed), "Dir"));
}

async function report(title: string, old: string, after: string): Promise<void> {
  const io = { readStdin: async () => "", cwd: "/", env: process.env };
  const kinds = await withSources(old, io, (first) =>
    withSources(after, io, async (second) => compared(first, second)),
  );
  const { breaking, risky, safe } = countsOf(kinds);
  const unshown = kinds.reduce((sum, kind) => sum + kind.unshown.length, 0);
  const confirmed = values.replay ? ` ${await replayAll(kinds)} |` : "";
  console.log(`| ${title} | ${kinds.length} | ${breaking} | ${risky} | ${safe} | ${unshown} |${confirmed}`);
  for (const { name, findings, only } of kinds) {
    if (only === "old") console.log(`  - ${name}: the kind is removed`);
    for (const finding of findings.filter((each) => each.class !== "safe"))
      console.log(`  - ${finding.class}: ${name} ${finding.version} ${sentenceOf(finding)}`);
  }
}

interface Compared extends KindReport {
  readonly crds?: { readonly old: JsonObject; readonly new: JsonObject };
}

function compared(first: Sources, second: Sources): readonly Compared[] {
  const names = [...new Set([...first.keys(), ...second.keys()])].toSorted();
  return names.map((name) => {
    const [old, after] = [first.get(name)?.revision, second.get(name)?.revision];
    if (old === undefined || after === undefined)
      return { name, only: old === undefined ? "new" : "old", findings: [], refusedCrd: [], unshown: [] };
    const comparison = compareRevisions(old, after, { runs: 100, seed: 1, seeds: [], isConverted: true });
    return { ...comparison, crds: { old: old.json, new: after.json } };
  });
}

/** Replays all findings, kind by kind, and returns how many were confirmed. Ends with an error at one that was not. */
async function replayAll(kinds: readonly Compared[]): Promise<string> {
  let server: ApiServer | undefined;
  let confirmed = 0;
  try {
    for (const kind of kinds.filter(({ findings }) => findings.length > 0)) {
      server ??= await startApiServer();
      if (kind.crds === undefined) continue;
      const [old, after] = [approved(kind.crds.old), approved(kind.crds.new)];
      await establishCrd(server, old);
      const findings = kind.findings.filter(({ version }) => isReplayable(version, kind.crds));
      await replayed(server, { old, new: after }, { ...kind, findings });
      confirmed += findings.length;
    }
  } finally {
    await server?.stop();
  }
  return String(confirmed);
}

/** What is written at other versions than the stored one goes through a webhook that does not run here. */
function isReplayable(version: string, crds: Compared["crds"]): boolean {
  const sides = crds === undefined ? [] : [crds.old, crds.new];
  return sides.every((crd) => {
    const versions = get(crd, "spec", "versions");
    const entry = (isArray(versions) ? versions : []).find((each) => get(each, "name") === version);
    return get(crd, "spec", "conversion", "strategy") !== "Webhook" || get(entry, "storage") === true;
  });
}

/** The CRD without a webhook, which does not run here; and with the approval that groups of Kubernetes need. */
function approved(crd: JsonObject): JsonObject {
  const metadata = {
    name: get(crd, "metadata", "name") ?? "",
    annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes/enhancements/pull/1111" },
  };
  const { conversion: _, ...spec } = (crd.spec ?? {}) as JsonObject;
  return { apiVersion: crd.apiVersion ?? "", kind: crd.kind ?? "", metadata, spec };
}
