import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { run as runChild } from "../../src/cluster/local/child.ts";
import {
  apiserverFolder,
  builtBinaries,
  cacheFolder,
  findBinaries,
  goVersion,
  kubernetesVersion,
  moduleFile,
  type Release,
  releaseOf,
  releases,
  sourceFolder,
} from "./binaries.ts";
import { builtKruise, kruiseSources } from "./kruise.ts";
import { builtFunctions, functionsSources } from "./kruise-functions.ts";
import { migratorFolder, migratorProgram } from "./migrator.ts";
import { isFetched, publishedCrds, publishedModules, publishedSources } from "./published.ts";
import { actionlint, helm, promql, type Tool, toolProgram } from "./tools.ts";
import {
  allTargets,
  builtTargets,
  isTargetBuilt,
  pluralOf,
  targetFolder,
  targetModule,
  targetProgram,
  targetSources,
  type WebhookTarget,
} from "./webhook-targets.ts";

// node test/cluster/build.ts: builds kube-apiserver with etcd, kubectl, OpenKruise's manager, and a program that asks its
// functions, conversion webhooks of other projects, and fetches the CRDs of other projects, once for all checkouts.
// With --part cluster it builds all but OpenKruise, with --part openkruise OpenKruise and the API server, with --part apiserver
// the API server alone, with --part targets the conversion webhooks of other projects, of which the tests need a part.
// With --kubernetes 1.37 it builds that kube-apiserver, kubectl and the controllers of StorageVersionMigration alone, which the
// tests use with KUBERNETES=1.37.

/** One run of Go: its description, and its arguments. */
export interface Step {
  readonly what: string;
  readonly args: readonly string[];
}

/** Builds both programs into a folder. The linker flags set the version that the API server reports. */
export function buildSteps(folder: string, version: string, modules = "go.mod"): readonly Step[] {
  const [major, minor] = version.slice(1).split(".");
  const stamp = Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor });
  const linker = stamp.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  const { apiserver, kubectl } = builtBinaries(folder);
  const from = modules === "go.mod" ? [] : [`-modfile=${modules}`];
  return [
    {
      what: `kube-apiserver ${version} with etcd`,
      args: [...goBuild(linker), ...from, "-o", apiserver, "."],
    },
    {
      what: `kubectl ${version}`,
      args: [...goBuild(linker), ...from, "-o", kubectl, "k8s.io/kubernetes/cmd/kubectl"],
    },
  ];
}

/** How the StorageVersionMigration controllers of a release are built into a folder. */
export function migratorSteps(folder: string, release: Release): readonly Step[] {
  const from = release === releases[0] ? [] : [`-modfile=${moduleFile(release)}`, "-tags=v1"];
  return [
    {
      what: `StorageVersionMigration controllers ${kubernetesVersion(release)}`,
      args: [...goBuild([]), ...from, "-o", migratorProgram(folder), "./migrator"],
    },
  ];
}

/** Builds OpenKruise's manager into a folder, from its own main package. */
export function kruiseSteps(folder: string): readonly Step[] {
  const { manager } = builtKruise(folder);
  return [{ what: "OpenKruise's manager", args: [...goBuild([]), "-o", manager, kruiseModule] }];
}

/** How the program that asks OpenKruise's functions is built into a folder. */
export function functionsSteps(folder: string): readonly Step[] {
  return [{ what: "OpenKruise's functions", args: [...goBuild([]), "-o", builtFunctions(folder), "."] }];
}

/** How the CRDs of other projects are fetched. Go checks each module against go.sum. */
export function publishedSteps(): readonly Step[] {
  return [{ what: "Go modules with CRDs", args: downloadArgs() }];
}

function downloadArgs(): readonly string[] {
  return ["mod", "download", "-json", ...publishedModules()];
}

const kruiseModule = "github.com/openkruise/kruise";

function goBuild(linker: readonly string[]): readonly string[] {
  // Two packages at a time: each compiler takes up to a gigabyte of memory.
  return ["build", "-p=2", "-buildvcs=false", "-trimpath", "-ldflags", ["-s -w", ...linker].join(" ")];
}

/** Why a version of Go, as `go env GOVERSION` prints it, cannot be used; undefined if it is new enough. */
export function goComplaint(found: string, needed: string): string | undefined {
  const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(found) ?? []).map(Number);
  const [needMajor = 0, needMinor = 0] = needed.split(".").map(Number);
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return undefined;
  return `${found || "this Go"} is too old: building this needs Go ${needMajor}.${needMinor} or newer (https://go.dev/dl)`;
}

/** What an invocation builds: everything with the default release, or the API server of another one alone. */
async function buildAll(args: readonly string[]): Promise<void> {
  const options = { kubernetes: { type: "string" }, part: { type: "string" } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.kubernetes !== undefined) {
    const release = releaseOf({ KUBERNETES: values.kubernetes });
    await build(apiserverProduct(release));
    return build(migratorProduct(release));
  }
  for (const product of partOf(values.part)) await build(product);
}

