import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { nameOption, option, webhooksOption } from "../options.ts";

/** The command line of `antechamber manifests`. */
export function manifestsCommand(terminal: Terminal): Command {
  return new Command("manifests")
    .description("Generate the CRDs and webhook configurations of the kinds.")
    .addOption(webhooksOption())
    .addOption(
      option(
        "--component <name=folder...>",
        "write kinds as components that can be installed apart: home=webhooks/home, or several folders separated by commas (needs --out or --chart)",
      ),
    )
    .addOption(option("--out <folder>", "folder to write to (default: standard output)"))
    .addOption(
      option(
        "--chart <folder>",
        "write the templates of a Helm chart that depend on the kinds to this folder",
      ),
    )
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
        "--xrd <file...>",
        "XRDs of Crossplane: print them with the schemas and the webhook of their kinds, in place of the CRDs that Crossplane makes of them",
      ),
    )
    .addOption(
      option(
        "--static <folder>",
        "write webhook configurations that an API server of v1.37 or newer reads from its disk (needs --url); only the CRDs are printed",
      ),
    )
    .addOption(
      option(
        "--kubeconfig <file>",
        "compare with this cluster first: exit with 1 if its CRDs would lose fields that may have values, or belong to another installation",
      ),
    )
    .addOption(nameOption())
    .addHelpText(
      "after",
      "\nExample: antechamber manifests --url https://127.0.0.1:9443 --ca antechamber-ca.crt | kubectl apply -f -\n         antechamber manifests --url https://127.0.0.1:9443 --ca ca.crt --static /etc/kubernetes/antechamber | kubectl apply -f -",
    )
    .action(async (options) => {
      const { manifests } = await import("./run.ts");
      await manifests(options, consoleOf(terminal));
    });
}
