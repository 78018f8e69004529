import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Child, startChild } from "../../src/cluster/local/child.ts";
import { cacheFolder, type Environment, isContinuousIntegration } from "./binaries.ts";

/** A conversion webhook of another project: its Go program here, and the module that its CRDs are in. */
export interface WebhookTarget {
  readonly name: string;
  readonly module: string;
  /** The folder of the CRDs in the module. */
  readonly folder: string;
  /** Their files. */
  readonly crds: readonly string[];
  /** The module that the CRDs are in, if it is released beside `module`. */
  readonly beside?: string;
  /** The name in that folder of a file that is called otherwise here, by its plural. */
  readonly fileOf?: (plural: string) => string;
}

/** The targets that the suites use, at the releases that their `go.mod` pins. */
export const webhookTargets = [
  {
    name: "kruise",
    module: "github.com/openkruise/kruise",
    folder: "config/crd/bases",
    crds: [
      "statefulsets",
      "broadcastjobs",
      "daemonsets",
      "advancedcronjobs",
      "imagepulljobs",
      "imagelistpulljobs",
      "nodeimages",
      "sidecarsets",
    ].map((plural) => `apps.kruise.io_${plural}.yaml`),
  },
  {
    name: "metallb",
    module: "go.universe.tf/metallb",
    folder: "config/crd/bases",
    crds: ["metallb.io_bgppeers.yaml", "metallb.io_addresspools.yaml"],
  },
  {
    name: "external-snapshotter",
    module: "github.com/kubernetes-csi/external-snapshotter/client/v8",
    folder: "config/crd",
    crds: ["groupsnapshot.storage.k8s.io_volumegroupsnapshotcontents.yaml"],
  },
  {
    name: "shipwright",
    module: "github.com/shipwright-io/build",
    folder: "deploy/crds",
    crds: ["builds", "buildstrategies"].map((plural) => `shipwright.io_${plural}.yaml`),
  },
] as const satisfies readonly WebhookTarget[];

const filesOf = (group: string, ...plurals: readonly string[]) =>
  plurals.map((plural) => `${group}_${plural}.yaml`);

/** Targets that `npm run targets` alone builds and checks, but for Cluster API, which a suite takes over. */
const furtherTargets = [
  {
    name: "cluster-api",
    module: "sigs.k8s.io/cluster-api",
    folder: "config/crd/bases",
    crds: [
      ...filesOf("addons.cluster.x-k8s.io", "clusterresourcesetbindings", "clusterresourcesets"),
      ...filesOf("cluster.x-k8s.io", "clusters", "machinedeployments", "machinedrainrules"),
      ...filesOf("cluster.x-k8s.io", "machinehealthchecks", "machinepools", "machines", "machinesets"),
      ...filesOf("ipam.cluster.x-k8s.io", "ipaddressclaims", "ipaddresses"),
    ],
  },
  {
    name: "cluster-api-provider-aws",
    module: "sigs.k8s.io/cluster-api-provider-aws/v2",
    folder: "config/crd/bases",
    crds: filesOf(
      "infrastructure.cluster.x-k8s.io",
      "awsclusters",
      "awsclustertemplates",
      "awsmachines",
      "awsmachinetemplates",
      "awsclusterroleidentities",
    ),
  },
  {
    name: "karpenter",
    module: "sigs.k8s.io/karpenter",
    folder: "pkg/apis/crds",
    crds: filesOf("karpenter.sh", "nodepools"),
  },
  {
    name: "kueue",
    module: "sigs.k8s.io/kueue",
    folder: "config/components/crd/bases",
    crds: filesOf(
      "kueue.x-k8s.io",
      "clusterqueues",
      "cohorts",
      "localqueues",
      "multikueueclusters",
      "workloads",
    ),
  },
  {
    name: "prometheus-operator",
    module: "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring",
    beside: "github.com/prometheus-operator/prometheus-operator",
    folder: "example/prometheus-operator-crd-full",
    crds: filesOf("monitoring.coreos.com", "alertmanagerconfigs"),
  },
  {
    name: "tekton",
    module: "github.com/tektoncd/pipeline",
    folder: "config/300-crds",
    crds: filesOf("tekton.dev", "pipelines", "pipelineruns", "stepactions", "tasks", "taskruns"),
    fileOf: (plural) => `300-${plural.slice(0, -1)}.yaml`,
  },
] as const satisfies readonly WebhookTarget[];

