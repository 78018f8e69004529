import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { localKubernetesOption, option, webhooksOption } from "../options.ts";
import { stopOnSignal } from "../signals.ts";

/** The command line of `antechamber dev`. */
export function devCommand(terminal: Terminal): Command {
  return new Command("dev")
    .description(
      "Start a real API server on this machine and serve the kinds to it, anew at each change of their files, until Ctrl-C.",
    )
    .addOption(webhooksOption())
    .addOption(
      option("--kubeconfig-out <file>", "file for the kubeconfig, removed at the end").default(
        "antechamber-dev.kubeconfig",
      ),
    )
    .addOption(
      option("--feature-gates <list>", "feature gates to enable or disable, as Name=true,Other=false"),
    )
    .addOption(localKubernetesOption())
    .addHelpText(
      "after",
      `
The programs of the API server are those in the folder that KUBEBUILDER_ASSETS names (kube-apiserver, etcd and kubectl, as
setup-envtest downloads them), otherwise those that npm run cluster:build built in a checkout of antechamber.
Example: antechamber dev --webhooks webhooks`,
    )
    .action(async (options) => {
      const { dev } = await import("./run.ts");
      const { print, note } = consoleOf(terminal);
      const running = await dev(options, { print, note, env: terminal.env, folder: terminal.cwd() });
      stopOnSignal(running, terminal);
    });
}
