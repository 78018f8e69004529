import { randomInt } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Logger } from "pino";
import packageJson from "../package.json" with { type: "json" };
import type { Service } from "./server/service.ts";

/** Runs one command line; the process ends with 0, or with 1, 2 or 3 as the command's error says. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough, such as head, is no fault.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 3));
  try {
    await program().parseAsync(argv);
  } catch (error) {
    process.exitCode = explain(error);
  }
}

const ownWebhooks = fileURLToPath(new URL("../webhooks", import.meta.url));

function program(): Command {
  const root = new Command("antechamber")
    .description(
      "Hosts Kubernetes conversion and admission webhooks: one folder per kind, nothing lost between versions.",
    )
    .version(packageJson.version)
    .exitOverride()
    .showHelpAfterError("(add --help for what there is)")
    .addHelpText(
      "after",
      "\nEach option can also be given as ANTECHAMBER_<OPTION>, as in ANTECHAMBER_PORT; the option wins.\nExit codes: 0 good; 1 refused; 2 wrong usage or unreadable input; 3 a fault of ours; 130 a verify that was interrupted.",
    );
  for (const command of [
    serveCommand(),
    convertCommand(),
    verifyCommand(),
    manifestsCommand(),
    migrateCommand(),
    certsCommand(),
  ]) {
    root.addCommand(command.copyInheritedSettings(root));
  }
  return root;
}

function serveCommand(): Command {
  return new Command("serve")
    .description("Serve conversion and admission reviews over HTTPS.")
    .addOption(
      option("--host <address>", "address to listen on (default: 127.0.0.1; with --cert-dir every address)"),
    )
    .addOption(
      option("--port <number>", "HTTPS port of /convert, /mutate and /validate")
        .argParser(port)
        .default(9443),
    )
    .addOption(
      option("--ops-port <number>", "HTTP port of /livez, /readyz and /metrics")
        .argParser(port)
        .default(8080),
    )
    .addOption(webhooksOption())
    .addOption(
      option(
        "--with <path...>",
        "files or folders of objects for the listers (default: the kinds' own examples)",
      ),
    )
    .addOption(
      option(
        "--kubeconfig <file>",
        "cluster whose objects the listers follow (default: in a pod, the cluster that it runs in)",
      ),
    )
    .addOption(
      option("--feature-gates <list>", "gates of the kinds to open or close, as Name=true,Other=false"),
    )
    .addOption(
      option(
        "--cert-dir <folder>",
        "folder with tls.crt and tls.key, read again when they change (default: a certificate made for this run)",
      ),
    )
    .addOption(
      option("--cert-host <name...>", "more names for the certificate that is made").default([], "none"),
    )
    .addOption(
      option(
        "--ca-out <file>",
        "where to write the CA's certificate for clients (default: antechamber-ca.crt, for a certificate made here)",
      ),
    )
    .addOption(
      option("--grace <duration>", "how long to go on serving after SIGTERM, as 15s or 500ms")
        .argParser(duration)
        .default(15_000, "15s"),
    )
    .addOption(
      option(
        "--record <folder>",
        "write every review and its answer into a folder, to be sent again; without Secrets' data and environment variables",
      ),
    )
    .addOption(
      option("--log-level <level>", "least level to log")
        .choices(["trace", "debug", "info", "warn", "error", "silent"])
        .default("info"),
    )
    .addHelpText("after", "\nExample: antechamber serve --webhooks ./webhooks --cert-dir /tls")
    .action(async ({ logLevel, ...options }) => {
      const { pino } = await import("pino");
      const log = pino({ level: logLevel }, pino.destination(2));
      const io = {
        ...inputIo,
        print,
        now: () => new Date(),
        random: Math.random,
        log,
        folder: process.cwd(),
        env: process.env,
      };
      const { serve } = await import("./commands/serve.ts");
      drainOnSignal(await serve(options, io), log);
    });
}

function convertCommand(): Command {
  return new Command("convert")
    .description("Convert the objects in files to another version, without a server.")
    .addOption(fileOption())
    .addOption(option("--to <version>", "version to convert to, as v1").makeOptionMandatory())
    .addOption(outputOption())
    .addOption(
      option("--explain", "say on standard error what travels along for other versions, and why").default(
        false,
      ),
    )
    .addOption(webhooksOption())
    .addHelpText(
      "after",
      "\nExample: antechamber convert -f rooms/ -f light.yaml --to v1\n         kubectl get rooms -o yaml | antechamber convert -f - --to v1beta1 -o json",
    )
    .action(async (options) => {
      const { convert } = await import("./commands/convert.ts");
      process.stdout.write(await convert(options, { ...inputIo, note }));
    });
}

function verifyCommand(): Command {
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
    .addHelpText("after", "\nExample: antechamber verify webhooks/home/room --runs 1000")
    .action(async (folders: readonly string[], { kind = [], law = [], ...options }) => {
      const { verify } = await import("./commands/verify.ts");
      const { stdout, stderr } = process;
      const io = {
        print,
        note,
        now: () => new Date(),
        drawSeed: () => randomInt(1_000_000_000),
        interrupt: interruptOnSignal(),
        coloured: stdout.isTTY && (process.env.NO_COLOR ?? "") === "",
        ...(stderr.isTTY ? { rewrite: rewriteLine } : {}),
      };
      await verify(folders.length === 0 ? [ownWebhooks] : folders, { kind, law, ...options }, io);
    });
}

function manifestsCommand(): Command {
  return new Command("manifests")
    .description("Write the CRDs and webhook configurations of the kinds.")
    .addOption(webhooksOption())
    .addOption(option("--out <folder>", "folder to write to (default: all to standard output)"))
    .addOption(option("--types", "also write each kind's TypeScript types beside its kind.ts").default(false))
    .addOption(option("--check", "write nothing; exit with 1 if a file is not up to date").default(false))
    .addOption(
      option("--service <namespace/name>", "Service in front of the webhooks").default(
        "antechamber-system/antechamber",
      ),
    )
    .addOption(option("--url <url>", "reach the webhooks at https://host:port instead of through a Service"))
    .addOption(option("--ca <file>", "PEM of the CA that the API server is to trust, written as caBundle"))
    .addOption(option("--name <name>", "name of the webhook configurations").default("antechamber"))
    .addHelpText(
      "after",
      "\nExample: antechamber manifests --url https://127.0.0.1:9443 --ca antechamber-ca.crt | kubectl apply -f -",
    )
    .action(async (options) => {
      const { manifests } = await import("./commands/manifests.ts");
      await manifests(options, { print, note });
    });
}

function migrateCommand(): Command {
  return new Command("migrate")
    .description(
      "Have a cluster write its stored objects in the storage version of their CRDs, and trim status.storedVersions. May be interrupted and repeated.",
    )
    .argument("[crd...]", "names of CRDs, plurals or kinds (default: all kinds)")
    .addOption(
      option(
        "--kubeconfig <file>",
        "how to reach the cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own account)",
      ),
    )
    .addOption(webhooksOption())
    .addOption(
      option("--drop <version>", "forget who managed fields at a version that is to be taken out of the CRD"),
    )
    .addOption(option("--dry-run", "have every write checked and none stored").default(false))
    .addOption(
      option("--page-size <number>", "objects in one page of a list").argParser(pageSize).default(500),
    )
    .addHelpText(
      "after",
      "\nBegin some seconds after a CRD's storage version was changed: every API server must have heard of it.\nExample: antechamber migrate rooms lights --drop v1beta1",
    )
    .action(async (words: readonly string[], options) => {
      const { migrate } = await import("./commands/migrate.ts");
      const interrupt = abortOnSignal();
      const pause = (milliseconds: number, signal: AbortSignal) =>
        wait(milliseconds, undefined, { signal }).catch(() => {});
      const progressEvery = process.stderr.isTTY ? 1_000 : 10_000;
      await migrate(words, options, { print, note, now: () => new Date(), pause, interrupt, progressEvery });
    });
}

function certsCommand(): Command {
  return new Command("certs")
    .description("Make a CA and a certificate signed by it, for serve --cert-dir.")
    .addOption(option("--out <folder>", "folder for ca.crt, tls.crt and tls.key").makeOptionMandatory())
    .addOption(
      option("--host <name...>", "names and addresses that the certificate is good for").default([], "none"),
    )
    .addOption(option("--days <number>", "how long it is good").argParser(wholeNumber).default(365))
    .addOption(option("--force", "replace files that are there").default(false))
    .addHelpText(
      "after",
      "\nExample: antechamber certs --out tls --host antechamber.antechamber-system.svc --host localhost",
    )
    .action(async (options) => {
      const { certs } = await import("./commands/certs.ts");
      await certs(options, { print, now: () => new Date() });
    });
}

/** An option that the environment can give as well: --ops-port is ANTECHAMBER_OPS_PORT. */
function option(flags: string, description: string): Option {
  const made = new Option(flags, description);
  const name = `ANTECHAMBER_${made.name().toUpperCase().replaceAll("-", "_")}`;
  return isMeant(made, process.env[name] ?? "") ? made.env(name) : made;
}

