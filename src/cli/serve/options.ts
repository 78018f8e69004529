import { Command, type Option } from "commander";
import type { Service } from "../../server/service.ts";
import { consoleOf, type Terminal } from "../console.ts";
import type { LogFormat } from "../log.ts";
import { duration, memory, option, port, projectWebhooks } from "../options.ts";
import { drainOnSignal } from "../signals.ts";
import type { ManagedServeOptions } from "./managed-options.ts";
import type { ServeIo, ServeOptions } from "./run.ts";

/** What commander reads of the options of a service, besides those of the service itself. */
export interface ServiceGiven extends ManagedServeOptions {
  readonly logLevel: string;
  readonly logFormat: LogFormat;
}

type Given = Omit<ServeOptions, "webhooks"> & ServiceGiven & { readonly webhooks: readonly string[] | true };

/** The command line of `antechamber serve`. */
export function serveCommand(terminal: Terminal): Command {
  const options = [
    ...addressOptions(),
    option(
      "--webhooks [folder...]",
      "folders of kinds, or of one kind; without a folder, the service has no kinds",
    ).default([projectWebhooks], "./webhooks"),
    ...kindOptions(),
    option("--kubeconfig <file>", "cluster that the listers watch (default: in a pod, its own cluster)"),
    option(
      "--kept-answers <size>",
      "memory for answers to conversions, which API servers often ask for again; 0 keeps none",
    )
      .argParser(memory(0))
      .default(16 * 1024 ** 2, "16Mi"),
    ...serviceOptions(),
  ];
  const command = new Command("serve").description("Serve conversion and admission reviews over HTTPS.");
  for (const each of options) command.addOption(each);
  return command
    .addHelpText("after", "\nExample: antechamber serve --webhooks ./webhooks --cert-dir /tls")
    .action(async (given: Given) => {
      // Of an option without its values, commander says true.
      const webhooks = given.webhooks === true ? [] : given.webhooks;
      await startService({ ...given, webhooks }, terminal, async (options, io) => {
        const { serve } = await import("./run.ts");
        return serve(options, io);
      });
    });
}

/** The addresses that a service listens on. */
export function addressOptions(): readonly Option[] {
  return [
    option(
      "--host <address>",
      "address to listen on (default: 127.0.0.1; all addresses unless the certificate is local)",
    ),
    option("--port <number>", "HTTPS port of /convert, /mutate and /validate").argParser(port).default(9443),
    option("--ops-port <number>", "HTTP port of /livez, /readyz and /metrics").argParser(port).default(8080),
  ];
}

/** What kinds in folders need. */
export function kindOptions(): readonly Option[] {
  return [
    option(
      "--with <path...>",
      "files or folders of objects for the listers (default: the kinds' own examples)",
    ),
    option("--feature-gates <list>", "feature gates to enable or disable, as Name=true,Other=false"),
  ];
}

/** Certificates, limits and logs of a service. */
export function serviceOptions(): readonly Option[] {
  return [
    option(
      "--certs <source>",
      "local: a certificate generated for this run; files: from --cert-dir; managed: from a Secret that the replicas share, with CA, renewal and caBundles (default: files with --cert-dir, otherwise local)",
    ).choices(["local", "files", "managed"]),
    option("--cert-dir <folder>", "folder with tls.crt and tls.key, reloaded when they change"),
    option("--cert-host <name...>", "additional names for a generated or managed certificate").default(
      [],
      "none",
    ),
    option(
      "--service <namespace/name>",
      "with --certs managed: Service of the webhooks, also as <namespace/name:port> (default: antechamber-system/antechamber)",
    ),
    option(
      "--name <name>",
      "with --certs managed: name of this installation, which its webhook configurations have (default: that of the project in the package.json next to the kinds)",
    ),
    option(
      "--replica <name>",
      "with --certs managed: name of this replica, such as that of its pod (default: the host name with a random suffix)",
    ),
    option("--ca-lifetime <duration>", "with --certs managed: lifetime of a CA (default: 365d)").argParser(
      duration,
    ),
    option(
      "--cert-lifetime <duration>",
      "with --certs managed: lifetime of a certificate (default: 30d)",
    ).argParser(duration),
    option(
      "--propagation-delay <duration>",
      "with --certs managed: time until every API server acts by a changed caBundle (default: 10s)",
    ).argParser(duration),
    option(
      "--client-ca <file>",
      "PEM file of CAs, reloaded when it changes: only clients with a certificate of one of them may call the admission endpoints; conversion stays open to all (default: all clients)",
    ),
    option(
      "--ca-out <file>",
      "file to write the CA certificate to, for clients (default: antechamber-ca.crt, if the certificate is generated)",
    ),
    option("--grace <duration>", "time to keep serving after SIGTERM, such as 15s or 500ms")
      .argParser(duration)
      .default(15_000, "15s"),
    option(
      "--body-memory <size>",
      "memory for the request bodies in progress; requests beyond it are answered 503 with Retry-After",
    )
      // With less, the largest reviews would be rejected on every retry.
      .argParser(memory(32))
      .default(384 * 1024 ** 2, "384Mi"),
    option(
      "--record <folder>",
      "write every review and its response to a folder, for replay; the data of Secrets and environment variables are left out",
    ),
    option("--log-level <level>", "minimum log level")
      .choices(["trace", "debug", "info", "warn", "error", "silent"])
      .default("info"),
    option("--log-format <format>", "log lines as text, as JSON, or as text on a terminal only")
      .choices(["auto", "text", "json"])
      .default("auto"),
  ];
}

/** Starts a service with the options of a command line, until a signal ends it. */
export async function startService<Options extends ServiceGiven>(
  given: Options,
  terminal: Terminal,
  start: (options: Options & { readonly managed: ManagedServeOptions }, io: ServeIo) => Promise<Service>,
): Promise<void> {
  const { logOf } = await import("../log.ts");
  const log = logOf(given.logLevel, given.logFormat, terminal);
  const io = {
    ...consoleOf(terminal),
    now: () => new Date(),
    random: Math.random,
    log,
    folder: terminal.cwd(),
    env: terminal.env,
  };
  drainOnSignal(await start({ ...given, managed: given }, io), log, terminal);
}
