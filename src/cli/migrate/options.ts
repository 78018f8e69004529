import { Command } from "commander";
import type { Terminal } from "../console.ts";
import { kubeconfigOption, nameOption, option, pageSize, webhooksOption } from "../options.ts";
import { clusterIo } from "../signals.ts";

/** The command line of `antechamber migrate`. */
export function migrateCommand(terminal: Terminal): Command {
  return new Command("migrate")
    .description(
      "Rewrite all stored objects of a cluster in the storage version of their CRDs, then trim status.storedVersions. Where nothing converts between versions, first counts what that deletes. Can be interrupted and repeated.",
    )
    .argument(
      "[crd...]",
      "names of any CRDs of the cluster, plurals or kinds (default: all kinds of the project)",
    )
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
      option(
        "--dry-run",
        "count what would be deleted, and send every write as a server-side dry run: nothing is stored",
      ).default(false),
    )
    .addOption(
      option("--allow-loss", "migrate although values are deleted that the storage version lacks").default(
        false,
      ),
    )
    .addOption(option("--page-size <number>", "objects per page of a list").argParser(pageSize).default(500))
    .addHelpText(
      "after",
      "\nAfter a change of a CRD's storage version, wait some seconds: every API server must have seen the change.\nExits with 1 if values would be deleted, or an object could not be written.\nExample: antechamber migrate rooms lights --drop v1beta1\n         antechamber migrate shelves.shop.example --dry-run",
    )
    .action(async (words: readonly string[], options) => {
      const { migrate } = await import("./run.ts");
      await migrate(words, options, clusterIo(terminal));
    });
}
