import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFiles } from "../../src/cli/convert/in-place.ts";
import { readTexts } from "../../src/offline/input.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const light = `# The lamp over the table.
apiVersion: home.antechamber.dev/v1beta1
kind: Light
metadata:
  name: 'table' # do not rename
spec:
  # in percent
  level: 80 # bright
  powered: true
  address: zigbee://00124b0001
---
# Not ours.
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
`;

const converting = (path: string) => ["convert", "-f", path, "--to", "v1", "--in-place", "--skip-unknown"];

describe("convert --in-place", () => {
  it("keeps comments, quotes, order and other documents, and is idempotent", async () => {
    const folder = await folderOf({ "light.yaml": light });
    const { code, stdout, stderr } = await antechamber([...converting(folder), "--clean"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("1 file changed, 0 files unchanged\n");
    const text = readFileSync(`${folder}/light.yaml`, "utf8");
    expect(text).toBe(`# The lamp over the table.
apiVersion: home.antechamber.dev/v1
kind: Light
metadata:
  name: 'table' # do not rename
spec:
  # in percent
  brightness: 0.8 # bright
  device:
    protocol: Zigbee
    address: "00124b0001"
---
# Not ours.
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
`);
    const again = await antechamber([...converting(folder), "--clean"]);
    expect(again.stderr).toContain("0 files changed, 1 file unchanged\n");
    expect(readFileSync(`${folder}/light.yaml`, "utf8")).toBe(text);
  });

  it("keeps mode, links, indentation of JSON, and leaves no temporary file", async () => {
    const json =
      '{\n    "apiVersion": "home.antechamber.dev/v1beta1",\n    "kind": "Lock",\n    "metadata": {"name": "a"},\n    "spec": {"locked": true}\n}\n';
    const folder = await folderOf({ "real/lock.json": json });
    chmodSync(`${folder}/real/lock.json`, 0o640);
    symlinkSync("real/lock.json", `${folder}/linked.json`);
    expect(await antechamber(converting(`${folder}/linked.json`))).toMatchObject({ code: 0 });
    expect(lstatSync(`${folder}/linked.json`).isSymbolicLink()).toBe(true);
    expect(statSync(`${folder}/real/lock.json`).mode & 0o777).toBe(0o640);
    expect(readdirSync(`${folder}/real`)).toEqual(["lock.json"]);
    expect(readFileSync(`${folder}/real/lock.json`, "utf8")).toBe(
      '{\n    "apiVersion": "home.antechamber.dev/v1",\n    "kind": "Lock",\n    "metadata": {\n        "name": "a"\n    },\n    "spec": {\n        "desiredState": "Locked"\n    }\n}\n',
    );
  });

  it("keeps Windows line ends, a byte order mark, and a last line without an end", async () => {
    const windows = (text: string) => text.replaceAll("\n", "\r\n");
    const forms: readonly ((text: string) => string)[] = [
      windows,
      (text) => `\ufeff${windows(text)}`,
      (text) => windows(text.trimEnd()),
      (text) => `\ufeff${text.trimEnd()}`,
    ];
    const json = JSON.stringify(readYaml(light)[0]?.value, null, 4);
    const converted = async (text: (plain: string) => string) => {
      const folder = await folderOf({ "a.yaml": text(light), "b.json": text(`${json}\n`) });
      const ran = await antechamber([...converting(folder), "--clean"]);
      expect(ran.stderr).toContain("2 files changed, 0 files unchanged\n");
      expect(ran.code).toBe(0);
      return ["a.yaml", "b.json"].map((name) => readFileSync(join(folder, name), "utf8"));
    };
    const plain = await converted((text) => text);
    expect(plain[1]).toMatch(/^\{\n {4}"apiVersion": "home\.antechamber\.dev\/v1",\n/);
    for (const form of forms) expect(await converted(form)).toEqual(plain.map(form));
  });

  it("changes no file if one object cannot be converted, or a comment not be kept", async () => {
    const anchored = light
      .replace("spec:", "x: &x\n  # deep\n  level: 80\nspec: &y")
      .replace("powered: true", "<<: *x");
    for (const bad of [light.replace("v1beta1", "v7"), "a: [", anchored]) {
      const folder = await folderOf({ "a.yaml": light, "b.yaml": bad });
      const { code } = await antechamber(converting(folder));
      expect(code).not.toBe(0);
      expect(readFileSync(`${folder}/a.yaml`, "utf8")).toBe(light);
      expect(readFileSync(`${folder}/b.yaml`, "utf8")).toBe(bad);
    }
  });

  it("does not overwrite a file that changed since it was read", async () => {
    const folder = await folderOf({ "a.yaml": light });
    const file = join(folder, "a.yaml");
    const [text] = await readTexts([file], { readStdin: async () => "" });
    const [input] = text?.objects ?? [];
    if (text === undefined || input === undefined) throw new Error("nothing was read");
    writeFileSync(file, "# edited meanwhile\n");
    await expect(replaceFiles([{ text, changed: [{ input, object: { kind: "Light" } }] }])).rejects.toThrow(
      /a\.yaml: it changed while it was converted; no file was changed$/,
    );
    expect(readFileSync(file, "utf8")).toBe("# edited meanwhile\n");
  });

  it("has nothing to change in standard input", async () => {
    const ran = await antechamber(["convert", "-f", "-", "--to", "v1", "-i", "--skip-unknown"], {
      input: light,
    });
    expect(ran).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("standard input has none"),
    });
  });
});

describe("convert --clean", () => {
  it("leaves carriers out, and says which values that drops", async () => {
    const hub =
      "{apiVersion: home.antechamber.dev/v1, kind: Light, metadata: {name: a}, spec: {brightness: 0.333, device: {serial: 7}}}";
    const args = ["convert", "-f", "-", "--to", "v1beta1"];
    const carried = await antechamber(args, { input: hub });
    expect(carried.stdout).toContain("antechamber.dev/conversion-data");
    const { stdout, stderr } = await antechamber([...args, "--clean"], { input: hub });
    expect(stdout).not.toMatch(/conversion|annotations|status/);
    expect(stderr).toMatch(/^stdin:1: Light a, v1 → v1beta1: drops 2 values for v1$/m);
    expect(stderr).toMatch(/spec\.device\.serial +7 +v1beta1 has no field for it/);
    // From an object with carriers, only its own values are left.
    const again = await antechamber(["convert", "-f", "-", "--to", "v1beta1", "--clean"], {
      input: carried.stdout,
    });
    expect(again.stdout).toBe(stdout);
  });
});
