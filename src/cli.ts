import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { admitCommand } from "./cli/admit.ts";
import { certsCommand } from "./cli/certs.ts";
import { consoleOf, explain, type Terminal } from "./cli/console.ts";
import { convertCommand } from "./cli/convert.ts";
import { injectCommand } from "./cli/inject.ts";
import { manifestsCommand } from "./cli/manifests.ts";
import { migrateCommand } from "./cli/migrate.ts";
import { serveCommand } from "./cli/serve.ts";
import { validateCommand } from "./cli/validate.ts";
import { verifyCommand } from "./cli/verify.ts";

/** Runs one command line in a process, which then ends with 0, or with 1, 2 or 3 as the command's error says. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough, such as head, is no fault.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 3));
  process.exitCode = await run(argv.slice(2), process);
}

/** Runs one command line wherever it is; gives what a process would end with. A service goes on after that. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return explain(error, consoleOf(terminal));
  }
}

function program(terminal: Terminal): Command {
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
    .showHelpAfterError("(add --help for what there is)")
    .addHelpText(
      "after",
      "\nEach option can also be given as ANTECHAMBER_<OPTION>, as in ANTECHAMBER_PORT; the option wins.\nExit codes: 0 good; 1 refused; 2 wrong usage or unreadable input; 3 a fault of ours; 130 a verify that was interrupted.",
    );
  for (const command of [
    serveCommand(terminal),
    convertCommand(terminal),
    validateCommand(terminal),
    admitCommand(terminal),
    injectCommand(terminal),
    verifyCommand(terminal),
    manifestsCommand(terminal),
    migrateCommand(terminal),
    certsCommand(terminal),
  ]) {
    root.addCommand(command.copyInheritedSettings(root));
  }
  return root;
}

// The package's starter calls `main` itself; this is for `node src/cli.ts`.
if (import.meta.main) await main(process.argv);
