import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { countOfRuns, integer, option, resultsOption } from "../options.ts";
import { interruptOnSignal } from "../signals.ts";

/** The command line of `antechamber compat`. */
export function compatCommand(terminal: Terminal): Command {
  return new Command("compat")
    .description(
      "Compare two revisions of CRDs by objects: what the old one accepts and the new one refuses, drops or defaults otherwise, each with the smallest object that shows it.",
    )
    .argument(
      "<old>",
      "the old side: a file or folder of CRDs, a folder of kinds, - for standard input, or REVISION:PATH of Git; the new side if --kubeconfig is given",
    )
    .argument("[new]", "the new side, in the same forms")
    .addOption(
      option(
        "--kubeconfig <file>",
        "kubeconfig of a cluster, whose CRDs are then the old side (default: none)",
      ),
    )
    .addOption(
      option(
        "--objects",
        "with --kubeconfig: also read every stored object, and count by field what its first write deletes once the CRDs are replaced",
      ).default(false),
    )
    .addOption(
      option(
        "--converted",
        "CRDs without spec.conversion get a conversion webhook later, as by a patch of kustomize (default: they have none, and nothing converts)",
      ).default(false),
    )
    .addOption(
      option("-f, --file <path...>", "files or folders of objects that are judged, too").default([], "none"),
    )
    .addOption(
      option("--runs <number>", "objects that are drawn by chance for each version")
        .argParser(countOfRuns)
        .default(100),
    )
    .addOption(option("--seed <number>", "seed of the drawn objects").argParser(integer).default(1))
    .addOption(resultsOption())
    .addHelpText(
      "after",
      `
Each finding is an object that was judged by both schemas, as an API server would:
  breaking  it is refused, loses a value, or can no longer be updated
  risky     it is stored with other defaults
  safe      it is accepted or stored now, and was not before
Differences for which no object was found are listed apart, and do not change the exit code.
Exits with 1 if a change is breaking.

Example: antechamber compat v1.2.0:config/crd config/crd
         antechamber compat config/crd --kubeconfig ~/.kube/config --objects`,
    )
    .action(async (old: string, after: string | undefined, options) => {
      const { compat } = await import("./run.ts");
      const io = consoleOf(terminal);
      await compat(after === undefined ? [old] : [old, after], options, {
        ...io,
        cwd: terminal.cwd(),
        env: terminal.env,
        now: () => new Date(),
        // What only computes is ended at once by the default handler.
        interrupt: options.objects ? interruptOnSignal(terminal) : new AbortController().signal,
      });
    });
}
