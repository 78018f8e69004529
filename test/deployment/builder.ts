import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The bases that an image is built on: names of images that the builder has. */
export interface Bases {
  readonly build: string;
  readonly run: string;
}

/** Runs buildah on a store of its own below a folder; gives back what it printed. */
export type Buildah = (args: readonly string[], options?: { readonly timeout?: number }) => string;

/** Why there is no builder; the Dockerfile is then only read (dockerfile.test.ts). */
export class NoBuilder extends Error {
  override readonly name = "NoBuilder";
}

/** The machine's buildah; installed first where that is missing and may be done: on Debian, as root. Throws NoBuilder. */
export function findBuildah(folder: string): Buildah {
  if (process.getuid?.() !== 0) throw new NoBuilder("images are built as root only, and this is not root");
  if (!works("unshare", ["--mount", "true"])) throw new NoBuilder("this machine lets nobody mount anything");
  if (!works("buildah", ["--version"])) install();
  const store = ["--root", path.join(folder, "root"), "--runroot", path.join(folder, "run")];
  return (args, { timeout = 600_000 } = {}) =>
    // vfs: slower than overlay and everywhere there.
    output("buildah", [...store, "--storage-driver", "vfs", ...args], timeout);
}

/** The bases that the Dockerfile names, where they can be pulled; else two that are made of this machine's files. */
export function findBases(buildah: Buildah, folder: string, named: string): Bases {
  try {
    buildah(["pull", "--quiet", named], { timeout: 180_000 });
    return { build: named, run: named };
  } catch (error) {
    console.log(`${named} cannot be pulled (${lastLine(error)}): bases of this machine's files stand in`);
  }
  const programs = ["/bin/sh", "/usr/bin/env", "/usr/bin/find"];
  const build = { name: "localhost/build-base", programs, npm: true };
  const run = { name: "localhost/run-base", programs: [], npm: false };
  try {
    for (const base of [build, run]) makeBase(buildah, path.join(folder, path.basename(base.name)), base);
  } catch (error) {
    throw new NoBuilder(`no base can be had: ${lastLine(error)}`);
  }
  return { build: build.name, run: run.name };
}

/** What an error of a child process says in the end. */
export function lastLine(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  return stderr.trim().split("\n").at(-1) || String(error);
}

function install(): void {
  if (!works("apt-get", ["--version"])) throw new NoBuilder("there is neither buildah nor apt-get here");
  try {
    console.log("installing buildah");
    output("apt-get", ["update", "-qq"], 120_000);
    output("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "buildah"], 180_000);
  } catch (error) {
    throw new NoBuilder(`buildah cannot be installed: ${lastLine(error)}`);
  }
}

interface Base {
  readonly name: string;
  readonly programs: readonly string[];
  readonly npm: boolean;
}

/** Makes an image that holds this Node.js, some programs and the libraries they need: of the second base that is all. */
function makeBase(buildah: Buildah, folder: string, { name, programs, npm }: Base): void {
  const rootfs = path.join(folder, "rootfs");
  for (const each of ["dev", "etc", "proc", "root", "run", "sys", "tmp", "usr/local/bin"])
    mkdirSync(path.join(rootfs, each), { recursive: true });
  const put = (file: string, to = file) =>
    cpSync(realpathSync(file), path.join(rootfs, to), { recursive: true });
  put(process.execPath, "/usr/local/bin/node");
  for (const program of programs) put(program);
  // The bundler has native code of its own.
  const native = npm ? globSync("node_modules/@rolldown/binding-*/*.node") : [];
  for (const library of new Set([process.execPath, ...programs, ...native].flatMap(librariesOf)))
    put(library);
  if (npm) {
    const starter = realpathSync(output("sh", ["-c", "command -v npm"]).trim());
    put(path.join(path.dirname(starter), ".."), "/usr/local/lib/npm");
    writeFileSync(path.join(rootfs, "usr/local/bin/npm"), npmStarter, { mode: 0o755 });
  }
  // Where this machine trusts a CA of its own network, what is installed in the image must trust it too.
  const authorities = process.env.NODE_EXTRA_CA_CERTS ?? "";
  if (npm && existsSync(authorities)) put(authorities, "/etc/ssl/extra.crt");
  const file = path.join(folder, "Dockerfile");
  const more = npm && existsSync(authorities) ? "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/extra.crt\n" : "";
  writeFileSync(file, `FROM scratch\nCOPY rootfs /\nENV PATH=/usr/local/bin:/usr/bin:/bin\n${more}`);
  buildah(["build", "--quiet", "--file", file, "--tag", name, folder]);
}

const npmStarter = '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n';

function librariesOf(program: string): readonly string[] {
  return [...output("ldd", [program]).matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, file]) => file ?? "");
}

function works(command: string, args: readonly string[]): boolean {
  try {
    output(command, args);
    return true;
  } catch {
    return false;
  }
}

function output(command: string, args: readonly string[], timeout = 60_000): string {
  return execFileSync(command, args, {
    encoding: "utf8",
    timeout,
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1e8,
  });
}
