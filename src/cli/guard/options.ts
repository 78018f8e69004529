import { Argument, Command, InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.ts";
import type { Terminal } from "../console.ts";
import { option } from "../options.ts";
import {
  addressOptions,
  kindOptions,
  type ServiceGiven,
  serviceOptions,
  startService,
} from "../serve/options.ts";
import { clusterIo } from "../signals.ts";
import { upstreamOptions } from "../upstream-options.ts";
import { guardName } from "./name.ts";
import type { GuardCommandOptions } from "./run.ts";
import type { TakeoverOptions } from "./takeover.ts";

/** The command line of `antechamber guard`. */
export function guardCommand(terminal: Terminal): Command {
  const options = [
    ...upstreamOptions({
      upstream:
        "the conversion webhook to guard, of any project (default: the one that a CRD of the cluster names)",
      crd: "files or folders with the CRDs that it converts, - for standard input; without it, CRDs that are named are followed in a cluster",
    }),
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
    option(
      "--defend",
      "take spec.conversion of a followed CRD over again when another manager puts it back",
    ).default(false),
    option(
      "--hub-rules <how>",
      "with the webhook that install registers for it, writes at other versions that the hub's schema forbids are denied, or warned of",
    ).choices(["warn", "deny"]),
    option("--url <origin>", "for install: where the guard is called, if not at a Service"),
    option("--ca <file>", "for install: PEM file of the CA of the guard's certificate"),
    option(
      "--in-front",
      "answer at the address of the upstream, and pass on all requests that are no reviews for guard; plan and install then leave spec.conversion as it is",
    ).default(false),
    option(
      "--metrics <url...>",
      "for status: where guards in the shadow serve their metrics, such as http://localhost:8080/metrics",
    ).default([], "none"),
    option("--cache <size>", "memory for answers of the upstream, as 64Mi; 0 keeps none between reviews")
      .argParser(cacheSize)
      .default(64 * 1024 ** 2, "64Mi"),
    option(
      "--webhooks <folder...>",
      "folders of kinds of your own, which the same service serves beside the guarded ones",
    ).default([], "none"),
    ...kindOptions(),
    ...addressOptions(),
    option(
      "--kubeconfig <file>",
      "cluster whose CRDs are followed, and which the listers watch (default: in a pod, its own cluster)",
    ),
    ...serviceOptions(),
  ];
  const command = new Command("guard")
    .description(
      "Serve in front of another conversion webhook, in any language, so that nothing is lost; or install that in a cluster.",
    )
    .addArgument(
      new Argument(
        "[action]",
        "serve; or plan, install and uninstall what makes API servers call the guard, and print its status",
      )
        .choices(["serve", "plan", "install", "status", "uninstall"])
        .default("serve"),
    )
    .argument("[crd...]", "CRDs of the cluster by name, plural or kind");
  for (const each of options) command.addOption(each);
  return command
    .addHelpText("after", help)
    .action(
      async (
        action: "serve" | "plan" | "install" | "status" | "uninstall",
        words: readonly string[],
        given: GuardCommandOptions & TakeoverOptions & ServiceGiven,
      ) => {
        if (action !== "serve") {
          const { takeover } = await import("./takeover.ts");
          return takeover(action, words, given, clusterIo(terminal));
        }
        // A rotation writes the CA to the configurations of one name.
        if (given.name === undefined && given.webhooks.length > 0 && given.certs === "managed")
          throw new UsageError(
            "--certs managed with --webhooks needs --name <name>: that of the webhook configurations of these kinds, which guard install must get too",
          );
        const name = given.name ?? guardName;
        await startService({ ...given, name }, terminal, async (options, io) => {
          const { guard } = await import("./run.ts");
          return guard(words, options, io);
        });
      },
    );
}

const help = `
The upstream converts, and this service keeps what it loses: fields, edits, large integers, objects that it refuses. Point the
conversion and the mutating webhook of the CRDs here instead of at the upstream: install does both, uninstall puts all back.

Examples:
  antechamber guard --upstream https://127.0.0.1:9443/convert --crd config/crd/bases --upstream-ca ca.crt
  antechamber guard serve statefulsets.apps.kruise.io --shadow --certs managed
  antechamber guard install statefulsets.apps.kruise.io

Example: antechamber guard plan statefulsets.apps.kruise.io`;

/** Bytes: 0, or a quantity in Ki, Mi or Gi. Throws InvalidArgumentError. */
function cacheSize(text: string): number {
  if (text === "0") return 0;
  const [, amount, unit] = /^(\d{1,6})(Ki|Mi|Gi)$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError("Write it as 64Mi or 1Gi, or 0 for none.");
  return Number(amount) * 1024 ** (["Ki", "Mi", "Gi"].indexOf(unit ?? "") + 1);
}
