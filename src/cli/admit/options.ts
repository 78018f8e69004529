import { Command } from "commander";
import { reviewIoOf, type Terminal } from "../console.ts";
import { fileOption, option, skipUnknownOption, webhooksOption } from "../options.ts";

/** The command line of `antechamber admit`. */
export function admitCommand(terminal: Terminal): Command {
  return new Command("admit")
    .description("Run the admission webhooks on the objects or reviews in files, without a server.")
    .addOption(fileOption())
    .addOption(skipUnknownOption())
    .addOption(
      option(
        "--with <path...>",
        "files or folders of objects for the listers (default: the kinds' own examples)",
      ),
    )
    .addOption(
      option(
        "--old <path...>",
        "files or folders with the previous objects, matched by name: each write is then an update (default: none)",
      ),
    )
    .addOption(
      option("--only <webhook>", "webhook to run (default: both, mutate first)").choices([
        "mutate",
        "validate",
      ]),
    )
    .addOption(
      option(
        "--crd <path...>",
        "files or folders of CRDs: objects of these kinds are validated by the schema alone (default: none)",
      ),
    )
    .addOption(webhooksOption())
    .addOption(
      option("--feature-gates <list>", "feature gates to enable or disable, as Name=true,Other=false"),
    )
    .addOption(
      option(
        "-o, --output <format>",
        "a report, the difference, the JSON Patch, the resulting objects as YAML, or everything as JSON",
      )
        .choices(["text", "diff", "patch", "yaml", "json"])
        .default("text"),
    )
    .addHelpText(
      "after",
      "\nExits with 1 if an object is rejected.\nExample: antechamber admit -f room.yaml --with rooms/\n         antechamber admit -f review.json -o patch",
    )
    .action(async (options) => {
      const { admit } = await import("./run.ts");
      await admit(options, reviewIoOf(terminal));
    });
}
