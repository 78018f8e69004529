import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { integer, option } from "../options.ts";

/** The command line of `antechamber certs`. */
export function certsCommand(terminal: Terminal): Command {
  return new Command("certs")
    .description("Create a CA and a server certificate signed by it, for serve --cert-dir.")
    .addOption(option("--out <folder>", "folder for ca.crt, tls.crt and tls.key").makeOptionMandatory())
    .addOption(
      option("--host <name...>", "DNS names and IP addresses for the certificate").default([], "none"),
    )
    .addOption(option("--days <number>", "validity in days").argParser(integer).default(365))
    .addOption(option("--force", "replace existing files").default(false))
    .addHelpText(
      "after",
      "\nExample: antechamber certs --out tls --host antechamber.antechamber-system.svc --host localhost",
    )
    .action(async (options) => {
      const { certs } = await import("./run.ts");
      await certs(options, { ...consoleOf(terminal), now: () => new Date() });
    });
}
