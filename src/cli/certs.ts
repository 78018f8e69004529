import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { option, wholeNumber } from "./options.ts";

/** The command line of `antechamber certs`. */
export function certsCommand(terminal: Terminal): Command {
  return new Command("certs")
    .description("Make a CA and a certificate signed by it, for serve --cert-dir.")
    .addOption(option("--out <folder>", "folder for ca.crt, tls.crt and tls.key").makeOptionMandatory())
    .addOption(
      option("--host <name...>", "names and addresses that the certificate is good for").default([], "none"),
    )
    .addOption(option("--days <number>", "how long it is good").argParser(wholeNumber).default(365))
    .addOption(option("--force", "replace files that are there").default(false))
    .addHelpText(
      "after",
      "\nExample: antechamber certs --out tls --host antechamber.antechamber-system.svc --host localhost",
    )
    .action(async (options) => {
      const { certs } = await import("../commands/certs.ts");
      await certs(options, { ...consoleOf(terminal), now: () => new Date() });
    });
}