/** What is built from one Go module, into one folder. */
interface Product {
  readonly what: string;
  readonly sources: string;
  readonly first: string;
  readonly steps: (folder: string) => readonly Step[];
  readonly isBuilt: (folder: string) => boolean;
  /** The folder that it is built into, if it does not depend on the sources alone. */
  readonly folder?: string;
  /** Steps other than running Go. */
  readonly finish?: (folder: string) => Promise<void>;
}

const openKruise: readonly Product[] = [
  {
    what: "OpenKruise's manager",
    sources: kruiseSources,
    first: "fetches about 80 MB of Go modules and takes 5 to 10 minutes on two cores",
    steps: kruiseSteps,
    isBuilt: (folder) => areThere(...Object.values(builtKruise(folder))),
    finish: writeInstall,
  },
  {
    what: "a program that asks OpenKruise's functions",
    sources: functionsSources,
    first: "takes less than a minute after the manager",
    steps: functionsSteps,
    isBuilt: (folder) => areThere(builtFunctions(folder)),
  },
];

const others: readonly Product[] = [
  migratorProduct(releases[0]),
  {
    what: "CRDs of other projects",
    sources: publishedSources,
    first: "fetches about 10 MB of Go modules and takes seconds",
    steps: publishedSteps,
    isBuilt: isFetched,
    finish: copyCrds,
  },
  ...builtTargets.map(targetProduct),
  toolProduct(promql),
  toolProduct(helm),
  toolProduct(actionlint),
];

/** What the tests of a part need; without a name, those of all. */
function partOf(name: string | undefined): readonly Product[] {
  const apiserver = apiserverProduct(releases[0]);
  if (name === undefined) return [apiserver, ...others, ...openKruise];
  if (name === "apiserver") return [apiserver];
  if (name === "cluster") return [apiserver, ...others];
  if (name === "openkruise") return [apiserver, ...openKruise];
  if (name === "targets") return allTargets.map(targetProduct);
  throw new Error(`--part ${name}: can only be apiserver, cluster, openkruise or targets`);
}

function apiserverProduct(release: Release): Product {
  return {
    what: "kube-apiserver with etcd, and kubectl",
    sources: sourceFolder,
    first: "fetches about 90 MB of Go modules and takes 3 to 6 minutes on two cores",
    steps: (folder) => buildSteps(folder, kubernetesVersion(release), moduleFile(release)),
    isBuilt: (folder) => areThere(builtBinaries(folder).apiserver, builtBinaries(folder).kubectl),
    folder: apiserverFolder(process.env, release),
  };
}

function migratorProduct(release: Release): Product {
  return {
    what: "the StorageVersionMigration controllers",
    sources: sourceFolder,
    first: "takes up to a minute after the API server",
    steps: (folder) => migratorSteps(folder, release),
    isBuilt: (folder) => areThere(migratorProgram(folder)),
    folder: migratorFolder(process.env, release),
  };
}

function toolProduct(tool: Tool): Product {
  return {
    what: tool.what,
    sources: tool.sources,
    first: "fetches up to 60 MB of Go modules and takes up to five minutes on two cores",
    steps: (folder) => [
      { what: tool.what, args: [...goBuild([]), "-o", toolProgram(folder, tool), tool.main] },
    ],
    isBuilt: (folder) => areThere(toolProgram(folder, tool)),
  };
}

function targetProduct(target: WebhookTarget): Product {
  return {
    what: `the conversion webhook of ${target.name}`,
    sources: targetSources(target.name),
    first: "fetches up to 30 MB of Go modules and takes up to a minute on two cores",
    steps: (folder) => [
      { what: `${target.name}'s conversions`, args: [...goBuild([]), "-o", targetProgram(folder), "."] },
    ],
    isBuilt: (folder) => isTargetBuilt(folder, target),
    folder: targetFolder(process.env, target.name),
    finish: (folder) => copyTargetCrds(target, folder),
  };
}

async function build(product: Product): Promise<void> {
  const { what, sources, first, steps, isBuilt, finish } = product;
  const folder = product.folder ?? cacheFolder(process.env, sources);
  if (isBuilt(folder)) return say(`Built already: ${what}, in ${folder}`);
  await checkGo(sources);
  say(`Building ${what}, into ${folder}.`);
  say(`The first time this ${first}; later, seconds.`);
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.unfinished-`);
  process.once("exit", () => rmSync(unfinished, { recursive: true, force: true }));
  for (const step of steps(unfinished)) await run(step, sources);
  await finish?.(unfinished);
  moveInto(folder, unfinished, isBuilt);
  say(`Done: ${folder}`);
}

/** Writes the manifests of the release that was built next to its program. */
async function writeInstall(folder: string): Promise<void> {
  const { code, out, err } = await go(["list", "-m", "-f", "{{.Dir}}", kruiseModule], kruiseSources);
  if (code !== 0) throw new Error(`go list does not find ${kruiseModule}:\n${err}`);
  const kubectl = findBinaries()?.kubectl ?? "kubectl";
  const args = ["kustomize", join(out.trim(), "config/default")];
  const built = await runChild({ command: kubectl, args }, process.env);
  if (built.code !== 0) throw new Error(`OpenKruise's manifests cannot be built:\n${built.stderr}`);
  writeFileSync(builtKruise(folder).install, built.stdout);
}

