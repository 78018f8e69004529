import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { option, port, webhooksOption } from "../options.ts";
import { stopOnSignal } from "../signals.ts";

/** The command line of `antechamber play`. */
export function playCommand(terminal: Terminal): Command {
  return new Command("play")
    .description(
      "Show the versions of each kind side by side in a browser: type in one and the others follow, live on save, until Ctrl-C.",
    )
    .addOption(webhooksOption())
    .addOption(option("--port <number>", "port on this machine, 0 for any").argParser(port).default(4180))
    .addOption(option("--page <file>", "write the page with these kinds into a file, instead of serving it"))
    .addHelpText(
      "after",
      `
The page shows what travels unseen between versions, and why. Below the panes, clients create, read, replace, patch and apply
the object on an API server in the page, and the laws of conversion are tried. Links hold all that you see.
Behind your kinds stand examples, which the documentation links to.
Nothing leaves this machine: the page asks this command alone, and only programs of this machine reach it.

Example: antechamber play --webhooks webhooks
         antechamber play --page play.html     (one file, for a colleague or a site)`,
    )
    .action(async (options) => {
      const { play, writePage } = await import("./run.ts");
      const { print, note } = consoleOf(terminal);
      const io = { print, note, folder: terminal.cwd() };
      if (options.page !== undefined) return writePage(options, io);
      stopOnSignal(await play(options, io), terminal);
    });
}
