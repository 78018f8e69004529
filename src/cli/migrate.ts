import { setTimeout as wait } from "node:timers/promises";
import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { option, pageSize, webhooksOption } from "./options.ts";
import { abortOnSignal } from "./signals.ts";

/** The command line of `antechamber migrate`. */
export function migrateCommand(terminal: Terminal): Command {
  return new Command("migrate")
    .description(
      "Have a cluster write its stored objects in the storage version of their CRDs, and trim status.storedVersions. May be interrupted and repeated.",
    )
    .argument("[crd...]", "names of CRDs, plurals or kinds (default: all kinds)")
    .addOption(
      option(
        "--kubeconfig <file>",
        "how to reach the cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own account)",
      ),
    )
    .addOption(webhooksOption())
    .addOption(
      option("--drop <version>", "forget who managed fields at a version that is to be taken out of the CRD"),
    )
    .addOption(option("--dry-run", "have every write checked and none stored").default(false))
    .addOption(
      option("--page-size <number>", "objects in one page of a list").argParser(pageSize).default(500),
    )
    .addHelpText(
      "after",
      "\nBegin some seconds after a CRD's storage version was changed: every API server must have heard of it.\nExample: antechamber migrate rooms lights --drop v1beta1",
    )
    .action(async (words: readonly string[], options) => {
      const { migrate } = await import("../commands/migrate.ts");
      const { print, note } = consoleOf(terminal);
      const interrupt = abortOnSignal(terminal);
      const pause = (milliseconds: number, signal: AbortSignal) =>
        wait(milliseconds, undefined, { signal }).catch(() => {});
      const progressEvery = terminal.stderr.isTTY ? 1_000 : 10_000;
      await migrate(words, options, { print, note, now: () => new Date(), pause, interrupt, progressEvery });
    });
}
