import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { admitCommand } from "./cli/admit/options.ts";
import { certsCommand } from "./cli/certs/options.ts";
import { compatCommand } from "./cli/compat/options.ts";
import { completionCommand } from "./cli/completion/options.ts";
import { consoleOf, reportError, type Terminal } from "./cli/console.ts";
import { convertCommand } from "./cli/convert/options.ts";
import { devCommand } from "./cli/dev/options.ts";
import { evolveCommand, uninstallCommand } from "./cli/evolve/options.ts";
import { guardCommand } from "./cli/guard/options.ts";
import { importCommand } from "./cli/import/options.ts";
import { initCommand } from "./cli/init/options.ts";
import { injectCommand } from "./cli/inject/options.ts";
import { manifestsCommand } from "./cli/manifests/options.ts";
import { migrateCommand } from "./cli/migrate/options.ts";
import { playCommand } from "./cli/play/options.ts";
import { replayCommand } from "./cli/replay/options.ts";
import { serveCommand } from "./cli/serve/options.ts";
import { statusCommand } from "./cli/status/options.ts";
import { testCommand } from "./cli/test/options.ts";
import { validateCommand } from "./cli/validate/options.ts";
import { verifyCommand } from "./cli/verify/options.ts";

/** Runs one command line and sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  // A closed pipe, as after `| head`, is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 3));
  process.exitCode = await run(argv.slice(2), process);
}

/** Runs one command line and returns the exit code. A service keeps running after that. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return reportError(error, consoleOf(terminal));
  }
}

/** The command line with all its commands. */
export function program(terminal: Terminal): Command {
  const root = new Command("antechamber")
    .description(
      "Hosts Kubernetes conversion and admission webhooks: one folder per kind, nothing lost between versions.",
    )
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .showHelpAfterError("(add --help for the commands and options)")
    .addHelpText(
      "after",
      "\nEvery option can also be set by an environment variable: --port is ANTECHAMBER_PORT. The option takes precedence.\nExit codes: 0 success; 1 rejected; 2 wrong usage or unreadable input; 3 internal error; 4 not all was tried; 130 or 143 interrupted.\nExample: antechamber convert -f room.yaml --to v1beta1",
    );
  for (const command of [
    initCommand(terminal),
    importCommand(terminal),
    serveCommand(terminal),
    guardCommand(terminal),
    devCommand(terminal),
    playCommand(terminal),
    convertCommand(terminal),
    validateCommand(terminal),
    admitCommand(terminal),
    injectCommand(terminal),
    verifyCommand(terminal),
    compatCommand(terminal),
    replayCommand(terminal),
    testCommand(terminal),
    manifestsCommand(terminal),
    migrateCommand(terminal),
    evolveCommand(terminal),
    uninstallCommand(terminal),
    statusCommand(terminal),
    certsCommand(terminal),
    completionCommand((text) => void terminal.stdout.write(text)),
  ]) {
    root.addCommand(command.copyInheritedSettings(root));
  }
  return root;
}

// bin/antechamber.js calls `main` itself; this is for `node src/cli.ts`.
if (import.meta.main) await main(process.argv);
