import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { fileOption, option, webhooksOption } from "./options.ts";

/** The command line of `antechamber admit`. */
export function admitCommand(terminal: Terminal): Command {
  return new Command("admit")
    .description("Ask the admission webhooks about the objects or reviews in files, without a server.")
    .addOption(fileOption())
    .addOption(
      option(
        "--with <path...>",
        "files or folders of objects for the listers (default: the kinds' own examples)",
      ),
    )
    .addOption(
      option(
        "--old <path...>",
        "what was there before, found by name: each object is then an update (default: none)",
      ),
    )
    .addOption(
      option("--only <webhook>", "webhook to ask (default: both, one after the other)").choices([
        "mutate",
        "validate",
      ]),
    )
    .addOption(
      option(
        "--crd <path...>",
        "files or folders of CRDs, whose schemas answer for kinds that have no folder (default: none)",
      ),
    )
    .addOption(webhooksOption())
    .addOption(
      option("--feature-gates <list>", "gates of the kinds to open or close, as Name=true,Other=false"),
    )
    .addOption(
      option(
        "-o, --output <format>",
        "text, the difference alone, the JSON patch, the objects as they would go on, or all of it as JSON",
      )
        .choices(["text", "diff", "patch", "yaml", "json"])
        .default("text"),
    )
    .addHelpText(
      "after",
      "\nExits with 1 where an object is refused.\nExample: antechamber admit -f room.yaml --with rooms/\n         antechamber admit -f review.json -o patch",
    )
    .action(async (options) => {
      const { admit } = await import("../commands/admit.ts");
      const { readStdin, write, coloured } = consoleOf(terminal);
      const io = { readStdin, print: write, now: () => new Date(), random: Math.random, coloured };
      await admit(options, io);
    });
}