/** All targets. */
export const allTargets: readonly (WebhookTarget & { readonly name: TargetName })[] = [
  ...webhookTargets,
  ...furtherTargets,
];

/** The targets that CI builds. */
export const builtTargets = allTargets.filter(
  ({ name }) => name === "cluster-api" || webhookTargets.some((each) => each.name === name),
);

/** The name of a target. */
export type TargetName = (typeof webhookTargets | typeof furtherTargets)[number]["name"];

/** What is left out where the targets have not been built, and how to get them. */
export const targetsLeftOut =
  "checks of other projects' conversion webhooks are left out: run `npm run cluster:build` once (needs Go 1.26, takes minutes)";

const targetsFolder = join(import.meta.dirname, "webhook-targets");

/** The Go module of a target. */
export function targetSources(name: string): string {
  return join(targetsFolder, name);
}

/** The folder that a target is built into; its name depends on the package that the targets share, too. */
export function targetFolder(env: Environment, name: string): string {
  const shared = basename(cacheFolder(env, join(targetsFolder, "serving")));
  return `${cacheFolder(env, targetSources(name))}-${shared.slice(0, 8)}`;
}

/** The program of a target, in the folder that it is built into. */
export function targetProgram(folder: string): string {
  return join(folder, "webhook");
}

/** Whether a folder holds a target's program and all its CRDs. */
export function isTargetBuilt(folder: string, { crds }: WebhookTarget): boolean {
  return [targetProgram(folder), ...crds.map((file) => join(folder, file))].every((file) => existsSync(file));
}

/** Whether all targets of the suites have been built. */
export function areTargetsBuilt(env: Environment = process.env): boolean {
  return builtTargets.every((target) => isTargetBuilt(targetFolder(env, target.name), target));
}

/** The same for a test file; in CI they must have been built. */
export function haveTargets(env: Environment = process.env): boolean {
  if (areTargetsBuilt(env)) return true;
  if (isContinuousIntegration(env)) throw new Error(targetsLeftOut);
  return false;
}

/** A target that serves. */
export interface RunningTarget extends Child {
  readonly url: string;
  readonly caFile: string;
  /** The file of a CRD, by plural. */
  readonly crd: (plural: string) => string;
}

/** Starts a target. */
export async function startTarget(name: TargetName, env: Environment = process.env): Promise<RunningTarget> {
  const folder = targetFolder(env, name);
  const scratch = mkdtempSync(join(tmpdir(), "antechamber-target-"));
  const caFile = join(scratch, "ca.crt");
  const args = ["--port", String(await freePort()), "--ca-out", caFile];
  const child = await startChild({ command: targetProgram(folder), args }, 30_000);
  const { crds } = allTargets.find((each) => each.name === name) ?? { crds: [] };
  return {
    ...child,
    url: child.ready,
    caFile,
    crd: (plural) => {
      const file = crds.find((each) => each.endsWith(`_${plural}.yaml`));
      if (file === undefined) throw new Error(`${name} has no CRD of ${plural}`);
      return join(folder, file);
    },
    stop: async () => {
      await child.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** A port that is free now: one target cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** The release of the module that has a target's CRDs, as its `go.mod` pins it: `github.com/openkruise/kruise@v1.9.1`. */
export function targetModule({ name, module, beside = module }: WebhookTarget): string {
  const lines = readFileSync(join(targetSources(name), "go.mod"), "utf8").split("\n");
  const found = lines
    .map((line) => line.replace(/^require\s/, "").trim())
    .find((line) => line.startsWith(`${module} v`));
  if (found === undefined) throw new Error(`${targetSources(name)}/go.mod requires no release of ${module}`);
  return `${beside}@${found.split(" ")[1]}`;
}

/** The plural of the kind of a CRD's file. */
export function pluralOf(file: string): string {
  return file.replace(/^.*_(.*)\.yaml$/, "$1");
}
