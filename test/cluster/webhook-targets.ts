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
}

/** The targets, at the releases that their `go.mod` pins. */
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

/** The name of a target. */
export type TargetName = (typeof webhookTargets)[number]["name"];

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

/** Whether all targets have been built. */
export function areTargetsBuilt(env: Environment = process.env): boolean {
  return webhookTargets.every((target) => isTargetBuilt(targetFolder(env, target.name), target));
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
  const { crds } = webhookTargets.find((each) => each.name === name) ?? { crds: [] };
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

/** The release of a target's module, as its `go.mod` pins it: `github.com/openkruise/kruise@v1.9.1`. */
export function targetModule({ name, module }: WebhookTarget): string {
  const lines = readFileSync(join(targetSources(name), "go.mod"), "utf8").split("\n");
  const found = lines
    .map((line) => line.replace(/^require\s/, "").trim())
    .find((line) => line.startsWith(`${module} v`));
  if (found === undefined) throw new Error(`${targetSources(name)}/go.mod requires no release of ${module}`);
  return found.split(" ").slice(0, 2).join("@");
}