/** Copies the CRDs out of Go's cache of modules, which may be emptied at any time. */
async function copyCrds(folder: string): Promise<void> {
  const { code, out, err } = await go(downloadArgs(), publishedSources);
  if (code !== 0) throw new Error(`go does not say where the modules are:\n${err}`);
  const modules = JSON.parse(`[${out.replaceAll(/^}\n{/gm, "},\n{")}]`) as readonly DownloadedModule[];
  for (const { module, file, copy } of publishedCrds) {
    const found = modules.find(({ Path }) => Path === module);
    if (found === undefined) throw new Error(`go did not download ${module}`);
    copyFileSync(join(found.Dir, file), join(folder, copy));
  }
}

/** Copies the CRDs that a target converts. */
async function copyTargetCrds(target: WebhookTarget, folder: string): Promise<void> {
  const args = ["mod", "download", "-json", targetModule(target)];
  const { code, out, err } = await go(args, targetSources(target.name));
  if (code !== 0) throw new Error(`go ${args.join(" ")} ended with ${code}:\n${out}${err}`);
  const { Dir } = JSON.parse(out) as DownloadedModule;
  for (const file of target.crds) {
    const original = target.fileOf?.(pluralOf(file)) ?? file;
    copyFileSync(join(Dir, target.folder, original), join(folder, file));
  }
}

/** A module as `go mod download -json` prints it. */
interface DownloadedModule {
  readonly Path: string;
  readonly Dir: string;
}

async function checkGo(sources: string): Promise<void> {
  const needed = goVersion(sources);
  const { code, out, err } = await go(["env", "GOVERSION"], sources);
  if (code !== 0) throw new Error(`go does not work here (Go ${needed} is needed): ${err.trim()}`);
  const complaint = goComplaint(out.trim(), needed);
  if (complaint !== undefined) throw new Error(complaint);
}

async function run({ what, args }: Step, sources: string): Promise<void> {
  const begin = Date.now();
  const elapsed = () => `${Math.round((Date.now() - begin) / 1000)} s`;
  let fetched = 0;
  say(`  ${what} …`);
  const ticker = setInterval(() => {
    say(
      `  ${what}: ${elapsed()}, ${fetched > 0 ? `${fetched} modules fetched, ` : ""}${args[0] === "mod" ? "fetching" : "compiling"}`,
    );
  }, 15_000);
  const { code, err } = await go(args, sources, (chunk) => {
    fetched += chunk.split("go: downloading").length - 1;
  }).finally(() => clearInterval(ticker));
  if (typeof code === "string") throw new Error(`go ended on ${code}; no files were left behind`);
  if (code !== 0) throw new Error(`go ${args.join(" ")}\nended with ${code}:\n${withoutDownloads(err)}`);
  say(`  ${what}: done in ${elapsed()}`);
}

interface Ran {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

async function go(
  args: readonly string[],
  sources: string,
  onError: (chunk: string) => void = () => {},
): Promise<Ran> {
  const child = spawn("go", args, { cwd: sources, stdio: ["ignore", "pipe", "pipe"] });
  const stop = endWith(child);
  child.stderr.setEncoding("utf8").on("data", onError);
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", (cause) => {
      reject(new Error(`cannot run go (${cause.message}); building this needs Go ${goVersion(sources)}`));
    });
    child.once("close", (code, signal) => resolve(code ?? signal ?? 1));
  }).finally(stop);
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

/** Passes an interruption on to Go; this process then ends with it. */
function endWith(child: ChildProcess): () => void {
  const interrupt = () => child.kill("SIGINT");
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  return () => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupt);
  };
}

/** Renaming is atomic; a build that finished earlier has the same content. */
function moveInto(folder: string, unfinished: string, isBuilt: Product["isBuilt"]): void {
  // What another checkout built from the same sources may lack files that this one asks for.
  if (!isBuilt(folder)) rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(unfinished, folder);
  } catch (cause) {
    if (!isBuilt(folder)) throw cause;
  }
}

function areThere(...files: readonly string[]): boolean {
  return files.every((file) => existsSync(file));
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
  await buildAll(process.argv.slice(2)).catch((cause: Error) => {
    process.stderr.write(`${cause.message}\n`);
    process.exitCode = 1;
  });
}
