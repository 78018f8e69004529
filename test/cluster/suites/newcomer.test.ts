import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { type Installed, install } from "../../deployment/installed.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// What a new user does with CRDs of other projects, by commands alone, in an empty folder with the packed package.
const crds = requirePublished();
if (requireBinaries() === undefined) it(leftOut, () => {});
else if (crds === undefined) it(publishedLeftOut, () => {});
else describe("three published CRDs, from an empty folder to an API server,", () => claims(crds));

const files = ["clusters.yaml", "certificates.yaml", "alertmanagerconfigs.yaml"];

function claims(published: string): void {
  let installed: Installed;
  let project: string;
  let server: ApiServer;
  let service: ChildProcess | undefined;

  const bin = () => resolve(installed.folder, "node_modules/antechamber/bin/antechamber.js");
  const attempt = (...args: readonly string[]) => {
    const script = 'cd "$0" && exec "$@"';
    return run(
      { command: "sh", args: ["-c", script, project, process.execPath, bin(), ...args] },
      process.env,
    );
  };
  /** Runs a command of the package in the project. */
  const antechamber = async (...args: readonly string[]) => {
    const ran = await attempt(...args);
    expect({ args, code: ran.code, stderr: ran.code === 0 ? "" : ran.stderr }).toMatchObject({ code: 0 });
    return ran;
  };

  beforeAll(async () => {
    server = await startApiServer();
    installed = install("links");
    project = installed.folder;
    // What npm records when it installs a tarball.
    const dependencies = { antechamber: "file:antechamber.tgz" };
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "empty", type: "module", dependencies }),
    );
  }, 120_000);
  afterAll(async () => {
    service?.kill();
    await server?.stop();
    installed?.remove();
  });

  it("needs no other work than commands, and the answers to what a draft leaves open", async () => {
    await antechamber("init", "shop");
    project = join(project, "shop");
    const { stdout } = await antechamber("import", ...files.map((file) => join(published, file)));
    expect(stdout).toMatch(/Cluster/);
    const cluster = ["verify", "--kind", "Cluster", "--runs", "1", "--seed", "1"];
    const open = await attempt(...cluster, "--law", "Mapped");
    expect(open).toMatchObject({ code: 1, stdout: expect.stringContaining("spec.controlPlaneRef.apiGroup") });
    answer(join(project, "webhooks/cluster.x-k8s.io/cluster/v1beta1.ts"));
    await antechamber(...cluster);
    await antechamber("verify", "--kind", "Certificate", "--runs", "1", "--seed", "1");
    // The survey of the largest kind takes a minute; published-laws.test.ts tests its laws.

    await antechamber("certs", "--out", "tls", "--host", "127.0.0.1", "--host", "localhost");
    const port = await serve();
    const printed = await antechamber(
      "manifests",
      "--url",
      `https://127.0.0.1:${port}`,
      "--ca",
      "tls/ca.crt",
    );
    const applied = await server.kubectl(["apply", "--server-side", "-f", "-"], { input: printed.stdout });
    expect(applied).toMatchObject({ code: 0 });

    const kinds = globSync("webhooks/**/kind.ts", { cwd: project }).map((file) => join(project, file, ".."));
    expect(kinds).toHaveLength(4);
    for (const kind of kinds) await expectConverted(kind);
  }, 600_000);

  /** Starts the service; resolves with its port. */
  async function serve(): Promise<number> {
    const args = [bin(), "serve", "--port", "0", "--ops-port", "0", "--cert-dir", "tls", "--grace", "0s"];
    const child = spawn(process.execPath, args, { cwd: project, stdio: ["ignore", "ignore", "pipe"] });
    service = child;
    let log = "";
    const served = new Promise<number>((resolved, reject) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        log += `${line}\n`;
        if (line.includes('"msg":"serving"')) resolved(JSON.parse(line).port);
      });
      void once(child, "exit").then(() => reject(new Error(`the service ended: ${log}`)));
    });
    return served;
  }

  /**
   * Creates the example of each version, reads it at the others, and writes it back there: nothing changes. An example of an old
   * version may be one that the newest version forbids; the webhook denies it then.
   */
  async function expectConverted(folder: string): Promise<void> {
    const examples = globSync("examples/**/*.yaml", { cwd: folder }).flatMap((file) =>
      readYaml(readFileSync(join(folder, file), "utf8")).map(({ value }) => value),
    );
    expect(examples.length).toBeGreaterThan(0);
    let converted = 0;
    for (const example of examples) {
      if (!isObject(example)) throw new Error(`${folder} has an example that is not an object`);
      const [group = "", version = ""] = String(example.apiVersion).split("/");
      const crd = await crdOf(group, String(example.kind));
      if (!served(crd).includes(version)) continue;
      if (await isSame(example, group, version, crd)) converted += 1;
    }
    expect(converted).toBeGreaterThan(0);
  }

  async function crdOf(group: string, kind: string): Promise<Json> {
    const { body } = await server.request("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
    const items = get(body, "items");
    const found = (isArray(items) ? items : []).find(
      (each) => get(each, "spec", "group") === group && get(each, "spec", "names", "kind") === kind,
    );
    if (found === undefined) throw new Error(`there is no CRD of ${kind}.${group}`);
    return found;
  }

  function served(crd: Json): readonly string[] {
    const versions = get(crd, "spec", "versions");
    return (isArray(versions) ? versions : [])
      .filter((each) => get(each, "served") === true)
      .map((each) => String(get(each, "name")));
  }

  async function isSame(example: JsonObject, group: string, version: string, crd: Json): Promise<boolean> {
    const plural = String(get(crd, "spec", "names", "plural"));
    const name = `${get(example, "metadata", "name")}-${version}`;
    const path = (at: string) => `/apis/${group}/${at}/namespaces/default/${plural}`;
    const body = set(example, "metadata", { name, namespace: "default" });
    // A CRD is served some milliseconds after it was registered.
    await expect
      .poll(async () => (await server.request("POST", path(version), { body })).text, { timeout: 20_000 })
      .toMatch(/"uid"|AlreadyExists|denied the request/);
    const before = await server.request("GET", `${path(version)}/${name}`);
    if (before.status === 404) return false;
    expect(get(before.body, "spec")).toBeDefined();
    for (const other of served(crd).filter((each) => each !== version)) {
      const seen = await server.request("GET", `${path(other)}/${name}`);
      expect(get(seen.body, "apiVersion")).toBe(`${group}/${other}`);
      const written = await server.request("PUT", `${path(other)}/${name}`, { body: seen.body ?? null });
      expect({ other, text: written.text, status: written.status }).toMatchObject({ status: 200 });
      const after = await server.request("GET", `${path(version)}/${name}`);
      expect(equal(get(after.body, "spec"), get(before.body, "spec"))).toBe(true);
    }
    return true;
  }
}

