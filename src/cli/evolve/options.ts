import { Argument, Command, InvalidArgumentError } from "commander";
import type { Assumption } from "../../cluster/lifecycle/next.ts";
import type { Terminal } from "../console.ts";
import {
  auditLogOption,
  duration,
  kubeconfigOption,
  nameOption,
  option,
  pageSize,
  webhooksOption,
} from "../options.ts";
import { clusterIo } from "../signals.ts";
import { printStatus } from "../status/options.ts";

/** The command line of `antechamber evolve`. */
export function evolveCommand(terminal: Terminal): Command {
  return common(
    ["run", "plan", "status"],
    new Command("evolve")
      .description(
        "Take a version of a kind through its life in a cluster, in steps that are each safe: add it to the CRD, store objects in it, retire it. Can be interrupted and repeated; stops with the reason where a step would be unsafe.",
      )
      .addOption(
        option(
          "--serve <version>",
          "add this version to the CRD, or serve it again (default: all of the kind)",
        ),
      )
      .addOption(option("--storage <version>", "store all objects in this version"))
      .addOption(option("--retire <version>", "remove this version from the CRD")),
  )
    .addHelpText(
      "after",
      "\nplan prints the facts and the steps; status prints what antechamber status prints of this kind. Both write nothing.\nAny CRD of the cluster can be named, also one of another project; then give --serve, --storage or --retire.\nExample: antechamber evolve rooms plan --retire v1beta1",
    )
    .action(async (word: string, action: "run" | "plan" | "status", options) => {
      if (action === "status") return printStatus([word], { ...options, output: "text" }, terminal);
      const { evolve } = await import("./run.ts");
      await evolve(word, action, options, clusterIo(terminal));
    });
}

/** The command line of `antechamber uninstall`. */
export function uninstallCommand(terminal: Terminal): Command {
  return common(
    ["run", "plan"],
    new Command("uninstall").description(
      "Remove all webhooks of a kind from a cluster, so that it no longer depends on the service: retires all versions but the storage version, then removes the admission webhooks and the conversion. Objects stay. Also the way out of a CRD of any project whose conversion webhook is gone.",
    ),
  )
    .addHelpText(
      "after",
      "\nplan prints the facts and the steps, and writes nothing; --dry-run also sends the first step as a dry run.\nExample: antechamber uninstall rooms plan",
    )
    .action(async (word: string, action: "run" | "plan", options) => {
      const { uninstall } = await import("./run.ts");
      await uninstall(word, action, options, clusterIo(terminal));
    });
}

function common(choices: readonly string[], command: Command): Command {
  const actions = new Argument("[action]", `what to do: ${choices.join(", ")}`)
    .argParser(actionOf(command.name(), choices))
    .default("run");
  return command
    .argument("<crd>", "name of a CRD, plural or kind")
    .addArgument(actions)
    .addOption(kubeconfigOption())
    .addOption(webhooksOption())
    .addOption(nameOption())
    .addOption(
      option(
        "--service <namespace/name>",
        "Service in front of the webhooks, after which the reports of the replicas are named",
      ).default("antechamber-system/antechamber"),
    )
    .addOption(
      option(
        "--unused-for <duration>",
        "how long no client may have used a version before it is no longer served",
      )
        .argParser(duration)
        .default(7 * 86_400_000, "7d"),
    )
    .addOption(
      option(
        "--settle <duration>",
        "time after which every API server acts by a changed CRD, and for which requests are counted at least before a version is no longer served",
      )
        .argParser(duration)
        .default(10_000, "10s"),
    )
    .addOption(
      option(
        "--assume <fact...>",
        "what you have checked by other means: rolled-out (every replica serves all versions), unused (no client uses the version), webhook-gone (the conversion webhook answers no call)",
      )
        .argParser(assumption)
        .default([]),
    )
    .addOption(
      option(
        "--allow-loss",
        "where nothing converts objects, go on although a version lacks fields that others have",
      ).default(false),
    )
    .addOption(
      option("--dry-run", "print the plan, and send its first step to the API server as a dry run").default(
        false,
      ),
    )
    .addOption(
      auditLogOption(
        "which name the clients of a version; one that used it within --unused-for keeps it served",
      ),
    )
    .addOption(option("--page-size <number>", "objects per page of a list").argParser(pageSize).default(500));
}

/** The action comes after the CRD, which is easily mistaken. */
function actionOf(command: string, choices: readonly string[]): (text: string) => string {
  return (text) => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(
      `After the CRD comes ${choices.join(" or ")}, as in: antechamber ${command} rooms plan.`,
    );
  };
}

function assumption(text: string, before: readonly Assumption[] = []): readonly Assumption[] {
  if (text === "rolled-out" || text === "unused" || text === "webhook-gone") return [...before, text];
  throw new InvalidArgumentError("It must be rolled-out, unused or webhook-gone.");
}
