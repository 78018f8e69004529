import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { admitCommand } from "./cli/admit.ts";
import { certsCommand } from "./cli/certs.ts";
import { explain } from "./cli/console.ts";
import { convertCommand } from "./cli/convert.ts";
import { injectCommand } from "./cli/inject.ts";
import { manifestsCommand } from "./cli/manifests.ts";
import { migrateCommand } from "./cli/migrate.ts";
import { serveCommand } from "./cli/serve.ts";
import { validateCommand } from "./cli/validate.ts";
import { verifyCommand } from "./cli/verify.ts";

/** Runs one command line; the process ends with 0, or with 1, 2 or 3 as the command's error says. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough, such as head, is no fault.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 3));
  try {
    await program().parseAsync(argv);
  } catch (error) {
    process.exitCode = explain(error);
  }
}

function program(): Command {
  const root = new Command("antechamber")
    .description(
      "Hosts Kubernetes conversion and admission webhooks: one folder per kind, nothing lost between versions.",
    )
    .version(packageJson.version)
    .exitOverride()
    .showHelpAfterError("(add --help for what there is)")
    .addHelpText(
      "after",
      "\nEach option can also be given as ANTECHAMBER_<OPTION>, as in ANTECHAMBER_PORT; the option wins.\nExit codes: 0 good; 1 refused; 2 wrong usage or unreadable input; 3 a fault of ours; 130 a verify that was interrupted.",
    );
  for (const command of [
    serveCommand(),
    convertCommand(),
    validateCommand(),
    admitCommand(),
    injectCommand(),
    verifyCommand(),
    manifestsCommand(),
    migrateCommand(),
    certsCommand(),
  ]) {
    root.addCommand(command.copyInheritedSettings(root));
  }
  return root;
}

// The package's starter calls `main` itself; this is for `node src/cli.ts`.
if (import.meta.main) await main(process.argv);
