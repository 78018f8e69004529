import { randomInt } from "node:crypto";
import type { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { commandName } from "../dependency.ts";
import { collect, duration, integer, option } from "../options.ts";
import { interruptOnSignal } from "../signals.ts";
import { defaultTimes } from "./repeat.ts";
import type { VerifyWebhookOptions } from "./run.ts";

/** Adds the options with which `antechamber verify` checks a running webhook instead of kinds in folders. */
export function addWebhookOptions(command: Command): Command {
  const options = [
    option(
      "--url <url>",
      "check the conversion webhook at this URL, of any project, instead of kinds in folders",
    ),
    option(
      "--crd <file...>",
      "with --url: files with the CRDs that the webhook converts; - for standard input",
    ),
    option(
      "--kubeconfig [file]",
      "check the conversion webhooks that the CRDs of a cluster name, or with --live its objects (default: KUBECONFIG or ~/.kube/config)",
    ),
    option("--objects <number>", "with --kubeconfig: stored objects to try of each kind and version")
      .argParser(integer)
      .default(0),
    option("-f, --file <path...>", "with --url or --kubeconfig: objects to try besides the generated ones"),
    option(
      "--stored <file...>",
      "older revisions of the CRDs: their objects are tried as they lie in etcd, where the present CRD would refuse them",
    ),
    option(
      "--baseline <file>",
      "an earlier report (-o json): its findings are known, only new ones fail, and those that are gone are named",
    ),
    option("--badge <file>", "write what was found as JSON for a shields.io badge (endpoint)"),
    option("--ca <file>", "PEM file of the CAs that signed the webhook's certificate"),
    option("--insecure-skip-tls-verify", "accept any certificate of the webhook").default(false),
    option("--server-name <name>", "the name in the webhook's certificate, if it is not the host of the URL"),
    option("--client-cert <file>", "PEM file of a client certificate"),
    option("--client-key <file>", "PEM file of its key"),
    option("--ignore <place>", "a place such as spec.template that is not reported; repeatable").argParser(
      collect,
    ),
    option("--summary", "as text: one line for each kind and each finding or broken law").default(false),
    option(
      "--require-complete",
      "exit with 1 instead of 4 where nothing is lost but not all was tried",
    ).default(false),
    option("--timeout <duration>", "how long the webhook may take for a review")
      .argParser(duration)
      .default(defaultTimes.timeout, "10s"),
    option("--max-time <duration>", "when to stop and report what was found so far")
      .argParser(duration)
      .default(defaultTimes.maxTime, "10m"),
  ];
  for (const each of options) command.addOption(each);
  return command;
}

/** The part of the help that is about webhooks. */
export const webhookHelp = `
With --url or --kubeconfig, a running webhook in any language is checked as a black box, by ConversionReviews alone. Exits with
1 if a value is lost or changed, a valid object is refused, or the webhook crashes; with 2 if it cannot be reached; with 4 if
nothing is lost, but not all was tried.

Example: antechamber verify --url https://127.0.0.1:9443/convert --crd config/crd --insecure-skip-tls-verify
         antechamber verify --kubeconfig --kind builds --objects 100 -o markdown > issue.md
         antechamber verify --url https://127.0.0.1:9443/convert --crd config/crd --baseline known.json --badge badge.json`;

interface Options extends Omit<VerifyWebhookOptions, "insecure" | "crd" | "file" | "ignore" | "stored"> {
  readonly law: readonly string[];
  readonly insecureSkipTlsVerify: boolean;
  readonly crd?: readonly string[];
  readonly file?: readonly string[];
  readonly ignore?: readonly string[];
  readonly stored?: readonly string[];
}

/**
 * Whether the options are about a webhook. A kubeconfig counts on the command line alone: ANTECHAMBER_KUBECONFIG may be set for
 * `serve`, and must not change what is checked.
 */
export function asksWebhook(command: Command): boolean {
  const { url, live } = command.opts();
  return url !== undefined || (live !== true && command.getOptionValueSource("kubeconfig") === "cli");
}

/** Checks a webhook. */
export async function webhookAction(
  folders: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { verifyWebhook } = await import("./run.ts");
  const { print, note, coloured, width, rewriteLine, readStdin } = consoleOf(terminal);
  const io = {
    print,
    note,
    readStdin,
    coloured,
    width,
    clock: () => performance.now(),
    drawSeed: () => randomInt(1_000_000_000),
    interrupt: interruptOnSignal(terminal),
    command: await commandName(),
    ...(terminal.stderr.isTTY ? { rewrite: rewriteLine } : {}),
  };
  const { insecureSkipTlsVerify: insecure, crd = [], file = [], ignore = [], stored = [], ...rest } = options;
  await verifyWebhook({ ...rest, folders, insecure, crd, file, ignore, stored }, io);
}
