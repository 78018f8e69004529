// What `antechamber verify --url` needs for large CRDs. Prints the page docs/evidence/large.md.
//   npm run --silent bench:verify-large -- FILE...

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { localSource } from "../certs/local.ts";
import { subjectOf } from "../src/checks/index.ts";
import { placesOf } from "../src/checks/webhook/build.ts";
import type { WebhookReport } from "../src/cli/verify-webhook/report.ts";
import { isArray, isObject, type Json, type JsonObject, listAt, objectAt, set } from "../src/json/json.ts";
import { readYaml } from "../src/yaml/yaml.ts";
import { answerTo, type Conversion } from "../test/checks/webhook/webhooks.ts";

const { positionals } = parseArgs({ allowPositionals: true });
if (positionals.length === 0) throw new Error("name files with CRDs");

const sound: Conversion = (object, desired) => ({ ...object, apiVersion: desired });

/** Fields of spec and status whose names begin with a letter after s are lost. */
const losing: Conversion = (object, desired) => {
  const without = (value: Json): Json => {
    if (isArray(value)) return value.map(without);
    if (!isObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => !/^[s-z]/.test(name));
    return Object.fromEntries(kept.map(([name, inner]) => [name, without(inner)]));
  };
  const { spec = {}, status = {} } = object;
  return { ...object, apiVersion: desired, spec: without(spec), status: without(status) };
};

const intro = `# Large CRDs

What \`antechamber verify --url\` needs for CRDs of 1 MB and more; \`npm run bench:verify-large\` prints this page.
The command runs as a process of its own, with its default settings, which end it after ten minutes.
*sound* is a stub that changes the version alone; what it loses are fields that the other version does not have.
*losing* is one that loses all fields whose names begin with a letter from s to z.
A CRD of one version gets a second one.
Seconds are those of the processor, and MiB the most that the process had.
On a busy machine the ten minutes may be over after one of the processor.
The report then names what was not tried.
The last column is how long the process took to end after Ctrl-C, four seconds after its start, with its report.
`;

/** What one run needed. */
interface Usage {
  readonly seconds: number;
  readonly mebibytes: number;
  readonly code: number | null;
  readonly report: WebhookReport | undefined;
  /** Milliseconds from the signal to the end. */
  readonly waited: number;
}

const folder = mkdtempSync(join(tmpdir(), "antechamber-large-"));
const source = await localSource({ now: () => new Date() });
const pair = source.current();
source.stop();
writeFileSync(join(folder, "ca.crt"), source.authority());
let convert = sound;
const server = createServer(
  { cert: pair?.certificate ?? "", key: pair?.key ?? "" },
  async (request, response) => {
    response.end(answerTo(await text(request), convert));
  },
);
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

try {
  console.log(intro);
  console.log("| CRD | MB | places | webhook | objects | findings | not tried | seconds | MiB | Ctrl-C |");
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const file of positionals) await measure(file);
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(file: string): Promise<void> {
  const crd = withTwoVersions(file);
  const read = subjectOf(crd);
  if ("causes" in read) throw new Error(`${file}: ${read.causes.join("\n")}`);
  const { name, versions } = read.subject;
  const places = versions.map(({ schema }) => placesOf(schema).length);
  const path = join(folder, "crd.json");
  writeFileSync(path, JSON.stringify(crd));
  convert = sound;
  const { waited, code } = await run(path, 4_000);
  for (const [what, each] of Object.entries({ sound, losing })) {
    convert = each;
    const { seconds, mebibytes, report } = await run(path);
    const [kind] = report?.kinds ?? [];
    const cells = [
      name,
      (statSync(file).size / 1e6).toFixed(1),
      places.join(", "),
      what,
      String(kind?.objects),
      String(kind?.findings.filter(({ kind }) => !["added", "invalid", "looser"].includes(kind)).length),
      kind === undefined
        ? "no report"
        : `${kind.untried.reduce((sum, { places }) => sum + places.length, 0)} places${kind.ended === undefined ? "" : `; ${kind.ended}`}`,
      String(Math.round(seconds)),
      String(Math.round(mebibytes)),
      code === 130 ? `${(waited / 1000).toFixed(1)} s` : `exit code ${code}`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

function withTwoVersions(file: string): JsonObject {
  const crd = readYaml(readFileSync(file, "utf8"))
    .map(({ value }) => value)
    .find((value) => isObject(value) && value.kind === "CustomResourceDefinition");
  const versions = listAt(crd, "spec", "versions");
  const [first] = versions;
  if (!isObject(crd) || !isObject(first)) throw new Error(`${file}: no CRD`);
  if (versions.length > 1) return crd;
  const spec = set(objectAt(crd, "spec"), "versions", [
    ...versions,
    { ...first, name: "v99", storage: false },
  ]);
  return set(crd, "spec", spec);
}

/** Runs the command, which says at its end what it needed; after so many milliseconds with Ctrl-C. */
async function run(crd: string, interruptAfter?: number): Promise<Usage> {
  const usage =
    "process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); console.error('used', (userCPUTime + systemCPUTime) / 1e6, maxRSS / 1024) })";
  const args = ["--import", `data:text/javascript,${encodeURIComponent(usage)}`, "src/cli.ts", "verify"];
  const options = [
    "--url",
    `https://localhost:${port}/convert`,
    "--ca",
    join(folder, "ca.crt"),
    "--crd",
    crd,
  ];
  const child = spawn(process.execPath, [...args, ...options, "--seed", "1", "-o", "json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let sent = 0;
  const timer =
    interruptAfter === undefined
      ? undefined
      : setTimeout(() => {
          sent = performance.now();
          child.kill("SIGINT");
        }, interruptAfter);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  clearTimeout(timer);
  const [, seconds = "0", mebibytes = "0"] = /^used (\S+) (\S+)$/m.exec(err) ?? [];
  return {
    seconds: Number(seconds),
    mebibytes: Number(mebibytes),
    code,
    report: out === "" ? undefined : JSON.parse(out),
    waited: performance.now() - sent,
  };
}