/** Adds to the draft for the Cluster of Cluster API what its comments ask: three rows, of which one stands in two places. */
function answer(file: string): void {
  const draft = readFileSync(file, "utf8");
  const answered = draft
    .replace("export const v1beta1 = lens(\n", `${codec}export const v1beta1 = lens(\n${rows}`)
    .replace(/("spec\.topology\.workers\.machineDeployments",\n)(?=\s*\/\/)/, `$1    ${conditions("")},\n`);
  expect(answered.match(/unhealthyNodeConditions", move/g)).toHaveLength(2);
  writeFileSync(file, answered);
}

const codec = `/** The API version of a reference ↔ its group. */
const groupOfVersion = {
  up: (version: unknown) => /^([^/]+)\\/[^/]+$/.exec(String(version))?.[1],
  down: (group: unknown) => \`\${group}/v1beta1\`,
  lossy: "a group says no version",
};

`;
const conditions = (prefix: string) => {
  const [older, newer] = [
    "machineHealthCheck.unhealthyConditions",
    "healthCheck.checks.unhealthyNodeConditions",
  ];
  return `each("${prefix}${older}", "${prefix}${newer}", move("timeout", "timeoutSeconds", durationTo("s")))`;
};
const rows = `  move("spec.controlPlaneRef.apiVersion", "spec.controlPlaneRef.apiGroup", groupOfVersion),
  move("spec.infrastructureRef.apiVersion", "spec.infrastructureRef.apiGroup", groupOfVersion),
  ${conditions("spec.topology.controlPlane.")},
`;
