import { Command } from "commander";
import type { Terminal } from "../console.ts";
import { kubeconfigOption, nameOption, option, pageSize, webhooksOption } from "../options.ts";
import { clusterIo } from "../signals.ts";

/** The command line of `antechamber migrate`. */
export function migrateCommand(terminal: Terminal): Command {
  return new Command("migrate")
    .description(
      "Rewrite all stored objects of a cluster in the storage version of their CRDs, then trim status.storedVersions. Can be interrupted and repeated.",
    )
    .argument("[crd...]", "names of CRDs, plurals or kinds (default: all kinds)")
    .addOption(kubeconfigOption())
    .addOption(webhooksOption())
    .addOption(nameOption())
    .addOption(
      option(
        "--drop <version>",
        "remove the managedFields entries of a version that is to be removed from the CRD",
      ),
    )
    .addOption(
      option(
        "--through <version>",
        "write every object at a version that is served, so that the service converts it there and back",
      ),
    )
    .addOption(
      option("--dry-run", "send every write as a server-side dry run: nothing is stored").default(false),
    )
    .addOption(option("--page-size <number>", "objects per page of a list").argParser(pageSize).default(500))
    .addHelpText(
      "after",
      "\nAfter a change of a CRD's storage version, wait some seconds: every API server must have seen the change.\nExample: antechamber migrate rooms lights --drop v1beta1",
    )
    .action(async (words: readonly string[], options) => {
      const { migrate } = await import("./run.ts");
      await migrate(words, options, clusterIo(terminal));
    });
}
