import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { antechamber } from "../../support/cli.ts";
import { leftOut, releaseOf, requireBinaries } from "../binaries.ts";
import { type Home, startHome } from "../home.ts";

// `antechamber validate` prints what `kubectl apply` prints if the API server has our CRDs and webhooks.
if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("antechamber validate prints what kubectl apply prints", claims);

const meta = (name: string) => ({ name, namespace: "home" });
const home = (kind: string, version: string, name: string, spec: object, more: object = {}) =>
  ({
    apiVersion: `home.antechamber.dev/${version}`,
    kind,
    metadata: meta(name),
    spec,
    ...more,
  }) as JsonObject;

const odd: readonly JsonObject[] = [
  home("Light", "v1", "bright", { brightness: 3 }),
  home("Light", "v1", "misspelled", { brightnes: 1, color: { kelvins: 1 } }),
  home("Light", "v1", "both", { color: { kelvin: 2700, rgb: "#ffaa00" } }),
  home("Light", "v1", "text", { brightness: "1" }),
  home("Light", "v1", "adopted", { device: { address: "matter://kit" } }),
  home("Light", "v1beta1", "old-adopted", { address: "matter://kit", firmware: "1" }),
  home("Light", "v1beta1", "old-loud", { level: 101 }),
  home("Lock", "v1", "long", { autoLock: { after: "25h" } }),
  home("Lock", "v1", "past", { keys: [{ id: "a", notAfter: "2020-01-01T00:00:00Z" }] }),
  home("Lock", "v1", "twice", { keys: [{ id: "a" }, { id: "a" }] }),
  home("Lock", "v1beta1", "old-past", { keys: ["a:ida", "a:ida"] }),
  home("Room", "v1", "same-lights", { lights: [{ name: "a" }, { name: "a" }] }),
  home("Room", "v1", "Bad_Name", {}),
  { ...home("Room", "v1", "labelled", {}), metadata: { ...meta("labelled"), labels: { "a b": "c" } } },
  {
    ...home("Room", "v1", "owned", {}),
    metadata: { ...meta("owned"), ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "", uid: "1" }] },
  },
];

function claims(): void {
  let server: Home;
  let folder: string;
  beforeAll(async () => {
    server = await startHome();
    await server.createNamespace("home");
    folder = await mkdtemp(join(tmpdir(), "antechamber-validate-"));
  }, 100_000);
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(odd.map((object) => [String((object.metadata as JsonObject).name), object] as const))(
    "of %s, which is created",
    async (name, object) => {
      const file = join(folder, `${name}.json`);
      await writeFile(file, JSON.stringify(object));
      await same(file, []);
    },
  );

  it("of every example", async () => {
    for (const kind of ["light", "lock"]) {
      for (const version of ["v1", "v1beta1"]) await same(`webhooks/home/${kind}/examples/${version}`, []);
    }
  }, 60_000);

  it("of an update that a rule forbids", async () => {
    const [before] = readYaml(serial);
    const old = set(before?.value as JsonObject, "metadata", meta("fixed"));
    const [oldFile, newFile] = [join(folder, "old.json"), join(folder, "new.json")];
    await writeFile(oldFile, JSON.stringify(old));
    await writeFile(newFile, JSON.stringify(set(old, "spec", { device: { serial: 7 } })));
    const created = await server.kubectl(["apply", "-f", oldFile]);
    expect(created.code, created.stderr).toBe(0);
    await same(newFile, ["--old", oldFile]);
  });

  async function same(file: string, more: readonly string[]): Promise<void> {
    const [theirs, ours] = await Promise.all([
      server.kubectl(["apply", "--dry-run=server", "-f", file]),
      antechamber(["validate", "-f", file, "--kubernetes-version", releaseOf(process.env), ...more]),
    ]);
    expect(linesOf(ours.stdout)).toEqual(linesOf(theirs.stdout));
    expect(linesOf(ours.stderr).filter((line) => !isOurs(line))).toEqual(linesOf(theirs.stderr));
    expect(ours.code).toBe(theirs.code);
  }
}

/** The places in the files, and the count at the end, which kubectl does not print. */
function isOurs(line: string): boolean {
  return /^\d+ of \d+ rejected$|^ {2}at .+:\d+/.test(line);
}

const serial = JSON.stringify(home("Light", "v1", "fixed", { device: { serial: 9 } }));

/** The text without differences that do not matter: random order, and what kubectl itself adds to a rejected update. */
function linesOf(text: string): readonly string[] {
  return text
    .replaceAll(" (server dry run)", "")
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();
}
