// The service under attack: a new process with the memory limit of manifests/base/deployment.yaml.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The address and CA of a service. */
export interface Target {
  readonly pid: number;
  readonly port: number;
  readonly opsPort: number;
  readonly ca: string;
}

/** The resources that a process has used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  /** Peak resident memory (VmHWM), in MiB. */
  readonly residentMiB: number;
  /** Peak memory of its cgroup, including the page cache; undefined without a cgroup. */
  readonly chargedMiB: number | undefined;
}

/** A service in a separate process. */
export interface Subject extends Target {
  /** Read ten times a second, so that it is still known after the process has exited. */
  readonly usage: () => Usage;
  /** The signal or exit code of the process; undefined while it runs. */
  readonly ended: () => string | undefined;
  readonly stop: () => Promise<void>;
}

const limitMiB = 1024;
const groups = "/sys/fs/cgroup/memory";

/** How the memory limit is enforced: by a cgroup (v1) if possible, else by the heap limit that Node.js would choose. */
export const isLimitedByCgroup = canMakeGroups();

function canMakeGroups(): boolean {
  const trial = path.join(groups, `antechamber-trial-${process.pid}`);
  try {
    mkdirSync(trial);
    const isReal = existsSync(path.join(trial, "memory.limit_in_bytes"));
    rmdirSync(trial);
    return isReal;
  } catch {
    // No permission, no cgroups, or version 2, which would need more setup: the heap limit is used instead.
    return false;
  }
}

/** Starts the service of a checkout. */
export async function startSubject(tree: string): Promise<Subject> {
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-hostile-"));
  const group = isLimitedByCgroup ? makeGroup(folder) : undefined;
  const logFile = path.join(folder, "log");
  const log = openSync(logFile, "a");
  const heap = group === undefined ? ["--max-old-space-size=512"] : [];
  const ports = ["--port", "0", "--ops-port", "0", "--host", "127.0.0.1", "--grace", "0ms"];
  const serve = [...heap, "src/cli.ts", "serve", ...ports, "--ca-out", path.join(folder, "ca.crt")];
  // The shell moves itself into the group and then executes the service, so that all its memory is counted.
  const shell = ['echo $$ > "$0" && exec "$@"', group === undefined ? "/dev/null" : `${group}/cgroup.procs`];
  const child = spawn("/bin/sh", ["-c", ...shell, process.execPath, ...serve], {
    cwd: tree,
    stdio: ["ignore", "ignore", log],
  });
  const pid = child.pid as number;
  let usage: Usage = { cpuSeconds: 0, residentMiB: 0, chargedMiB: undefined };
  const look = () => {
    usage = usageOf(pid, group) ?? usage;
    return usage;
  };
  const timer = setInterval(look, 100);
  const ended = () => endingOf(child.signalCode, child.exitCode, group);
  const { port, opsPort } = await listening(logFile, ended);
  return {
    ...{ pid, port, opsPort, ca: readFileSync(path.join(folder, "ca.crt"), "utf8"), usage: look, ended },
    stop: async () => {
      clearInterval(timer);
      if (child.exitCode === null && child.signalCode === null) {
        const over = once(child, "exit");
        child.kill("SIGKILL");
        await over;
      } else reportDeath(logFile);
      if (group !== undefined) rmdirSync(group);
      rmSync(folder, { recursive: true });
    },
  };
}

/** The number of open file descriptors of a process; undefined if it has exited. */
export function descriptorsOf(pid: number): number | undefined {
  const folder = `/proc/${pid}/fd`;
  return existsSync(folder) ? readdirSync(folder).length : undefined;
}

function makeGroup(folder: string): string {
  const group = path.join(groups, path.basename(folder));
  mkdirSync(group);
  writeFileSync(path.join(group, "memory.limit_in_bytes"), `${limitMiB * 1024 * 1024}`);
  return group;
}

async function listening(
  logFile: string,
  ended: () => string | undefined,
): Promise<{ port: number; opsPort: number }> {
  for (;;) {
    const log = readFileSync(logFile, "utf8");
    const line = log.split("\n").find((each) => each.includes('"msg":"serving"') && each.endsWith("}"));
    if (line !== undefined) return JSON.parse(line);
    if (ended() !== undefined) throw new Error(`the service ended with ${ended()}:\n${log}`);
    await wait(20);
  }
}

function usageOf(pid: number, group: string | undefined): Usage | undefined {
  try {
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    if (peak === undefined) return undefined;
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // Fields 14 and 15 of proc(5), in ticks of 10 ms.
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      cpuSeconds: ticks / 100,
      residentMiB: Number(peak) / 1024,
      chargedMiB: group === undefined ? undefined : numberIn(group, "memory.max_usage_in_bytes") / 2 ** 20,
    };
  } catch {
    // It exited between two reads.
    return undefined;
  }
}

function endingOf(signal: string | null, code: number | null, group: string | undefined): string | undefined {
  if (signal === null && code === null) return undefined;
  const isKilled = group !== undefined && numberIn(group, "memory.oom_control", "oom_kill") > 0;
  return `${signal ?? `exit code ${code}`}${isKilled ? ", out of memory" : ""}`;
}

function numberIn(group: string, file: string, name?: string): number {
  const text = readFileSync(path.join(group, file), "utf8");
  return Number(name === undefined ? text : new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

/** Prints why it exited: the lines that are neither access log nor native stack frames. */
function reportDeath(logFile: string): void {
  const lines = readFileSync(logFile, "utf8").split("\n");
  const words = lines.filter((line) => /FATAL|Error|"level":[56]0/.test(line));
  for (const line of words.slice(-5)) console.error(`    ${line.slice(0, 300)}`);
}
