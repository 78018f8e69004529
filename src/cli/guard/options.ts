import { Command, InvalidArgumentError } from "commander";
import type { Terminal } from "../console.ts";
import { option } from "../options.ts";
import { addressOptions, type ServiceGiven, serviceOptions, startService } from "../serve/options.ts";
import type { GuardCommandOptions } from "./run.ts";

/** The command line of `antechamber guard`. */
export function guardCommand(terminal: Terminal): Command {
  const options = [
    option("--upstream <url>", "the conversion webhook to guard, of any project").makeOptionMandatory(),
    option(
      "--crd <path...>",
      "files or folders with the CRDs that it converts; - for standard input",
    ).makeOptionMandatory(),
    option("--upstream-ca <file>", "PEM file of the CAs that signed the upstream's certificate"),
    option(
      "--upstream-server-name <name>",
      "the name in the upstream's certificate, if it is not the host of the URL",
    ),
    option("--upstream-client-cert <file>", "PEM file of a certificate to show to the upstream"),
    option("--upstream-client-key <file>", "PEM file of its key"),
    option("--insecure-skip-tls-verify", "accept any certificate of the upstream").default(false),
    option(
      "--hub <version>",
      "the version that all others are compared with (default: the newest of each CRD)",
    ),
    option(
      "--carried <name...>",
      "annotations in which the upstream carries data, besides those that are recognised",
    ).default([], "none"),
    option(
      "--refused <how>",
      "an object that the upstream does not convert is converted by the schemas, or its conversion fails",
    )
      .choices(["schema", "fail"])
      .default("schema"),
    option(
      "--same-fields",
      "show a field that both versions have in the same place even if the upstream forgets it, which takes up to twice the requests",
    ).default(false),
    option(
      "--shadow",
      "pass the upstream's answers on as they are; beside that, count by field what it loses, changes and refuses, and what this service would keep",
    ).default(false),
    option("--cache <size>", "memory for answers of the upstream, as 64Mi; 0 keeps none between reviews")
      .argParser(cacheSize)
      .default(64 * 1024 ** 2, "64Mi"),
    ...addressOptions(),
    option("--kubeconfig <file>", "cluster whose CRDs are followed (default: in a pod, its own cluster)"),
    ...serviceOptions(),
  ];
  const command = new Command("guard").description(
    "Serve in front of another conversion webhook, in any language, so that nothing is lost.",
  );
  for (const each of options) command.addOption(each);
  return command
    .addHelpText("after", help)
    .action(async (given: Omit<GuardCommandOptions, "webhooks"> & ServiceGiven) =>
      startService({ ...given, webhooks: [] }, terminal, async (options, io) => {
        const { guard } = await import("./run.ts");
        return guard(options, io);
      }),
    );
}

const help = `
The upstream converts, and this service keeps what it loses: fields, edits, large integers, objects that it refuses. Point the
conversion and the mutating webhook of the CRDs here instead of at the upstream.

Example: antechamber guard --upstream https://127.0.0.1:9443/convert --crd config/crd/bases --upstream-ca ca.crt`;

/** Bytes: 0, or a quantity in Ki, Mi or Gi. Throws InvalidArgumentError. */
function cacheSize(text: string): number {
  if (text === "0") return 0;
  const [, amount, unit] = /^(\d{1,6})(Ki|Mi|Gi)$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError("Write it as 64Mi or 1Gi, or 0 for none.");
  return Number(amount) * 1024 ** (["Ki", "Mi", "Gi"].indexOf(unit ?? "") + 1);
}
