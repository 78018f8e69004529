import { Command } from "commander";
import { UsageError } from "../../errors.ts";
import { consoleOf, type Terminal } from "../console.ts";
import type { CheckOptions, ConvertLiveOptions } from "../live/commands.ts";
import { liveIo, requireInput, withLiveOptions } from "../live/options.ts";
import { fileOption, option, outputOption, skipUnknownOption, webhooksOption } from "../options.ts";
import { upstreamOptions } from "../upstream-options.ts";

/** The command line of `antechamber convert`. */
export function convertCommand(terminal: Terminal): Command {
  const command = withLiveOptions(new Command("convert"))
    .description("Convert the objects in files to another version, without a server.")
    .addOption(fileOption().makeOptionMandatory(false))
    .addOption(option("--to <version>", "target version, such as v1 (with --check: every version)"))
    .addOption(outputOption())
    .addOption(
      option(
        "--explain",
        "print to standard error which values are carried for other versions, and why",
      ).default(false),
    )
    .addOption(
      option(
        "-i, --in-place",
        "change the files instead of printing the objects; comments and order stay",
      ).default(false),
    )
    .addOption(
      option(
        "--clean",
        "leave out the annotation and status field that carry values for other versions, and list what is lost by that on standard error",
      ).default(false),
    )
    .addOption(
      option(
        "--check",
        "print nothing but the objects that do not come back the same from the target version, or are invalid there",
      ).default(false),
    )
    .addOption(skipUnknownOption())
    .addOption(webhooksOption());
  const upstream = upstreamOptions({
    upstream:
      "instead of kinds in folders: the conversion webhook of any project, of which nothing is lost (default: the one that --crd names)",
    crd: "files or folders with the CRDs that it converts, - for standard input",
  });
  for (const each of upstream) command.addOption(each);
  return command
    .addHelpText(
      "after",
      "\nExample: antechamber convert -f rooms/ -f light.yaml --to v1\n         kubectl get rooms -o yaml | antechamber convert -f - --to v1beta1 -o json\n         antechamber convert -f deploy/ --to v1 --in-place --clean --skip-unknown\n         antechamber convert --check --live\n         antechamber convert -f deploy/ --to v2 --in-place --clean --skip-unknown --upstream https://127.0.0.1:9443/convert --upstream-ca ca.crt --crd config/crd/bases",
    )
    .action(async (options) => {
      requireInput(options);
      const isOfUpstream = options.upstream !== undefined || options.crd !== undefined;
      if (isOfUpstream && (options.check || options.live))
        throw new UsageError(
          "--upstream and --crd: a webhook is checked by antechamber verify --url; leave --check and --live out",
        );
      if (options.check) return check(options, terminal);
      if (options.live)
        throw new UsageError("--live needs --check: objects of a cluster are checked, not printed");
      if (options.to === undefined) throw new UsageError("required option '--to <version>' not specified");
      const { convert } = await import("./run.ts");
      const { rewriteLine, ...io } = consoleOf(terminal);
      const rewrite = terminal.stderr.isTTY ? { rewrite: rewriteLine } : {};
      io.write(await convert(options, { ...io, ...rewrite }));
    });
}

async function check(
  options: CheckOptions & ConvertLiveOptions & { readonly live: boolean },
  terminal: Terminal,
) {
  const { checkFiles, convertLive } = await import("../live/commands.ts");
  const io = liveIo(terminal);
  return options.live ? convertLive({ ...options, output: "text" }, io) : checkFiles(options, io);
}
