import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { leftOut, requireBinaries } from "../cluster/binaries.ts";
import { ask, portsOf } from "./asking.ts";
import { type Installed, install, runIn, unpack } from "./installed.ts";
import { blocksOf, tryTestingPage } from "./testing-page.ts";

// INSTALL=npm asks a registry for what the package depends on; otherwise this checkout's own stand in.
let installed: Installed;
beforeAll(() => {
  installed = install(process.env.INSTALL === "npm" ? "npm" : "links");
  furnish(installed.folder);
}, 120_000);
afterAll(() => installed.remove());

const bin = `node_modules/antechamber/${packageJson.bin.antechamber}`;

it("the package holds what runs, its types, the kinds of a home, the docs and manifests, and nothing else", () => {
  const known = [
    /^(package\.json|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE|bin\/antechamber\.js|dist\/package\.json)$/,
    /^(docs\/(README\.md|[\w-]+\/[\w-]+\.md|pictures\/[\w-]+\.(svg|webp))|manifests\/[\w./-]+(\.yaml|\/Kustomization|\/NOTES\.txt|\/_kinds\.tpl|\/values\.schema\.json))$/,
    /^dist\/(sbom\.cdx\.json|THIRD-PARTY-LICENSES\.txt|play\.html|play-LICENSES\.txt|webhooks\/checked\.json)$/,
    /^dist\/(src|certs|webhooks)\/[\w/-]+\.(js|d\.ts)$/,
    /^dist\/src\/monitoring\/[\w-]+\.yaml$/,
    /^dist\/webhooks\/[\w-]+\/[\w-]+\/([\w.-]+\.yaml|(cases|examples|reviews)\/[\w./-]+\.(yaml|json))$/,
  ];
  expect(installed.files.filter((file) => !known.some((pattern) => pattern.test(file)))).toEqual([]);
  for (const file of Object.values(packageJson.exports).flatMap((it) => [it.types, it.default]))
    expect(installed.files).toContain(file.replace("./", ""));
});

it("it says what it brings along, with each one's licence", () => {
  const dist = path.join(installed.folder, "node_modules/antechamber/dist");
  const bill = JSON.parse(readFileSync(path.join(dist, "sbom.cdx.json"), "utf8"));
  const names: string[] = bill.components.map(({ name, version }: Component) => `${name}@${version}`);
  const pinned = (dependencies: object) =>
    Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  expect(bill).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: packageJson.name } } });
  expect(names).toEqual(expect.arrayContaining(pinned(packageJson.dependencies)));
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  for (const [folder, { dev, version }] of Object.entries<Locked>(lock.packages))
    if (dev === true) expect(names).not.toContain(`${folder.split("node_modules/").at(-1)}@${version}`);
  const licences = readFileSync(path.join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const { name, version } of bill.components as readonly Component[])
    expect(licences).toContain(`\n${name} ${version} (`);
});

it("the same lockfile gives the same bill of materials and licences", () => {
  const [one, other] = ["one", "other"].map((name) => {
    const folder = path.join(installed.folder, name);
    mkdirSync(folder);
    const script = `(await import("./tools/notices.mjs")).writeNotices(${JSON.stringify(folder)})`;
    runIn(".", process.execPath, ["-e", script]);
    return ["sbom.cdx.json", "THIRD-PARTY-LICENSES.txt"].map((file) =>
      readFileSync(path.join(folder, file), "utf8"),
    );
  });
  expect(one).toEqual(other);
});

interface Locked {
  readonly version: string;
  /** Set where only development needs it. */
  readonly dev?: boolean;
}

interface Component {
  readonly name: string;
  readonly version: string;
}

it("its starter can be run, and says its version", () => {
  expect(statSync(path.join(installed.folder, bin)).mode & 0o111).toBe(0o111);
  expect(runIn(installed.folder, process.execPath, [bin, "--version"])).toBe(`${packageJson.version}\n`);
});

