import { Command } from "commander";
import { reviewIoOf, type Terminal } from "../console.ts";
import { liveIo, requireInput, withLiveOptions } from "../live/options.ts";
import {
  fileOption,
  kubernetesVersionOption,
  option,
  skipUnknownOption,
  webhooksOption,
} from "../options.ts";
import { reportFormats } from "../reports/format.ts";

/** The command line of `antechamber validate`. */
export function validateCommand(terminal: Terminal): Command {
  return withLiveOptions(new Command("validate"))
    .description(
      "Validate the objects in files as an API server with these kinds would, without a server: defaults, schema, CEL rules and webhooks.",
    )
    .argument("[file...]", "the same as --file")
    .addOption(fileOption().makeOptionMandatory(false))
    .addOption(skipUnknownOption())
    .addOption(
      option("--crd <path...>", "files or folders of CRDs, for kinds without a folder (default: none)"),
    )
    .addOption(
      option(
        "--old <path...>",
        "files or folders with the previous objects, matched by name: each write is then an update (default: none)",
      ),
    )
    .addOption(
      option("--subresource <name>", "subresource to write (default: the main resource)").choices(["status"]),
    )
    .addOption(option("--with <path...>", "files or folders of objects for the listers (default: none)"))
    .addOption(option("--namespace <name>", "namespace of objects without one").default("default"))
    .addOption(webhooksOption())
    .addOption(
      option("--feature-gates <list>", "feature gates to enable or disable, as Name=true,Other=false"),
    )
    .addOption(
      option("--field-validation <level>", "handling of unknown fields, as in kubectl --validate")
        .choices(["strict", "warn", "ignore"])
        .default("strict"),
    )
    .addOption(kubernetesVersionOption())
    .addOption(
      option(
        "-o, --output <format>",
        "what kubectl apply would print; for each document whether it is allowed, its status and the object to be stored; or results for CI: JUnit XML, SARIF, annotations of GitHub Actions",
      )
        .choices(["text", "json", "yaml", ...reportFormats])
        .default("text"),
    )
    .addHelpText(
      "after",
      "\nExits with 1 if an object is rejected.\nExample: antechamber validate rooms/\n         antechamber validate --crd crds/ -f new.yaml --old old.yaml -o json\n         antechamber validate -f deploy/ --skip-unknown -o github\n         antechamber validate --crd crds/ -f new.yaml --kubernetes-version 1.36\n         antechamber validate --live --crd new-crds/",
    )
    .action(async (files: readonly string[], given, command: Command) => {
      const all: readonly string[] = [...(given.file ?? []), ...files];
      const options = all.length === 0 ? given : { ...given, file: all };
      requireInput(options);
      const hasWebhooks = command.getOptionValueSource("webhooks") !== "default";
      if (options.live) {
        const { validateLive } = await import("../live/commands.ts");
        const isChosen = command.getOptionValueSource("kubernetesVersion") !== "default";
        const { kubernetesVersion, ...rest } = options;
        const chosen = isChosen ? { kubernetesVersion } : {};
        return validateLive({ ...rest, ...chosen, hasWebhooks }, liveIo(terminal));
      }
      const { validate } = await import("./run.ts");
      await validate({ ...options, hasWebhooks }, reviewIoOf(terminal));
    });
}
