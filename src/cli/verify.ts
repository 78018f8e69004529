import { randomInt } from "node:crypto";
import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { collect, countOfRuns, integer, option, ownWebhooks } from "./options.ts";
import { interruptOnSignal } from "./signals.ts";

/** The command line of `antechamber verify`. */
export function verifyCommand(terminal: Terminal): Command {
  return new Command("verify")
    .description(
      "Test the laws of conversion on kinds with generated objects, and list what each version cannot express.",
    )
    .argument(
      "[folder...]",
      "folders of kinds, or of one kind (default: the kinds that come with the package)",
    )
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
      option("-o, --output <format>", "output format").choices(["text", "json", "junit"]).default("text"),
    )
    .addHelpText(
      "after",
      `
Exits with 1 if a law is broken. Values that one version admits and another forbids after conversion are listed below the
laws, each with the smallest object found; they are not broken laws and do not change the exit code.

Example: antechamber verify webhooks/home/room --runs 1000`,
    )
    .action(async (folders: readonly string[], { kind = [], law = [], ...options }) => {
      const { verify } = await import("../commands/verify.ts");
      const { print, note, coloured, rewriteLine } = consoleOf(terminal);
      const io = {
        print,
        note,
        now: () => new Date(),
        drawSeed: () => randomInt(1_000_000_000),
        interrupt: interruptOnSignal(terminal),
        coloured,
        ...(terminal.stderr.isTTY ? { rewrite: rewriteLine } : {}),
      };
      await verify(folders.length === 0 ? [ownWebhooks] : folders, { kind, law, ...options }, io);
    });
}
