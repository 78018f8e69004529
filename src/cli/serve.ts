import { Command } from "commander";
import { consoleOf, type Terminal } from "./console.ts";
import { duration, memory, option, port, webhooksOption } from "./options.ts";
import { drainOnSignal } from "./signals.ts";

/** The command line of `antechamber serve`. */
export function serveCommand(terminal: Terminal): Command {
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
        "--client-ca <file>",
        "answer admission only for clients whose certificate is signed by an authority in this file, read again when it changes; conversion is for everybody (default: everybody)",
      ),
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
        "--body-memory <size>",
        "memory for bodies that are being read or answered; beyond it callers are asked to come again",
      )
        .argParser(memory)
        .default(384 * 1024 ** 2, "384Mi"),
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
        ...consoleOf(terminal),
        now: () => new Date(),
        random: Math.random,
        log,
        folder: terminal.cwd(),
        env: terminal.env,
      };
      const { serve } = await import("../commands/serve.ts");
      drainOnSignal(await serve(options, io), log, terminal);
    });
}
