import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { projectWebhooks, resultsOption } from "../options.ts";

/** The command line of `antechamber test`. */
export function testCommand(terminal: Terminal): Command {
  return new Command("test")
    .description(
      "Test the cases in the folders of kinds: what an object is at another version, and which writes are denied, and why.",
    )
    .argument("[folder...]", "folders of kinds, or of one kind (default: ./webhooks)")
    .addOption(resultsOption())
    .addHelpText(
      "after",
      `
Cases are the documents of cases/*.yaml in the folder of a kind:

  convert:                                  # one object at two versions, tested in both directions
    v1alpha1: { spec: { closed: true } }
    v1: { spec: { position: 0 } }
  ---
  create:                                   # a write, and why it is denied
    v1: { spec: { position: 140 } }
  denied:
    - { field: spec.position, message: less than or equal to 100 }

Exits with 1 if a case fails, and with 2 if a file holds something else.
Example: antechamber test webhooks/home/blind -o junit`,
    )
    .action(async (folders: readonly string[], options) => {
      const { test } = await import("./run.ts");
      const { print, coloured } = consoleOf(terminal);
      await test(folders.length === 0 ? [projectWebhooks] : folders, options, { print, coloured });
    });
}
