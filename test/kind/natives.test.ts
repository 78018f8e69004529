import { describe, expect, it } from "vitest";
import { readGates } from "../../src/cli/gates.ts";
import { patience } from "../../src/review/waiting.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";
import { startService } from "../support/service.ts";

/** Gives every pod a second container, once its namespace is known to be open to that. */
const pod = `
  import { defineNativeKind, get, lister } from "antechamber";
  export default defineNativeKind({
    group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced", operations: ["CREATE"],
    needs: { namespaces: lister("", "Namespace") },
    gates: { Quiet: { default: false, meaning: "nothing is said to the writer" } },
    listKeys: { "spec.containers": ["name"] },
    mutate: (pod, { namespace, listers, gates }) => {
      const found = listers.namespaces.get("", namespace);
      if (found === undefined) return { outcome: "wait", reason: "namespace " + namespace + " is not known here", warnings: [] };
      const { containers } = pod.spec;
      if (containers.some(({ name }) => name === "proxy")) return { outcome: "allow", warnings: [] };
      const object = { ...pod, spec: { ...pod.spec, containers: [{ name: "proxy", image: "proxy:1" }, ...containers] } };
      return { outcome: "change", object, warnings: gates.Quiet ? [] : ["a proxy was added"], audit: { injected: "proxy" } };
    },
  });`;

const files = {
  "core/pod/kind.ts": pod,
  "lists/namespaces.yaml": "{ apiVersion: v1, kind: Namespace, metadata: { name: open } }",
};

const review = (namespace: string, operation = "CREATE", version = "v1") =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      kind: { group: "", version, kind: "Pod" },
      operation,
      namespace,
      object: { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [{ name: "app" }] } },
    },
  });

describe("a kind that the API server brings", () => {
  it("is changed by its folder's verdict, with what is said to the writer and to the audit log", async () => {
    const folder = await folderOf(files);
    const service = await startService(["--webhooks", folder, "--with", `${folder}/lists`]);
    const { status, body } = await service.post("/mutate", review("open"));
    const { response } = JSON.parse(body);
    const others = await Promise.all(
      [
        ["/mutate", review("open", "UPDATE")] as const,
        ["/validate", review("open")] as const,
        ["/mutate", review("open", "CREATE", "v2")] as const,
      ].map(async ([path, text]) => JSON.parse((await service.post(path, text)).body).response),
    );
    expect(await service.stop()).toBe(0);
    expect(status).toBe(200);
    expect(response).toMatchObject({
      allowed: true,
      warnings: ["a proxy was added"],
      auditAnnotations: { injected: "proxy" },
    });
    expect(JSON.parse(atob(response.patch))).toEqual([
      { op: "add", path: "/spec/containers/0", value: { name: "proxy", image: "proxy:1" } },
    ]);
    expect(others.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });

  it("is asked for again while something is not known yet", async () => {
    const folder = await folderOf(files);
    const service = await startService(["--webhooks", folder, "--with", `${folder}/lists`]);
    const answer = await service.post("/mutate", review("newborn"));
    expect(await service.stop()).toBe(0);
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(JSON.parse(answer.body)).toMatchObject({
      kind: "Status",
      message: "namespace newborn is not known here",
    });
  });

  it("is quiet if its feature gate is enabled, and an unknown feature gate is rejected", async () => {
    const folder = await folderOf(files);
    const args = ["--webhooks", folder, "--with", `${folder}/lists`, "--feature-gates"];
    const service = await startService([...args, "Quiet=true"]);
    const { body } = await service.post("/mutate", review("open"));
    expect(await service.stop()).toBe(0);
    expect(JSON.parse(body).response).not.toHaveProperty("warnings");
    const { code, stderr } = await antechamber(["serve", "--port", "0", ...args, "Loud=true"]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'unknown feature gate "Loud"; the feature gates are\n  Quiet=false: nothing is said',
      ),
    });
  });

  it("has a webhook configuration of its own", async () => {
    const folder = await folderOf(files);
    const { code, stdout } = await antechamber(["manifests", "--webhooks", folder]);
    expect(code).toBe(0);
    expect(stdout).toContain("name: antechamber-pods");
    expect(stdout).toContain("name: mutate.pods.antechamber.dev");
    expect(stdout).toMatch(/operator: NotIn\s+values:\s+- kube-system\s+- antechamber-system/);
  });

  for (const [flaw, before, after, sentence] of [
    ["no function", "mutate: (pod,", "mutate: 3, other: (pod,", "mutate is not a function"],
    ["an async function", "mutate: (", "mutate: async (", "mutate is async"],
    ["operations that are none", '["CREATE"]', '["DELETE"]', "operations is not a list of CREATE and UPDATE"],
    ["a version that is none", 'version: "v1"', 'version: "V 1"', 'version "V 1" is not a name like v1'],
    ["a gate that is none", "default: false, ", "", "gates.Quiet is not a gate"],
    ["keys that are none", '["name"]', '"name"', "listKeys.spec.containers is not a list of fields"],
  ] as const) {
    it(`keeps the service from starting with ${flaw}`, async () => {
      const folder = await folderOf({ ...files, "core/pod/kind.ts": pod.replace(before, after) });
      const { code, stderr } = await antechamber(["serve", "--port", "0", "--webhooks", folder]);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
    });
  }
});

describe("patience", () => {
  it("lasts five seconds for a reason, and begins anew a minute later", () => {
    let present = 0;
    const mayWait = patience(() => new Date(present));
    const at = (milliseconds: number, reason: string) => {
      present = milliseconds;
      return mayWait(reason);
    };
    expect(at(0, "a")).toBe(true);
    expect(at(4_999, "a")).toBe(true);
    expect(at(4_999, "b")).toBe(true);
    expect(at(5_000, "a")).toBe(false);
    expect(at(59_000, "a")).toBe(false);
    expect(at(60_001, "a")).toBe(true);
  });

  it("remembers a thousand reasons and no more", () => {
    let present = 0;
    const mayWait = patience(() => new Date(present));
    expect(mayWait("first")).toBe(true);
    for (let index = 0; index < 1_000; index++) mayWait(`other-${index}`);
    present = 6_000;
    expect(mayWait("first")).toBe(true);
    expect(mayWait("other-999")).toBe(false);
  });
});

describe("feature gates", () => {
  const kinds = [{ definition: { gates: { A: { default: true, meaning: "a is done" } } } }];
  it("are read as Kubernetes writes them", () => {
    expect([...readGates(" A = false ,", kinds)]).toEqual([["A", false]]);
    expect([...readGates("", kinds)]).toEqual([]);
  });
  it("are true or false", () => {
    for (const text of ["A", "A=", "A=yes", "A=true=false"]) {
      expect(() => readGates(text, kinds)).toThrow("the value of A must be true or false, as in A=true");
    }
  });
});
