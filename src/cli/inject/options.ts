import { Command } from "commander";
import { reviewIoOf, type Terminal } from "../console.ts";
import { fileOption, option, webhooksOption } from "../options.ts";

/** The command line of `antechamber inject`. */
export function injectCommand(terminal: Terminal): Command {
  return new Command("inject")
    .description(
      "Inject sidecars into the pods and pod templates in files, as the webhook would, without a server.",
    )
    .addOption(fileOption())
    .addOption(
      option(
        "--with <path...>",
        "files or folders of SidecarSets, InjectionPolicies, Namespaces and ControllerRevisions (default: the example SidecarSets)",
      ),
    )
    .addOption(option("--namespace <name>", "namespace of pods without one").default("default"))
    .addOption(
      option(
        "--explain",
        "print to standard error what each SidecarSet added, and why the others did not match",
      ).default(false),
    )
    .addOption(webhooksOption())
    .addOption(
      option(
        "--feature-gates <list>",
        "feature gates of the injector to enable or disable, as Name=true,Other=false",
      ),
    )
    .addOption(
      option("-o, --output <format>", "all objects, JSON Patches, or a difference for patch -p1")
        .choices(["yaml", "json", "patch", "diff"])
        .default("yaml"),
    )
    .addHelpText(
      "after",
      "\nObjects without a pod or pod template are printed as they are. Exits with 1 if a pod is rejected.\nExample: antechamber inject -f pod.yaml --with sidecarsets/ --explain -o diff",
    )
    .action(async (options) => {
      const { inject } = await import("./run.ts");
      await inject(options, reviewIoOf(terminal));
    });
}
