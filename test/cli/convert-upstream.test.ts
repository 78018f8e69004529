import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { answerTo, type Conversion, faultless, withSpec } from "../checks/webhook/webhooks.ts";
import { serverOf } from "../guard/upstream-server.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const crd = "test/checks/webhook/widget.yaml";

const widgets = `# Two widgets.
apiVersion: example.com/v1
kind: Widget
metadata: {name: 'a'} # first
spec:
  image: nginx # pinned elsewhere
  size: 13
---
apiVersion: v1
kind:   ConfigMap
metadata: {name: other}
---
apiVersion: example.com/v2
kind: Widget
metadata:
  name: b
spec:
  image: "busybox"
  serial: 9007199254740993
  secret: s3 # only v2 has it
`;

const other = "apiVersion:   v1\nkind: Secret\n# odd\nmetadata: { name:  x }\n";
const template = "apiVersion: v1\nkind: {{ .Values.kind }}\n";

/** A webhook that forgets, as many do, what it does not know: no annotation keeps the secret, and v2 never shows a size. */
const forgetful: Conversion = (object, desired) =>
  withSpec({ ...object, apiVersion: desired }, ({ secret, size, ...spec }) =>
    desired.endsWith("/v2") || size === undefined ? spec : { ...spec, size },
  );

async function convertBy(
  conversion: Conversion,
  args: readonly string[],
  files: Record<string, string> = {},
) {
  const folder = await folderOf({ "deploy/widgets.yaml": widgets, ...files });
  const { url, ca } = await serverOf((review) => answerTo(review, conversion));
  writeFileSync(`${folder}/ca.crt`, ca);
  const upstream = ["--upstream", url, "--upstream-ca", `${folder}/ca.crt`, "--crd", crd];
  const ran = await antechamber(["convert", "-f", `${folder}/deploy`, ...args, ...upstream]);
  return { ...ran, folder, text: (name: string) => readFileSync(`${folder}/deploy/${name}`, "utf8") };
}

describe("convert --upstream", () => {
  it("changes the objects of the webhook's kinds alone, and comments and other files stay", async () => {
    const files = { "deploy/other.yaml": other, "deploy/chart/templates/a.yaml": template };
    const { code, stdout, stderr, text } = await convertBy(
      faultless,
      ["--to", "v2", "--in-place", "--skip-unknown"],
      files,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(text("widgets.yaml")).toBe(widgets.replace("example.com/v1", "example.com/v2"));
    expect(text("other.yaml")).toBe(other);
    expect(text("chart/templates/a.yaml")).toBe(template);
    expect(stderr).toMatch(
      /a\.yaml: a template of a Helm chart must be rendered first, with helm template\n/,
    );
    expect(stderr).toContain("1 file changed, 2 files unchanged\n");
  });

  it("loses nothing that the webhook forgets", async () => {
    const there = await convertBy(forgetful, ["--to", "v1", "--skip-unknown"]);
    expect(there.stdout).not.toContain("secret: s3");
    const back = await convertBy(forgetful, ["--to", "v2"], { "deploy/widgets.yaml": there.stdout });
    expect(back.stdout).toContain("size: 13");
    expect(back.stdout).toContain("serial: 9007199254740993");
    expect(back.stdout).toContain("secret: s3");
  });

  it("says what --clean loses", async () => {
    const { stdout, stderr } = await convertBy(forgetful, ["--to", "v1", "--clean", "--skip-unknown"]);
    expect(stdout).not.toContain("antechamber");
    expect(stderr).toMatch(/Widget b, v2 → v1: drops one value for v2\n {2}spec\.secret +"s3"/);
  });

  it("changes no file if the webhook refuses objects, and names each with its words", async () => {
    const { code, stderr, text } = await convertBy(
      (object, desired) => {
        if (readSize(object) === "13") throw new Error("13 is unlucky");
        return faultless(object, desired);
      },
      ["--to", "v2", "--in-place", "--skip-unknown"],
      { "deploy/second.yaml": widgets.slice(0, widgets.indexOf("---")).replace("'a'", "c") },
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /second\.yaml:2: Widget\.example\.com cannot be converted: the upstream does not convert it: 13 is unlucky\n.*widgets\.yaml:2: /,
    );
    expect(text("widgets.yaml")).toBe(widgets);
  });

  it("says where the webhook is not, and changes nothing", async () => {
    const folder = await folderOf({ "a.yaml": widgets });
    const at = ["convert", "-f", `${folder}/a.yaml`, "--to", "v2", "-i", "--skip-unknown"];
    const { code, stderr } = await antechamber([...at, "--upstream", "https://127.0.0.1:1/c", "--crd", crd]);
    expect(code).toBe(2);
    expect(stderr).toContain("the upstream https://127.0.0.1:1/c cannot be used: ");
    expect(readFileSync(`${folder}/a.yaml`, "utf8")).toBe(widgets);
  });

  const gadget = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: a}\n";
  const widget = gadget.replace("Gadget", "Widget");

  it.each([
    ["without CRDs", widget, ["--upstream", "https://127.0.0.1:1/c"], "the files of their CRDs with --crd"],
    ["with a check", widget, ["--crd", crd, "--check"], "checked by antechamber verify --url; leave --check"],
    ["at no version", widget, ["--crd", crd], "Widget.example.com has no version v3; it has v1, v2"],
    [
      "of another kind",
      gadget,
      ["--crd", crd],
      "known kinds are Widget.example.com; give the CRDs of others with --crd; add --skip-unknown",
    ],
  ])("%s it says what would do", async (_, text, more, says) => {
    const folder = await folderOf({ "a.yaml": text });
    const { code, stderr } = await antechamber(["convert", "-f", `${folder}/a.yaml`, "--to", "v3", ...more]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });
});

function readSize(object: object): string {
  return /"size":(?:\{"[^"]*":")?(\d+)/.exec(JSON.stringify(object))?.[1] ?? "";
}
