import { randomInt } from "node:crypto";
import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { another, countOfRuns, option, ownWebhooks, wholeNumber } from "./options.ts";
import { interruptOnSignal } from "./signals.ts";

/** The command line of `antechamber verify`. */
export function verifyCommand(terminal: Terminal): Command {
  return new Command("verify")
    .description(
      "Try the laws of conversion on kinds, and list what their versions cannot say of each other.",
    )
    .argument("[folder...]", "folders of kinds, or of one kind (default: the kinds of a home)")
    .addOption(option("--kind <name>", "a kind to try; may be given again (default: all)").argParser(another))
    .addOption(option("--law <name>", "a law to try; may be given again (default: all)").argParser(another))
    .addOption(
      option("--runs <number>", "cases to try of each claim of a law").argParser(countOfRuns).default(100),
    )
    .addOption(
      option(
        "--seed <number>",
        "what the cases are drawn by; the same seed draws the same (default: a new one)",
      ).argParser(wholeNumber),
    )
    .addOption(
      option("-o, --output <format>", "format of the output")
        .choices(["text", "json", "junit"])
        .default("text"),
    )
    .addHelpText(
      "after",
      `
A broken law ends with 1. What one version admits and another forbids once it is converted is listed below the laws, each
with the smallest object that was found; it is no broken law and leaves the exit code as it is.

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