/**
 * Whether a variable is an option of ours: Kubernetes tells the pods beside a Service named antechamber of it by
 * ANTECHAMBER_PORT=tcp://…, and a switch that is set to false is one that is not given.
 */
function isMeant(made: Option, value: string): boolean {
  if (/^(tcp|udp|sctp):\/\//.test(value)) return false;
  return !made.isBoolean() || !/^(false|no|off|0)$/i.test(value);
}

function webhooksOption(): Option {
  return option("--webhooks <folder...>", "folders of kinds, each two levels down").default(
    [ownWebhooks],
    "the kinds of a home",
  );
}

function fileOption(): Option {
  return option(
    "-f, --file <path...>",
    "file, folder or - for standard input; YAML or JSON, several documents",
  ).makeOptionMandatory();
}

function outputOption(): Option {
  return option("-o, --output <format>", "format of the output").choices(["yaml", "json"]).default("yaml");
}

function port(text: string): number {
  const value = wholeNumber(text);
  if (value > 65_535) throw new InvalidArgumentError("A port is at most 65535.");
  return value;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It is no whole number.");
  return Number(text);
}

function countOfRuns(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > 1_000_000) throw new InvalidArgumentError("Write a number from 1 to 1000000.");
  return value;
}

/** One more of an option that may be given again; several at once stand between commas. */
function another(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",")];
}

