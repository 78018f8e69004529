import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { option, webhooksOption } from "./options.ts";

/** The command line of `antechamber manifests`. */
export function manifestsCommand(terminal: Terminal): Command {
  return new Command("manifests")
    .description("Generate the CRDs and webhook configurations of the kinds.")
    .addOption(webhooksOption())
    .addOption(option("--out <folder>", "folder to write to (default: standard output)"))
    .addOption(
      option("--types", "also write the TypeScript types of each kind next to its kind.ts").default(false),
    )
    .addOption(option("--check", "write nothing; exit with 1 if a file is out of date").default(false))
    .addOption(
      option("--service <namespace/name>", "Service in front of the webhooks").default(
        "antechamber-system/antechamber",
      ),
    )
    .addOption(option("--url <url>", "reach the webhooks at https://host:port instead of through a Service"))
    .addOption(
      option("--ca <file>", "PEM file of the CA that the API server is to trust, written as caBundle"),
    )
    .addOption(
      option(
        "--kubeconfig <file>",
        "compare with the CRDs of this cluster first: exit with 1 if the new ones would lose fields that may have values",
      ),
    )
    .addOption(option("--name <name>", "name of the webhook configurations").default("antechamber"))
    .addHelpText(
      "after",
      "\nExample: antechamber manifests --url https://127.0.0.1:9443 --ca antechamber-ca.crt | kubectl apply -f -",
    )
    .action(async (options) => {
      const { manifests } = await import("../commands/manifests.ts");
      await manifests(options, consoleOf(terminal));
    });
}
