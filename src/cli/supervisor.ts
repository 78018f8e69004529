import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connect } from "../cluster/api/connection.ts";
import { kubeconfigText } from "../cluster/local/kubeconfig.ts";
import { apiserverArgs, etcdArgs } from "../cluster/local/launch.ts";

// node src/cli/supervisor.ts --etcd FILE --apiserver FILE --dir DIR [--until-eof] [-- kube-apiserver flags]:
// runs separate programs of etcd and kube-apiserver as test/cluster/apiserver/ runs both in one process.

interface Settings {
  readonly etcd: string;
  readonly apiserver: string;
  readonly dir: string;
  readonly untilEof: boolean;
  readonly flags: readonly string[];
}

/** Starts both, prints READY, and runs them until a signal or the end of standard input. */
async function supervise({ etcd, apiserver, dir, untilEof, flags }: Settings): Promise<void> {
  mkdirSync(dir, { mode: 0o700 }); // must not exist yet, since it is removed in the end
  const children: ChildProcess[] = [];
  const finish = () => killAll(children).then(() => process.exit(0));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, finish);
  if (untilEof) process.stdin.once("end", finish).resume();
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL"); // after an error, nothing waits for them
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
  });

  const token = writeSecrets(dir);
  const port = await freePort();
  children.push(start(etcd, etcdArgs(dir)), start(apiserver, apiserverArgs(dir, port, flags)));
  const { url, file } = await untilUsable(dir, port, token);
  process.stdout.write(`READY ${url} kubeconfig=${file}\n`);
}

/** Starts a child. If it ends first, it has failed, and the supervisor ends, too. */
function start(command: string, args: readonly string[]): ChildProcess {
  return spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] })
    .once("error", (cause) => fail(`${command}: ${cause.message}`))
    .once("exit", (code, signal) => fail(`${command} ended with ${code ?? signal}`));
}

/** Kills both, since kube-apiserver would wait a minute for open watches before it stops, and all data is deleted anyway. */
async function killAll(children: readonly ChildProcess[]): Promise<void> {
  const gone = children.map(
    (child) => new Promise((resolve) => child.removeAllListeners("exit").once("exit", resolve)),
  );
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(gone);
}

function fail(message: string): never {
  process.stderr.write(`supervisor: ${message}\n`);
  process.exit(1);
}

/** Writes the key of the service accounts, and a token for the user admin in the group system:masters. */
function writeSecrets(dir: string): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "sec1", format: "pem" });
  writeFileSync(join(dir, "service-accounts.key"), pem, { mode: 0o600 });
  const token = randomBytes(16).toString("hex");
  writeFileSync(join(dir, "tokens.csv"), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  return token;
}

/** A port that was free a moment ago. If another process takes it first, kube-apiserver reports that and everything ends. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : 0));
    });
  });
}

/** The address of an API server, and the file of its kubeconfig. */
interface Usable {
  readonly url: string;
  readonly file: string;
}

/** Polls until /readyz is ok and the namespace "default" exists, which is created a moment later. */
async function untilUsable(dir: string, port: number, token: string): Promise<Usable> {
  const end = Date.now() + 120_000;
  let why = "no response yet";
  while (Date.now() < end) {
    const asked = await isUsable(dir, port, token).catch((cause: Error) => cause.message);
    if (typeof asked !== "string") return asked;
    why = asked;
    await wait(50);
  }
  return fail(`not ready within two minutes: ${why}`);
}

async function isUsable(dir: string, port: number, token: string): Promise<Usable | string> {
  // The server's certificate, followed by its CA's; the file appears during the start.
  const ca = readFileSync(join(dir, "apiserver.crt"), "utf8");
  const access = { url: `https://127.0.0.1:${port}`, ca, token };
  const file = join(dir, "kubeconfig");
  writeFileSync(file, kubeconfigText(access), { mode: 0o600 });
  const connection = await connect(file);
  try {
    for (const path of ["/readyz", "/api/v1/namespaces/default"]) {
      const { status, text } = await connection.request("GET", path);
      if (status !== 200) return `${path}: ${status} ${text}`;
    }
    return { url: access.url, file };
  } finally {
    connection.close();
  }
}

function settings(argv: readonly string[]): Settings {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      etcd: { type: "string" },
      apiserver: { type: "string" },
      dir: { type: "string" },
      "until-eof": { type: "boolean", default: false },
    },
  });
  const { etcd, apiserver, dir } = values;
  if (etcd === undefined || apiserver === undefined || dir === undefined) {
    return fail("needs --etcd FILE --apiserver FILE --dir DIR");
  }
  return { etcd, apiserver, dir, untilEof: values["until-eof"], flags: positionals };
}

if (import.meta.main) await supervise(settings(process.argv.slice(2)));
