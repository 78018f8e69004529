import type { Command } from "commander";
import { UsageError } from "../../errors.ts";
import { consoleOf, type Terminal } from "../console.ts";
import { countOfRuns, option } from "../options.ts";
import { interruptOnSignal } from "../signals.ts";

/** Adds the options of commands that can also check the stored objects of a cluster. */
export function withLiveOptions(command: Command): Command {
  return withLive(command).addOption(
    option(
      "--kubeconfig <file>",
      "with --live: kubeconfig of the cluster (default: KUBECONFIG, ~/.kube/config, or the service account of the pod)",
    ),
  );
}

/** The same for a command that has an option `--kubeconfig` of its own. */
export function withLive(command: Command): Command {
  return command
    .addOption(
      option("--live", "check every stored object of a cluster, page by page, instead of files").default(
        false,
      ),
    )
    .addOption(
      option(
        "--sample <number>",
        "with --live: about how many objects of each kind to check (default: all)",
      ).argParser(countOfRuns),
    );
}

/** Throws UsageError where a command has neither files nor a cluster to read. */
export function requireInput({
  file,
  live,
}: {
  readonly file?: readonly string[];
  readonly live: boolean;
}): void {
  if (file === undefined && !live)
    throw new UsageError("required option '-f, --file <path...>' not specified, nor --live");
  if (file !== undefined && live) throw new UsageError("--live and --file exclude each other");
}

/** The input and output of a check of a cluster. */
export function liveIo(terminal: Terminal) {
  const { readStdin, print, note } = consoleOf(terminal);
  return { readStdin, print, note, now: () => new Date(), interrupt: interruptOnSignal(terminal) };
}
