import { Command } from "commander";
import { reviewIoOf, type Terminal } from "../console.ts";
import { option, resultsOption, webhooksOption } from "../options.ts";

/** The command line of `antechamber replay`. */
export function replayCommand(terminal: Terminal): Command {
  return new Command("replay")
    .description(
      "Answer recorded reviews with this release and these kinds, and compare with the recorded answers: the regression test of an upgrade.",
    )
    .argument("<folder...>", "folders that serve --record wrote")
    .addOption(webhooksOption())
    .addOption(
      option(
        "--with <path...>",
        "files or folders of objects for the listers (default: the kinds' own examples)",
      ),
    )
    .addOption(
      option("--feature-gates <list>", "feature gates to enable or disable, as Name=true,Other=false"),
    )
    .addOption(resultsOption())
    .addHelpText(
      "after",
      `
Answers are compared as JSON, patches by what they make of the object; a patch with the same effect in other words is listed
and is not a difference. Times that come from the clock are ignored.
Exits with 1 if an answer differs.

Example: antechamber replay recordings

The folder holds what antechamber serve --record recordings wrote with the release in use; replay it with the next one.`,
    )
    .action(async (folders: readonly string[], options) => {
      const { replay } = await import("./run.ts");
      await replay(folders, options, reviewIoOf(terminal));
    });
}
