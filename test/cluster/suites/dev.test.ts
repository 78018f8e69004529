import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path, { join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { leftOut, releaseOf, requireBinaries } from "../binaries.ts";
import { type Blinds, blinds } from "./dev-blinds.ts";

// `antechamber dev` as its users run it: in a folder of their own, with a kind that changes.
if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("antechamber dev", claims);

interface Running {
  readonly child: ChildProcess;
  readonly printed: () => string;
  readonly noted: () => string;
}

function claims(): void {
  let project: Blinds;
  let running: Running;
  beforeAll(async () => {
    const build = { command: process.execPath, args: ["tools/play.mjs"] };
    if (!existsSync("dist/play.html")) expect(await run(build, process.env)).toMatchObject({ code: 0 });
  });
  beforeEach(() => {
    project = blinds();
  });
  afterEach(() => {
    running.child.kill("SIGKILL");
    project.remove();
  });

  it("serves a kind and every change of it, until a signal", async () => {
    running = startDev(project.folder);
    await seen(running.printed, /Ctrl-C ends both/);
    await everyPrintedCommandWorks();
    await seen(jammed, /66 is jammed/);
    const [, page = ""] = /side by side: (\S+)/.exec(running.printed()) ?? [];
    const shown = await (await fetch(page)).text();
    expect(/"title":"(Blind [^"]+)"/.exec(shown)?.[1]).toBe("Blind default/kitchen");

    await edited("v1.yaml", "slats:", "tilt: { type: integer }\n          slats:");
    await seen(async () => (await shell(explain)).stdout, /tilt/);
    await edited("kind.ts", "is jammed", "is stuck");
    await seen(jammed, /66 is stuck/);

    project.edit("kind.ts", "defineKind({", "defineKind({{");
    await seen(running.noted, /the kinds before are still served: waiting for a change/);
    expect((await shell(oldKitchen)).stdout).toMatch(/\n {2}closed: false\n/);
    await edited("kind.ts", "defineKind({{", "defineKind({");

    const late = "validate: (blind) => setTimeout(() => { throw new Error('too late') }) &&";
    await edited("kind.ts", "validate: (blind) =>", late);
    const ended = async () => `${await jammed()}${running.noted()}`;
    await seen(ended, /too late(?:.*\n)+nothing is served any more: waiting for a change/);
    await edited("kind.ts", late, "validate: (blind) =>");

    const kubeconfig = join(project.folder, "antechamber-dev.kubeconfig");
    const url = /"server":"([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
    const closed = once(running.child, "close");
    running.child.kill("SIGINT");
    expect(await closed).toEqual([0, null]);
    expect(existsSync(kubeconfig)).toBe(false);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow("fetch failed");
  }, 180_000);

  it("lets evolve store the objects in another version, although no controllers run", async () => {
    running = startDev(project.folder, ["--kubernetes-version", releaseOf(process.env)]);
    await seen(running.printed, /Ctrl-C ends both/);
    await everyPrintedCommandWorks();
    const options = "--storage v1alpha1 --assume rolled-out --settle 1s --name antechamber-dev";
    const program = `${process.execPath} ${resolve("src/cli.ts")}`;
    const ran = await shell(`${program} evolve blinds --kubeconfig antechamber-dev.kubeconfig ${options}`);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain("all objects are stored as v1alpha1");
    if (releaseOf(process.env) !== "1.36")
      expect(ran.stderr).toMatch(/no controller .* within 5 s; .* instead/);
  }, 120_000);

  it("does not overwrite a kubeconfig of the user's own", async () => {
    writeFileSync(join(project.folder, "mine"), "apiVersion: v1\nkind: Config\n");
    running = startDev(project.folder, ["--kubeconfig-out", "mine"]);
    expect(await once(running.child, "close")).toEqual([2, null]);
    expect(running.noted()).toMatch(/--kubeconfig-out mine: the file exists and is not of antechamber dev/);
  }, 60_000);

  it("starts the release that was asked for, or says which one the programs found are of", async () => {
    const [here, other] = releaseOf(process.env) === "1.36" ? ["1.36", "1.37"] : ["1.37", "1.36"];
    const env = { KUBEBUILDER_ASSETS: "", XDG_CACHE_HOME: onlyThisBuild() };
    running = startDev(project.folder, ["--kubernetes-version", here], env);
    await seen(running.printed, /Ctrl-C ends both/);
    await seen(running.noted, new RegExp(`^Kubernetes v${here}\\.\\d+$`, "m"));
    const closed = once(running.child, "close");
    running.child.kill("SIGINT");
    expect(await closed).toEqual([0, null]);
    running = startDev(project.folder, ["--kubernetes-version", other], env);
    expect(await once(running.child, "close")).toEqual([2, null]);
    expect(running.noted()).toMatch(
      new RegExp(
        `--kubernetes-version ${other}: the programs found are of v${here}\\..* npm run cluster:build`,
      ),
    );
  }, 120_000);

  /** A cache in which the build of this release is the only one, under the name of the default one. */
  function onlyThisBuild(): string {
    const builds = join(project.folder, "cache", "antechamber", "cluster");
    mkdirSync(builds, { recursive: true });
    symlinkSync(path.dirname(requireBinaries()?.apiserver ?? ""), join(builds, "0123abcd"));
    return join(project.folder, "cache");
  }

  const explain = "kubectl explain blinds.spec --api-version=example.org/v1";
  const oldKitchen = "kubectl get blinds.v1alpha1.example.org kitchen -o yaml";

  async function everyPrintedCommandWorks(): Promise<void> {
    const commands = running
      .printed()
      .split("\n")
      .filter((line) => line.startsWith("kubectl "));
    expect(commands).toHaveLength(4);
    for (const command of commands) {
      const { code, stderr } = await shell(command);
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: "" });
    }
  }

  /** What the API server says of a write that the kind rejects; a new configuration of webhooks takes a moment. */
  async function jammed(): Promise<string> {
    return (await shell('kubectl patch blind kitchen --type=merge -p \'{"spec":{"position":66}}\'')).stderr;
  }

  /** Edits a file, and waits until the kind is served again. */
  async function edited(file: string, from: string, to: string): Promise<void> {
    const before = servings();
    project.edit(file, from, to);
    await seen(() => (servings() > before ? "served again" : running.noted()), /^served again$/);
  }

  function servings(): number {
    return running.noted().split("serving Blind.example.org").length - 1;
  }

  /** Runs a command with the printed exports. */
  function shell(command: string) {
    const exports = running
      .printed()
      .split("\n")
      .filter((line) => line.startsWith("export "));
    const args = ["-c", `cd ${project.folder}\n${[...exports, command].join("\n")}`];
    return run({ command: "sh", args }, { ...process.env, HOME: project.folder });
  }
}

function startDev(
  folder: string,
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Running {
  const args = [resolve("src/cli.ts"), "dev", "--webhooks", "webhooks", ...more];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, noted] = [child.stdout, child.stderr].map((stream) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    return () => text;
  }) as [() => string, () => string];
  return { child, printed, noted };
}

/** Waits until a text that grows or is asked for again has a pattern. */
async function seen(text: () => string | Promise<string>, pattern: RegExp): Promise<void> {
  await vi.waitFor(async () => expect(await text()).toMatch(pattern), { timeout: 40_000, interval: 100 });
}