it("a project that init makes is installed where nothing lies beside it", () => {
  const checkout = path.join(installed.folder, "../checkout");
  const [project, elsewhere] = ["made", "elsewhere"].map((name) => path.join(installed.folder, name)) as [
    string,
    string,
  ];
  runIn(checkout, process.execPath, [path.join(installed.folder, bin), "init", project]);
  const isNpm = process.env.INSTALL === "npm";
  if (isNpm) runIn(project, "npm", ["install", "--prefer-offline", "--silent"]);
  cpSync(project, elsewhere, { recursive: true, filter: (file) => !file.includes("node_modules") });
  rmSync(project, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(path.join(elsewhere, "package.json"), "utf8"));
  if (isNpm) runIn(elsewhere, "npm", ["ci", "--prefer-offline", "--silent"]);
  else unpack(path.join(elsewhere, dependencies.antechamber.replace("file:", "")), elsewhere);
  const printed = runIn(elsewhere, process.execPath, [
    bin,
    "verify",
    "--runs",
    "1",
    "--seed",
    "1",
    "--law",
    "GetPut",
  ]);
  expect(printed).toContain("Blind.example.org (v1alpha1, v1)");
}, 120_000);

const binaries = requireBinaries();
if (binaries === undefined) it(leftOut, () => {});
else
  it("kubectl runs it as a plugin", () => {
    const plugins = path.join(installed.folder, "plugins");
    mkdirSync(plugins);
    const target = path.join(
      installed.folder,
      "node_modules/antechamber",
      packageJson.bin["kubectl-antechamber"],
    );
    symlinkSync(target, path.join(plugins, "kubectl-antechamber"));
    const kubectl = (...args: readonly string[]) =>
      spawnSync(binaries.kubectl, args, {
        cwd: installed.folder,
        encoding: "utf8",
        env: { PATH: `${plugins}:${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: installed.folder },
      });
    expect(kubectl("antechamber", "--version")).toMatchObject({
      stdout: `${packageJson.version}\n`,
      status: 0,
    });
    expect(kubectl("plugin", "list").stdout).toContain("kubectl-antechamber");
    expect(kubectl("antechamber", "compat", "a", "b")).toMatchObject({ status: 2 });
  }, 30_000);

it("its types hold in a strict project that has nothing else", () => {
  const tsc = path.resolve("node_modules/.bin/tsc");
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--types", ""];
  const files = ["webhooks/home/blind/kind.ts", "laws.ts", "wrong.ts"];
  const args = ["--noEmit", "--ignoreConfig", "--module", "nodenext", "--target", "es2024", ...strict];
  const compiled = spawnSync(tsc, [...args, ...files], { cwd: installed.folder, encoding: "utf8" });
  expect(compiled).toMatchObject({ stdout: "", status: 0 });
});

it("it serves a kind of the project's own over HTTPS", async () => {
  await serving(["--webhooks", "webhooks"], async (port, ca) => {
    const object = {
      apiVersion: "example.org/v1",
      kind: "Blind",
      metadata: { name: "a" },
      spec: { position: 0 },
    };
    const request = { uid: "1", desiredAPIVersion: "example.org/v1beta1", objects: [object] };
    const body = JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
    const { text } = await ask(`https://localhost:${port}/convert`, { body, ca });
    expect(JSON.parse(text).response.convertedObjects[0].spec).toEqual({ closed: true });
  });
});

it("without --webhooks it takes the project's own kinds, and the project's name", () => {
  const printed = runIn(installed.folder, process.execPath, [bin, "manifests"]);
  expect(printed.match(/^ {2}name: .*$/gm)).toEqual([
    "  name: blinds.example.org",
    "  name: blinds",
    "  name: blinds",
  ]);
});

it("a project that init makes beside it passes its own checks, and takes a CRD in", () => {
  const manifest = path.join(installed.folder, "package.json");
  const before = readFileSync(manifest, "utf8");
  const withFile = { ...JSON.parse(before), dependencies: { antechamber: "file:../antechamber.tgz" } };
  writeFileSync(manifest, JSON.stringify(withFile));
  const run = (folder: string, args: readonly string[]) =>
    runIn(folder, process.execPath, [path.resolve(installed.folder, bin), ...args]);
  const project = path.join(installed.folder, "shutters");
  expect(run(installed.folder, ["init", "shutters"])).toContain("shutters is ready");
  writeFileSync(manifest, before);
  const made = JSON.parse(readFileSync(path.join(project, "package.json"), "utf8"));
  expect(made.dependencies).toEqual({ antechamber: "file:../../antechamber.tgz" });
  expect(made.scripts.test).toBe("antechamber verify");
  run(project, ["import", path.resolve("test/cases/import/gadget.yaml")]);
  const verified = run(project, ["verify", "--runs", "5", "--seed", "1"]);
  expect(verified).toContain("Blind.example.org (v1alpha1, v1)");
  expect(verified).toContain("Gadget.example.org (v1alpha1, v1)");
  runIn(project, path.resolve("node_modules/.bin/tsc"), ["-p", "tsconfig.json"]);
  expect(run(project, ["manifests"])).toContain("    antechamber.dev/installation: shutters\n");
});

it("without any kinds it says how to make some", () => {
  const empty = path.join(installed.folder, "empty");
  mkdirSync(empty);
  const ran = spawnSync(process.execPath, [path.resolve(installed.folder, bin), "manifests"], {
    cwd: empty,
    encoding: "utf8",
  });
  expect(ran).toMatchObject({ status: 2, stdout: "" });
  expect(ran.stderr).toContain("webhooks: does not exist; antechamber init makes a project");
});

it("a user's own tests run with it, as docs/guides/testing.md says", () => {
  const { tested, failed, suite, types } = tryTestingPage(installed.folder);
  const [passing = "", failing = ""] = blocksOf("docs/guides/testing.md", "");
  expect(tested).toBe(passing);
  expect(failed).toContain(failing);
  expect(types).toBe("");
  expect(suite.status, suite.output).toBe(0);
  expect(suite.report).toMatchObject({ numPassedTests: 4, numTotalTests: 4, success: true });
}, 60_000);

/** Serves in the project while something is asked of it. */
async function serving(args: readonly string[], work: (port: number, ca: string) => Promise<void>) {
  const ports = ["--port", "0", "--ops-port", "0", "--grace", "0ms"];
  const service = spawn(process.execPath, [bin, "serve", ...ports, ...args], {
    cwd: installed.folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(service, "exit");
  try {
    const { port } = await portsOf(service);
    await work(port, readFileSync(path.join(installed.folder, "antechamber-ca.crt"), "utf8"));
  } finally {
    service.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
}

/** Writes a kind of the project's own, and two files that only the compiler reads. */
function furnish(folder: string): void {
  const kind = path.join(folder, "webhooks/home/blind");
  mkdirSync(path.join(kind, "examples"), { recursive: true });
  writeFileSync(path.join(kind, "kind.ts"), kindFile);
  writeFileSync(path.join(kind, "v1beta1.yaml"), versionFile("v1beta1", "closed: { type: boolean }"));
  writeFileSync(path.join(kind, "v1.yaml"), versionFile("v1", "position: { type: integer }"));
  const example =
    "apiVersion: example.org/v1\nkind: Blind\nmetadata: { name: kitchen }\nspec: { position: 40 }\n";
  writeFileSync(path.join(kind, "examples/kitchen.yaml"), example);
  writeFileSync(path.join(folder, "laws.ts"), 'export * from "antechamber/laws";\n');
  writeFileSync(path.join(folder, "wrong.ts"), wrongFile);
}

const kindFile = `
import { type Codec, defineKind, isInteger, lens, move, toDouble, version } from "antechamber";

const closed: Codec = {
  up: (value) => (value === true ? 0 : 100),
  down: (value) => (isInteger(value) ? toDouble(value) === 0 : undefined),
};

export default defineKind({
  group: "example.org",
  kind: "Blind",
  plural: "blinds",
  scope: "Namespaced",
  versions: [version("v1beta1", lens(move("spec.closed", "spec.position", closed))), version("v1")],
});
`;

const wrongFile = `
import { defineKind, version } from "antechamber";
// @ts-expect-error a kind has a plural
defineKind({ group: "example.org", kind: "Blind", scope: "Namespaced", versions: [version("v1")] });
`;

function versionFile(name: string, field: string): string {
  return `name: ${name}
served: true
storage: ${name === "v1"}
subresources: { status: {} }
schema:
  openAPIV3Schema:
    type: object
    properties: { spec: { type: object, properties: { ${field} } } }
`;
}
