import { InvalidArgumentError, Option } from "commander";
import {
  type KubernetesVersion,
  kubernetesVersionOf,
  kubernetesVersions,
  newestKubernetes,
} from "../schema/model/kubernetes-version.ts";
import { reportFormats } from "./reports/format.ts";

/** The folder of kinds of a project, in the current folder. */
export const projectWebhooks = "webhooks";

/** An option that an environment variable can also set: --ops-port is ANTECHAMBER_OPS_PORT. */
export function option(flags: string, description: string): Option {
  const created = new Option(flags, description);
  const name = `ANTECHAMBER_${created.name().toUpperCase().replaceAll("-", "_")}`;
  return isOptionValue(created, process.env[name] ?? "") ? created.env(name) : created;
}

/** The folders of kinds. */
export function webhooksOption(): Option {
  return option("--webhooks <folder...>", "folders of kinds, or of one kind").default(
    [projectWebhooks],
    "./webhooks",
  );
}

/** The kubeconfig of a command that needs a cluster. */
export function kubeconfigOption(): Option {
  return option(
    "--kubeconfig <file>",
    "kubeconfig of the cluster (default: KUBECONFIG, ~/.kube/config, or the service account of the pod)",
  );
}

/** The name of an installation. */
export function nameOption(): Option {
  return option(
    "--name <name>",
    "name of this installation, which its webhook configurations and the label antechamber.dev/installation have (default: that of the project in the package.json next to the kinds)",
  );
}

/** The audit logs of a cluster; what they are for completes the sentence. */
export function auditLogOption(purpose: string): Option {
  return option(
    "--audit-log <file...>",
    `audit logs of the API servers (JSON lines, also .gz), ${purpose}`,
  ).default([], "none");
}

/** The input files. */
export function fileOption(): Option {
  return option(
    "-f, --file <path...>",
    "file, folder, pipe, or - for standard input; YAML or JSON, one or more documents",
  ).makeOptionMandatory();
}

/** Whether documents of other kinds are skipped. */
export function skipUnknownOption(): Option {
  return option(
    "--skip-unknown",
    "skip documents of unknown kinds, and name them on standard error, instead of rejecting the input",
  ).default(false);
}

/** The output format of objects. */
export function outputOption(): Option {
  return option("-o, --output <format>", "output format").choices(["yaml", "json"]).default("yaml");
}

/** The output format of results. */
export function resultsOption(): Option {
  return option("-o, --output <format>", "output format")
    .choices(["text", "json", ...reportFormats])
    .default("text");
}

/** The release of Kubernetes whose API server answers. */
export function kubernetesVersionOption(): Option {
  const known = kubernetesVersions.join(" or ");
  return option(
    "--kubernetes-version <release>",
    `release of Kubernetes whose API server would answer: ${known}; with --live that of the cluster, unless given`,
  )
    .argParser(kubernetesVersion)
    .default(newestKubernetes);
}

/** A release of Kubernetes for the API server of `dev`. */
export function localKubernetesOption(): Option {
  return option(
    "--kubernetes-version <release>",
    `release of Kubernetes of the API server: ${kubernetesVersions.join(" or ")} (default: that of the programs found)`,
  ).argParser(kubernetesVersion);
}

/** A release of Kubernetes that the engine follows. Throws InvalidArgumentError. */
function kubernetesVersion(text: string): KubernetesVersion {
  const version = kubernetesVersionOf(text);
  if (version !== undefined) return version;
  throw new InvalidArgumentError(
    `Known releases are ${kubernetesVersions.join(" and ")}; choose the one nearest to that of your cluster.`,
  );
}

/** A port, 0 for any. Throws InvalidArgumentError. */
export function port(text: string): number {
  const value = integer(text);
  if (value > 65_535) throw new InvalidArgumentError("It must be at most 65535.");
  return value;
}

/** A non-negative integer. Throws InvalidArgumentError. */
export function integer(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a non-negative integer.");
  return Number(text);
}

/** The number of cases for each claim. Throws InvalidArgumentError. */
export function countOfRuns(text: string): number {
  const value = integer(text);
  if (value < 1 || value > 1_000_000) throw new InvalidArgumentError("It must be from 1 to 1000000.");
  return value;
}

/** Collects the values of a repeatable option; one value may also be a list separated by commas. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",")];
}

/** The number of objects per page. Throws InvalidArgumentError. */
export function pageSize(text: string): number {
  const value = integer(text);
  if (value < 1 || value > 10_000) throw new InvalidArgumentError("It must be from 1 to 10000.");
  return value;
}

/** A duration in milliseconds. Throws InvalidArgumentError. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError("Write it as 15s, 500ms, 2m, 12h or 30d.");
  return Number(amount) * (units[unit ?? ""] ?? Number.NaN);
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads an amount of memory in bytes, as a quantity in Mi or Gi, of at least so many MiB. Throws InvalidArgumentError. */
export function memory(least: number): (text: string) => number {
  return (text) => {
    const [, amount, unit] = /^(\d{1,6})(Mi|Gi)$/.exec(text === "0" ? "0Mi" : text) ?? [];
    const mebibytes = Number(amount) * (unit === "Gi" ? 1024 : 1);
    if (!(mebibytes >= least && mebibytes <= 65_536))
      throw new InvalidArgumentError(`Write it as 384Mi or 1Gi, from ${least}Mi to 64Gi.`);
    return mebibytes * 1024 ** 2;
  };
}

/**
 * Whether an environment variable sets an option. For a Service named antechamber, Kubernetes sets
 * ANTECHAMBER_PORT=tcp://… in the pods of its namespace; a switch that is set to false counts as not given.
 */
function isOptionValue(created: Option, value: string): boolean {
  if (/^(tcp|udp|sctp):\/\//.test(value)) return false;
  return !created.isBoolean() || !/^(false|no|off|0)$/i.test(value);
}
