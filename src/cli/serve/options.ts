import { Command } from "commander";
import { consoleOf, type Terminal } from "../console.ts";
import { duration, memory, option, port, projectWebhooks } from "../options.ts";
import { drainOnSignal } from "../signals.ts";

/** The command line of `antechamber serve`. */
export function serveCommand(terminal: Terminal): Command {
  return new Command("serve")
    .description("Serve conversion and admission reviews over HTTPS.")
    .addOption(
      option(
        "--host <address>",
        "address to listen on (default: 127.0.0.1; all addresses unless the certificate is local)",
      ),
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
    .addOption(
      option(
        "--webhooks [folder...]",
        "folders of kinds, or of one kind; without a folder, the service has no kinds",
      ).default([projectWebhooks], "./webhooks"),
    )
    .addOption(
      option(
        "--with <path...>",
        "files or folders of objects for the listers (default: the kinds' own examples)",
      ),
    )
    .addOption(
      option("--kubeconfig <file>", "cluster that the listers watch (default: in a pod, its own cluster)"),
    )
    .addOption(
      option("--feature-gates <list>", "feature gates to enable or disable, as Name=true,Other=false"),
    )
    .addOption(
      option(
        "--certs <source>",
        "local: a certificate generated for this run; files: from --cert-dir; managed: from a Secret that the replicas share, with CA, renewal and caBundles (default: files with --cert-dir, otherwise local)",
      ).choices(["local", "files", "managed"]),
    )
    .addOption(option("--cert-dir <folder>", "folder with tls.crt and tls.key, reloaded when they change"))
    .addOption(
      option("--cert-host <name...>", "additional names for a generated or managed certificate").default(
        [],
        "none",
      ),
    )
    .addOption(
      option(
        "--service <namespace/name>",
        "with --certs managed: Service of the webhooks, also as <namespace/name:port> (default: antechamber-system/antechamber)",
      ),
    )
    .addOption(
      option(
        "--name <name>",
        "with --certs managed: name of this installation, which its webhook configurations have (default: that of the project in the package.json next to the kinds)",
      ),
    )
    .addOption(
      option(
        "--replica <name>",
        "with --certs managed: name of this replica, such as that of its pod (default: the host name with a random suffix)",
      ),
    )
    .addOption(
      option("--ca-lifetime <duration>", "with --certs managed: lifetime of a CA (default: 365d)").argParser(
        duration,
      ),
    )
    .addOption(
      option(
        "--cert-lifetime <duration>",
        "with --certs managed: lifetime of a certificate (default: 30d)",
      ).argParser(duration),
    )
    .addOption(
      option(
        "--propagation-delay <duration>",
        "with --certs managed: time until every API server acts by a changed caBundle (default: 10s)",
      ).argParser(duration),
    )
    .addOption(
      option(
        "--client-ca <file>",
        "PEM file of CAs, reloaded when it changes: only clients with a certificate of one of them may call the admission endpoints; conversion stays open to all (default: all clients)",
      ),
    )
    .addOption(
      option(
        "--ca-out <file>",
        "file to write the CA certificate to, for clients (default: antechamber-ca.crt, if the certificate is generated)",
      ),
    )
    .addOption(
      option("--grace <duration>", "time to keep serving after SIGTERM, such as 15s or 500ms")
        .argParser(duration)
        .default(15_000, "15s"),
    )
    .addOption(
      option(
        "--body-memory <size>",
        "memory for the request bodies in progress; requests beyond it are answered 503 with Retry-After",
      )
        .argParser(memory)
        .default(384 * 1024 ** 2, "384Mi"),
    )
    .addOption(
      option(
        "--record <folder>",
        "write every review and its response to a folder, for replay; the data of Secrets and environment variables are left out",
      ),
    )
    .addOption(
      option("--log-level <level>", "minimum log level")
        .choices(["trace", "debug", "info", "warn", "error", "silent"])
        .default("info"),
    )
    .addOption(
      option("--log-format <format>", "log lines as text, as JSON, or as text on a terminal only")
        .choices(["auto", "text", "json"])
        .default("auto"),
    )
    .addHelpText("after", "\nExample: antechamber serve --webhooks ./webhooks --cert-dir /tls")
    .action(async ({ logLevel, logFormat, ...given }) => {
      const { service, name, replica, caLifetime, certLifetime, propagationDelay, ...rest } = given;
      const managed = { service, name, replica, caLifetime, certLifetime, propagationDelay };
      // Of an option without its values, commander says true.
      const webhooks = rest.webhooks === true ? [] : rest.webhooks;
      const options = { ...rest, webhooks, managed };
      const { logOf } = await import("../log.ts");
      const log = logOf(logLevel, logFormat, terminal);
      const io = {
        ...consoleOf(terminal),
        now: () => new Date(),
        random: Math.random,
        log,
        folder: terminal.cwd(),
        env: terminal.env,
      };
      const { serve } = await import("./run.ts");
      drainOnSignal(await serve(options, io), log, terminal);
    });
}
