import { randomInt } from "node:crypto";
import { Command } from "commander";
import { UsageError } from "../../errors.ts";
import { consoleOf, type Terminal } from "../console.ts";
import { commandName } from "../dependency.ts";
import { liveIo, withLive } from "../live/options.ts";
import { collect, countOfRuns, integer, option, projectWebhooks } from "../options.ts";
import { reportFormats } from "../reports/format.ts";
import { interruptOnSignal } from "../signals.ts";
import { addWebhookOptions, asksWebhook, webhookAction, webhookHelp } from "../verify-webhook/options.ts";

/** The command line of `antechamber verify`. */
export function verifyCommand(terminal: Terminal): Command {
  const command = withLive(new Command("verify"))
    .description(
      "Test the laws of conversion on kinds with generated objects, and list what each version cannot express.",
    )
    .argument("[folder...]", "folders of kinds, or of one kind (default: ./webhooks)")
    .addOption(option("--kind <name>", "kind to test; repeatable (default: all)").argParser(collect))
    .addOption(option("--law <name>", "law to test; repeatable (default: all)").argParser(collect))
    .addOption(option("--runs <number>", "cases for each claim of a law").argParser(countOfRuns).default(100))
    .addOption(
      option(
        "--seed <number>",
        "seed of the generated cases; the same seed gives the same cases (default: random)",
      ).argParser(integer),
    )
    .addOption(
      option(
        "-o, --output <format>",
        "a report, the same as JSON or as a page on which counterexamples open, or results for CI: JUnit XML, SARIF, annotations of GitHub Actions",
      )
        .choices(["text", "json", "html", "markdown", ...reportFormats])
        .default("text"),
    )
    .addHelpText(
      "after",
      `
Exits with 1 if a law is broken, and with 4 if none is but some were not tried to the end: a kind has four minutes for each 100
runs, or its share of --max-time. Its laws share three quarters of that, and one that needs more than its share is cut short. A lens that does not return within ten seconds breaks the law that found it. Values that one version admits and another forbids after conversion are listed below the
laws, each with the smallest object found; they are not broken laws and do not change the exit code.

Example: antechamber verify webhooks/home/room --runs 1000
         antechamber verify -o junit > verify.xml
         antechamber verify -o html > verify.html     (one file; a broken law opens beside the versions)
         antechamber verify --live           (round trips of every stored object instead of generated ones)
${webhookHelp}`,
    )
    .action(async (folders: readonly string[], { kind = [], law = [], ...options }, command: Command) => {
      if (options.output === "html" && (asksWebhook(command) || options.live))
        throw new UsageError(
          "-o html is a report on the laws of kinds: leave out --url, --kubeconfig and --live",
        );
      if (asksWebhook(command)) return webhookAction(folders, { kind, law, ...options }, terminal);
      const webhooks = folders.length === 0 ? [projectWebhooks] : folders;
      if (options.live) {
        const { convertLive } = await import("../live/commands.ts");
        const { kubeconfig, ...rest } = options;
        const file = typeof kubeconfig === "string" ? { kubeconfig } : {};
        return convertLive({ ...rest, ...file, webhooks }, liveIo(terminal));
      }
      const { verify } = await import("./run.ts");
      const { print, note, coloured, width, rewriteLine } = consoleOf(terminal);
      const io = {
        print,
        note,
        now: () => new Date(),
        drawSeed: () => randomInt(1_000_000_000),
        interrupt: interruptOnSignal(terminal),
        coloured,
        width,
        command: await commandName(),
        ...(terminal.stderr.isTTY ? { rewrite: rewriteLine } : {}),
      };
      // A budget for a webhook says nothing of kinds, of which there may be many.
      const { maxTime, ...rest } = options;
      const isGiven = command.getOptionValueSource("maxTime") !== "default";
      await verify(webhooks, { kind, law, ...rest, ...(isGiven ? { maxTime } : {}) }, io);
    });
  return addWebhookOptions(command);
}
