import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray, type Json } from "../../../src/json/json.ts";
import { antechamber } from "../../support/cli.ts";
import { writeProject } from "../../support/project.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("two installations in one cluster", claims);

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

function claims(): void {
  let server: ApiServer;
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), "antechamber-test-"));
    await writeProject(path.join(root, "blinds"), { name: "@example/blinds", kind: "Blind" });
    await writeProject(path.join(root, "locks"), { name: "locks", kind: "Bolt" });
    // The same kind in a second project, as after a copy.
    await writeProject(path.join(root, "copy"), { name: "copy", kind: "Blind" });
    server = await startApiServer();
    await applied("blinds");
  }, 100_000);
  afterAll(async () => {
    await server?.stop();
    await rm(root, { recursive: true, force: true });
  });

  it("do not meet if their projects have different names", async () => {
    const { code, stderr } = await asked("manifests", "locks");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    await applied("locks");
    expect(await names()).toEqual(["example-blinds", "locks"]);
    expect(await webhooksOf("example-blinds")).toEqual(["validate.blinds.example.org"]);
  });

  it("may be applied again, and compared with what they applied", async () => {
    expect(await asked("manifests", "blinds")).toMatchObject({ code: 0, stderr: "" });
    expect(await asked("migrate", "blinds")).toMatchObject({ code: 0, stderr: "" });
  });

  it("cannot have the same name: the second one is refused, and nothing is printed", async () => {
    const { code, stdout, stderr } = await asked("manifests", "locks", ["--name", "example-blinds"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      "ValidatingWebhookConfiguration example-blinds: has validate.blinds.example.org and no webhook of these kinds",
    );
  });

  it.each(["manifests", "migrate"])(
    "cannot share a kind: %s names the installation that it belongs to",
    async (command) => {
      const { code, stdout, stderr } = await asked(command, "copy");
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(
        "CustomResourceDefinition blinds.example.org: belongs to the installation example-blinds (label antechamber.dev/installation), and this is copy",
      );
    },
  );

  it("are taken over on purpose with the name of the other one", async () => {
    expect(await asked("manifests", "copy", ["--name", "example-blinds"])).toMatchObject({ code: 0 });
  });

  it("of an earlier release, which set no label, are taken as one's own", async () => {
    const label = ["label", "crd", "blinds.example.org", "antechamber.dev/installation-"];
    expect(await server.kubectl(label)).toMatchObject({ code: 0 });
    expect(await asked("migrate", "copy")).toMatchObject({ code: 0 });
    await applied("blinds");
  });

  /** Runs a command in a project with the cluster. */
  function asked(command: string, project: string, args: readonly string[] = []) {
    const reach = command === "manifests" ? ["--url", "https://127.0.0.1:9443"] : [];
    const folder = path.join(root, project, "webhooks");
    return antechamber([command, "--webhooks", folder, "--kubeconfig", server.kubeconfig, ...reach, ...args]);
  }

  async function applied(project: string): Promise<void> {
    const args = ["--webhooks", path.join(root, project, "webhooks"), "--url", "https://127.0.0.1:9443"];
    const { stdout } = await antechamber(["manifests", ...args]);
    expect(await server.kubectl(["apply", "-f", "-"], { input: stdout })).toMatchObject({ code: 0 });
  }

  async function names(): Promise<readonly Json[]> {
    const { body } = await server.request("GET", configurations);
    const items = get(body, "items");
    return (isArray(items) ? items : []).map((each) => get(each, "metadata", "name") ?? "");
  }

  async function webhooksOf(name: string): Promise<readonly Json[]> {
    const { body } = await server.request("GET", `${configurations}/${name}`);
    const webhooks = get(body, "webhooks");
    return (isArray(webhooks) ? webhooks : []).map((each) => get(each, "name") ?? "");
  }
}
