import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { builtBinaries, cacheFolder, goVersion, kubernetesVersion, sourceFolder } from "./binaries.ts";

// node test/cluster/build.ts: builds kube-apiserver with etcd, and kubectl, once for all checkouts.

/** One run of Go: what is said about it, and its arguments. */
export interface Step {
  readonly what: string;
  readonly args: readonly string[];
}

/** How both programs are built into a folder. Without the version in the linker's flags the server would not know its own. */
export function buildSteps(folder: string, version: string): readonly Step[] {
  const [major, minor] = version.slice(1).split(".");
  const stamp = Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor });
  const linker = [
    "-s -w",
    ...stamp.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`),
  ];
  // Two packages at a time: each compiler takes up to a gigabyte of memory.
  const build = ["build", "-p=2", "-buildvcs=false", "-trimpath", "-ldflags", linker.join(" ")];
  const { apiserver, kubectl } = builtBinaries(folder);
  return [
    { what: `kube-apiserver ${version} with etcd`, args: [...build, "-o", apiserver, "."] },
    { what: `kubectl ${version}`, args: [...build, "-o", kubectl, "k8s.io/kubernetes/cmd/kubectl"] },
  ];
}

/** What is wrong with a Go of some version, as `go env GOVERSION` says it; undefined if it is new enough. */
export function goComplaint(found: string, needed: string): string | undefined {
  const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(found) ?? []).map(Number);
  const [needMajor = 0, needMinor = 0] = needed.split(".").map(Number);
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return undefined;
  return `${found || "this Go"} is too old: building the API server needs Go ${needMajor}.${needMinor} or newer (https://go.dev/dl)`;
}

async function build(): Promise<void> {
  const folder = cacheFolder();
  if (isBuilt(folder)) return say(`kube-apiserver and kubectl are built already: ${folder}`);
  await checkGo();
  say(`Building kube-apiserver with etcd, and kubectl, into ${folder}.`);
  say(
    "The first time this fetches about 90 MB of Go modules and takes 3 to 6 minutes on two cores; later, seconds.",
  );
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.unfinished-`);
  process.once("exit", () => rmSync(unfinished, { recursive: true, force: true }));
  for (const step of buildSteps(unfinished, kubernetesVersion())) await run(step);
  moveInto(folder, unfinished);
  say(`Done: ${folder}`);
}

async function checkGo(): Promise<void> {
  const needed = goVersion();
  const { code, out, err } = await go(["env", "GOVERSION"]);
  if (code !== 0) throw new Error(`go does not work here (Go ${needed} is needed): ${err.trim()}`);
  const complaint = goComplaint(out.trim(), needed);
  if (complaint !== undefined) throw new Error(complaint);
}

async function run({ what, args }: Step): Promise<void> {
  const begin = Date.now();
  const elapsed = () => `${Math.round((Date.now() - begin) / 1000)} s`;
  let fetched = 0;
  say(`  ${what} …`);
  const ticker = setInterval(() => {
    say(`  ${what}: ${elapsed()}, ${fetched > 0 ? `${fetched} modules fetched, ` : ""}compiling`);
  }, 15_000);
  const { code, err } = await go(args, (chunk) => {
    fetched += chunk.split("go: downloading").length - 1;
  }).finally(() => clearInterval(ticker));
  if (typeof code === "string") throw new Error(`go was ended by ${code}; nothing is left behind`);
  if (code !== 0) throw new Error(`go ${args.join(" ")}\nended with ${code}:\n${withoutDownloads(err)}`);
  say(`  ${what}: done in ${elapsed()}`);
}

interface Ran {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

async function go(args: readonly string[], onError: (chunk: string) => void = () => {}): Promise<Ran> {
  const child = spawn("go", args, { cwd: sourceFolder, stdio: ["ignore", "pipe", "pipe"] });
  const stop = endWith(child);
  child.stderr.setEncoding("utf8").on("data", onError);
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", (cause) => {
      reject(new Error(`cannot run go (${cause.message}); building the API server needs Go ${goVersion()}`));
    });
    child.once("close", (code, signal) => resolve(code ?? signal ?? 1));
  }).finally(stop);
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

/** Ends Go, and then this process, when somebody interrupts it. */
function endWith(child: ChildProcess): () => void {
  const interrupt = () => child.kill("SIGINT");
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  return () => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupt);
  };
}

/** A rename is all or nothing; somebody who was faster has built the same. */
function moveInto(folder: string, unfinished: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (cause) {
    if (!isBuilt(folder)) throw cause;
  }
}

function isBuilt(folder: string): boolean {
  const { apiserver, kubectl } = builtBinaries(folder);
  return existsSync(apiserver) && existsSync(kubectl);
}

function withoutDownloads(err: string): string {
  return err
    .split("\n")
    .filter((line) => !line.startsWith("go: downloading"))
    .join("\n")
    .trim();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main) {
  await build().catch((cause: Error) => {
    process.stderr.write(`${cause.message}\n`);
    process.exitCode = 1;
  });
}
