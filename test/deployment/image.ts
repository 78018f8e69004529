// Builds the image, starts it as a cluster would and asks it: `npm exec -- node test/deployment/image.ts`. Where no builder
// is to be had it says so and ends well: what can be read off the Dockerfile, dockerfile.test.ts reads in every run.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { certs } from "../../src/cli/certs/run.ts";
import { get } from "../../src/json/json.ts";
import { ask, type Ports, portsOf } from "./asking.ts";
import { type Buildah, findBases, findBuildah, lastLine, NoBuilder } from "./builder.ts";
import { readDockerfile } from "./dockerfile.ts";

const image = "localhost/antechamber";

const folder = mkdtempSync(path.join(tmpdir(), "antechamber-image-"));
const begun = Date.now();
try {
  const buildah = findBuildah(folder);
  build(buildah);
  await tryOut(buildah);
} catch (error) {
  if (!(error instanceof NoBuilder))
    throw new Error(`the image is not good: ${lastLine(error)}`, { cause: error });
  console.log(
    `\n*** THE IMAGE WAS NOT BUILT: ${error.message}.\n*** Its Dockerfile was only read, by npm test.\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function build(buildah: Buildah): void {
  const bases = findBases(buildah, folder, readDockerfile("Dockerfile").args.BASE ?? "");
  logReview(`bases: ${bases.build}, ${bases.run}`);
  const args = ["--build-arg", `BUILD_BASE=${bases.build}`, "--build-arg", `BASE=${bases.run}`];
  buildah(["build", "--isolation", "chroot", "--pull-never", ...args, "--tag", image, "."]);
  logReview(`built: ${sizeOf(buildah, image)}, of which ${sizeOf(buildah, bases.run)} are the base`);
}

async function tryOut(buildah: Buildah): Promise<void> {
  const root = buildah(["mount", buildah(["from", "--pull-never", image]).trim()]).trim();
  const { config } = JSON.parse(buildah(["inspect", "--type", "image", image])).OCIv1;
  const ca = await certificate(path.join(root, "tls"));
  const service = start(root, config);
  try {
    const ports = await portsOf(service);
    checkConfinement(service.pid ?? 0);
    logReview("listens, without rights and on a root that nobody can write to");
    await askAll(ports, ca);
    service.kill("SIGTERM");
    const [code] = await once(service, "exit");
    if (code !== 0) throw new Error(`SIGTERM ended it with ${code}`);
    logReview("answered /livez, /readyz, /metrics and /convert; SIGTERM ended it with 0");
  } finally {
    service.kill("SIGKILL");
  }
}

/** Makes a certificate that the image's user alone can read, as a mounted Secret is; gives back its CA. */
async function certificate(out: string): Promise<string> {
  await certs(
    { out, host: ["localhost"], days: 1, force: false },
    { print: () => {}, now: () => new Date() },
  );
  for (const name of readdirSync(out)) chownSync(path.join(out, name), 65_532, 65_532);
  return readFileSync(path.join(out, "ca.crt"), "utf8");
}

interface Configuration {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
}

/** Starts what the image says, as its user. Each step becomes the next, so that in the end there is Node.js alone. */
function start(root: string, { User, Env, Entrypoint, Cmd, WorkingDir }: Configuration): ChildProcess {
  const command = [...Entrypoint, ...Cmd, "--port", "0", "--ops-port", "0", "--grace", "200ms"];
  const script = `mount --rbind "$ROOT" "$ROOT" && mount --rbind /proc "$ROOT/proc" &&
    mount -o remount,ro,bind "$ROOT" && exec env -i "$@"`;
  const [user = "", group = ""] = User.split(":");
  const inside = ["--root", root, "--wd", WorkingDir, "--setgid", group, "--setuid", user];
  const change = [...Env, "/usr/bin/setpriv", "--clear-groups", "/usr/bin/unshare", ...inside];
  return spawn("unshare", ["--mount", "sh", "-c", script, "sh", ...change, ...command], {
    stdio: ["ignore", "inherit", "pipe"],
    env: { ...process.env, ROOT: root },
  });
}

/** What the kernel says of the process: no user but the image's, and nothing of the root to be written to. */
function checkConfinement(pid: number): void {
  const [, users] = /^Uid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  if (users !== "65532\t65532\t65532\t65532") throw new Error(`it runs as ${users}`);
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, "utf8");
  if (!/^\S+ \S+ \S+ \S+ \/ ro\b/m.test(mounts)) throw new Error(`its root can be written to:\n${mounts}`);
}

async function askAll(ports: Ports, ca: string): Promise<void> {
  for (const road of ["livez", "readyz", "metrics"]) {
    const { status } = await ask(`http://localhost:${ports.opsPort}/${road}`);
    if (status !== 200) throw new Error(`/${road} answers ${status}`);
  }
  const body = readFileSync("webhooks/home/lock/reviews/convert/to-v1.json", "utf8");
  const { text } = await ask(`https://localhost:${ports.port}/convert`, { body, ca });
  const status = get(JSON.parse(text), "response", "result", "status");
  if (status !== "Success") throw new Error(`/convert answers ${text}`);
}

function sizeOf(buildah: Buildah, name: string): string {
  return buildah(["images", "--format", "{{.Size}}", name]).trim();
}

function logReview(what: string): void {
  console.log(`${((Date.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${what}`);
}