function pageSize(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > 10_000) throw new InvalidArgumentError("A page has 1 to 10000 objects.");
  return value;
}

function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError("Write it as 15s, 500ms or 2m.");
  return Number(amount) * (unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000);
}

/** The first signal drains and ends with 0; a second one does not wait. */
function drainOnSignal(service: Service, log: Logger): void {
  let draining = false;
  const stop = (signal: NodeJS.Signals) => {
    if (draining) process.exit(1);
    draining = true;
    log.info({ signal }, "draining; a second signal stops at once");
    // Whoever presses Ctrl-C has no balancer that must be given time to send reviews elsewhere.
    service.drain(signal === "SIGINT" ? 0 : undefined).then(
      () => process.exit(0),
      (error: unknown) => process.exit(explain(error)),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

/** The first signal ends what is begun in good order; a second one does not wait. */
function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
    note("ending after the objects that are being written; a second signal stops at once");
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}

/** The first signal ends what may be ended at any time; a second one does not wait even for that. */
function interruptOnSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => (controller.signal.aborted ? process.exit(1) : controller.abort());
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}

const inputIo = { readStdin: () => readAll(process.stdin) };

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes the terminal's last line anew, cut to fit, so that the next writing finds it in one piece. */
function rewriteLine(line: string): void {
  process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

/** Says an error on stderr, in the reader's words where it is the reader's, and gives back the exit code. */
function explain(error: unknown): number {
  // Commander has said it already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Error && "exitCode" in error && typeof error.exitCode === "number") {
    note(error.message);
    return error.exitCode;
  }
  note(`A fault of antechamber: ${error instanceof Error ? error.stack : String(error)}`);
  return 3;
}

// The package's starter calls `main` itself; this is for `node src/cli.ts`.
if (import.meta.main) await main(process.argv);
