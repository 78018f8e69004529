import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray } from "../../src/json/json.ts";
import type { Kinds } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { publishedLeftOut, requirePublished } from "../cluster/published.ts";
import { publishedKinds } from "../cluster/published-kinds.ts";
import { antechamber } from "../support/cli.ts";
import { fidelityOf } from "./fidelity.ts";

const [recorded] = readYaml(readFileSync("test/cases/draft-upstream.yaml", "utf8"));
const byGo = isArray(recorded?.value) ? recorded.value : [];
const page = readFileSync("docs/guides/import.md", "utf8").split("\n");

const crds = requirePublished();
if (crds === undefined) it(publishedLeftOut, () => {});
else describe("drafts for published CRDs", () => claims(crds));

/** Between which versions lenses were written by hand, and what share of the fields the draft must at least map as they do. */
const models = [
  {
    file: "clusters",
    kind: "Cluster",
    group: "cluster.x-k8s.io",
    older: "v1beta1",
    newer: "v1beta2",
    least: 0.89,
  },
  {
    file: "clusterclasses",
    kind: "ClusterClass",
    group: "cluster.x-k8s.io",
    older: "v1beta1",
    newer: "v1beta2",
    least: 0.95,
  },
  {
    file: "machines",
    kind: "Machine",
    group: "cluster.x-k8s.io",
    older: "v1beta1",
    newer: "v1beta2",
    least: 0.92,
  },
  {
    file: "machinedeployments",
    kind: "MachineDeployment",
    group: "cluster.x-k8s.io",
    older: "v1beta1",
    newer: "v1beta2",
    least: 0.95,
  },
  {
    file: "certificates",
    kind: "Certificate",
    group: "cert-manager.io",
    older: "v1alpha2",
    newer: "v1alpha3",
    least: 1,
  },
  {
    file: "certificates",
    kind: "Certificate",
    group: "cert-manager.io",
    older: "v1alpha3",
    newer: "v1beta1",
    least: 1,
  },
  {
    file: "certificates",
    kind: "Certificate",
    group: "cert-manager.io",
    older: "v1beta1",
    newer: "v1",
    least: 1,
  },
  {
    file: "alertmanagerconfigs",
    kind: "AlertmanagerConfig",
    group: "monitoring.coreos.com",
    older: "v1alpha1",
    newer: "v1beta1",
    least: 0.99,
  },
] as const;

function claims(folder: string): void {
  let root: string;
  let drafts: Kinds;
  let written: Kinds;
  let removeModels: () => Promise<void>;

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), "antechamber-test-"));
    await writeFile(path.join(root, "package.json"), '{"type":"module"}');
    const out = path.join(root, "webhooks");
    const { code, stderr } = await antechamber(["import", folder, "--out", out]);
    expect(stderr).not.toContain("rejected");
    expect(code).toBe(0);
    drafts = await loadKinds([out]);
    const made = await publishedKinds(folder);
    removeModels = made.remove;
    written = await loadKinds([made.folder]);
  }, 180_000);
  afterAll(async () => {
    await removeModels?.();
    await rm(root, { recursive: true, force: true });
  });

  it.each(models)(
    "map $kind from $older to $newer as a lens by hand does",
    ({ kind, group, older, newer, least }) => {
      const [draft, model] = [drafts.find(group, kind), written.find(group, kind)];
      if (draft === undefined || model === undefined) throw new Error(`${kind} is missing`);
      const { fields, same, sameByItself, wrong, missed } = fidelityOf(draft, model, older, newer);
      const percent = (count: number) => `${((100 * count) / fields).toFixed(1)} %`;
      console.log(
        `${kind} ${older} to ${newer}: the draft maps ${percent(same)} of ${fields} fields as the lens by hand does, a lens without rows ${percent(sameByItself)}; wrong: ${listed(wrong)}; missed: ${listed(missed)}`,
      );
      expect(wrong).toEqual([]);
      expect(same / fields).toBeGreaterThanOrEqual(least);
      const shares = `| ${percent(same)} of ${fields.toLocaleString("en")} | ${shareOfGo(kind, older)} | ${percent(sameByItself)} |`;
      expect(page).toContainEqual(expect.stringContaining(shares));
    },
  );
}

/** The share of fields that the draft maps as the project's own Go does, as `upstream.ts` recorded it. */
function shareOfGo(kind: string, older: string): string {
  const found = byGo.find((each) => get(each, "kind") === kind && get(each, "older") === older);
  if (found === undefined) return "–";
  const [same, fields] = [Number(get(found, "draft")), Number(get(found, "fields"))];
  return `${((100 * same) / fields).toFixed(1)} % of ${fields.toLocaleString("en")}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > 12 ? ` and ${names.length - 12} more` : "";
  return names.length === 0 ? "none" : `${names.slice(0, 12).join(", ")}${more}`;
}
