import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { fileOption, option, webhooksOption } from "./options.ts";

/** The command line of `antechamber validate`. */
export function validateCommand(terminal: Terminal): Command {
  return new Command("validate")
    .description(
      "Say what an API server with these kinds would say of the objects in files, without a server: defaults, the schema and its rules, the webhooks.",
    )
    .addOption(fileOption())
    .addOption(
      option("--crd <path...>", "files or folders of CRDs, for kinds that have no folder (default: none)"),
    )
    .addOption(
      option(
        "--old <path...>",
        "what was there before, found by name: each object is then an update (default: none)",
      ),
    )
    .addOption(
      option("--subresource <name>", "endpoint that is written to (default: the object's own)").choices([
        "status",
      ]),
    )
    .addOption(option("--with <path...>", "files or folders of objects for the listers (default: none)"))
    .addOption(option("--namespace <name>", "namespace of objects that name none").default("default"))
    .addOption(webhooksOption())
    .addOption(
      option("--feature-gates <list>", "gates of the kinds to open or close, as Name=true,Other=false"),
    )
    .addOption(
      option("--field-validation <level>", "what becomes of unknown fields, as kubectl has it")
        .choices(["strict", "warn", "ignore"])
        .default("strict"),
    )
    .addOption(
      option(
        "-o, --output <format>",
        "what kubectl apply would print, or for each document whether it is allowed, the status, the object to be stored",
      )
        .choices(["text", "json", "yaml"])
        .default("text"),
    )
    .addHelpText(
      "after",
      "\nExits with 1 where an object is refused.\nExample: antechamber validate -f rooms/\n         antechamber validate --crd crds/ -f new.yaml --old old.yaml -o json",
    )
    .action(async (options, command: Command) => {
      const { validate } = await import("../commands/validate.ts");
      const io = consoleOf(terminal);
      const hasWebhooks = command.getOptionValueSource("webhooks") !== "default";
      await validate(
        { ...options, hasWebhooks },
        { ...io, print: io.write, now: () => new Date(), random: Math.random },
      );
    });
}
