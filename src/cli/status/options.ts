import { Command } from "commander";
import type { Terminal } from "../console.ts";
import {
  auditLogOption,
  kubeconfigOption,
  nameOption,
  option,
  pageSize,
  webhooksOption,
} from "../options.ts";
import { clusterIo } from "../signals.ts";
import type { StatusOptions } from "./run.ts";

/** The command line of `antechamber status`. */
export function statusCommand(terminal: Terminal): Command {
  return new Command("status")
    .description(
      "Print the state of an installation in a cluster: replicas, certificates, caBundles, and the versions of the kinds with the clients that use them. Writes nothing; exits with 1 if something is wrong.",
    )
    .argument("[crd...]", "names of CRDs, plurals or kinds whose versions are printed (default: all kinds)")
    .addOption(kubeconfigOption())
    .addOption(webhooksOption())
    .addOption(nameOption())
    .addOption(
      option("--service <namespace/name>", "Service in front of the webhooks").default(
        "antechamber-system/antechamber",
      ),
    )
    .addOption(auditLogOption("which name the clients of each version"))
    .addOption(option("-o, --output <format>", "output format").choices(["text", "json"]).default("text"))
    .addOption(
      option("--page-size <number>", "objects per page of a list; of each kind at most ten pages are read")
        .argParser(pageSize)
        .default(500),
    )
    .addHelpText("after", "\nExample: antechamber status rooms")
    .action((words: readonly string[], options) => printStatus(words, options, terminal));
}

/** Runs the command. */
export async function printStatus(
  words: readonly string[],
  options: StatusOptions,
  terminal: Terminal,
): Promise<void> {
  const { status } = await import("./run.ts");
  await status(words, options, clusterIo(terminal));
}
