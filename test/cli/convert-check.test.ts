import { expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";

it("convert --check prints nothing of objects that come back the same", async () => {
  const args = ["convert", "--check", "--webhooks", "webhooks/home", "-f", "webhooks/home/room/examples"];
  const { code, stdout, stderr } = await antechamber(args);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^\d+ objects checked, 0 with faults\n$/);
  expect(code).toBe(0);
});

it("convert --check takes one version alone", async () => {
  const object = {
    apiVersion: "home.antechamber.dev/v1",
    kind: "Light",
    metadata: { name: "many", namespace: "home" },
    spec: { color: { kelvin: 2700 } },
  };
  const shared = ["convert", "--check", "--webhooks", "webhooks/home/light", "-f", "-", "--to"];
  const { code, stderr } = await antechamber([...shared, "v1beta1"], { input: JSON.stringify(object) });
  expect(stderr).toContain("1 objects checked, 0 with faults");
  expect(code).toBe(0);
});

it.each([
  [["validate"], "nor --live"],
  [["validate", "--live", "-f", "-"], "--live and --file exclude each other"],
  [["convert", "-f", "-"], "required option '--to <version>' not specified"],
  [["convert", "--live", "--to", "v1"], "--live needs --check"],
  [["validate", "--live", "--kubeconfig", "absent"], "absent cannot be read"],
  [["verify", "webhooks/home/room", "--live", "-o", "sarif"], "with --live the output is text or json"],
])(
  "%j is wrong usage",
  async (args, sentence) => {
    const { code, stderr } = await antechamber(args);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  },
  60_000,
);
