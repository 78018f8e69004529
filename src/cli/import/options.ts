import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { option } from "../options.ts";

/** The command line of `antechamber import`. */
export function importCommand(terminal: Terminal): Command {
  return new Command("import")
    .description(
      "Make folders of kinds from CRDs: schemas with their comments, examples, and a draft of each lens with its reasons.",
    )
    .argument("<file...>", "CRDs in files, folders, or - for standard input; other objects are skipped")
    .addOption(
      option("--out <folder>", "folder for the kinds, each in <folder>/<group>/<kind>").default("webhooks"),
    )
    .addOption(
      option(
        "--order <versions>",
        "versions of the CRD, oldest first, separated by commas; the last is stored (default: as Kubernetes orders them)",
      ).argParser((text) => text.split(",")),
    )
    .addOption(option("--dry-run", "write nothing, print the report alone").default(false))
    .addOption(option("--force", "replace existing files").default(false))
    .addHelpText(
      "after",
      `
A field with the same path and type in both versions needs no row. A field that was moved or renamed gets a row with the
reason; a weak guess, and whatever has no counterpart, is a comment in the lens.

Example: antechamber import crds/clusters.yaml
         kubectl get crd clusters.cluster.x-k8s.io -o yaml | antechamber import - --dry-run`,
    )
    .action(async (files: readonly string[], options) => {
      const { importCrds } = await import("./run.ts");
      const { rewriteLine, ...io } = consoleOf(terminal);
      await importCrds(files, options, { ...io, ...(terminal.stderr.isTTY ? { rewrite: rewriteLine } : {}) });
    });
}
