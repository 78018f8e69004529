import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { fileOption, option, outputOption, webhooksOption } from "./options.ts";

/** The command line of `antechamber convert`. */
export function convertCommand(terminal: Terminal): Command {
  return new Command("convert")
    .description("Convert the objects in files to another version, without a server.")
    .addOption(fileOption())
    .addOption(option("--to <version>", "target version, such as v1").makeOptionMandatory())
    .addOption(outputOption())
    .addOption(
      option(
        "--explain",
        "print to standard error which values are carried for other versions, and why",
      ).default(false),
    )
    .addOption(webhooksOption())
    .addHelpText(
      "after",
      "\nExample: antechamber convert -f rooms/ -f light.yaml --to v1\n         kubectl get rooms -o yaml | antechamber convert -f - --to v1beta1 -o json",
    )
    .action(async (options) => {
      const { convert } = await import("../commands/convert.ts");
      const io = consoleOf(terminal);
      io.write(await convert(options, io));
    });
}
