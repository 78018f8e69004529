import { describe, expect, it } from "vitest";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/json/yaml.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const pod = (name: string, app = "web") =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, labels: {app: ${app}}}, spec: {containers: [{name: app, image: "app:1"}]}}`;

const sidecarSet = (name: string, spec: string) =>
  `{apiVersion: apps.kruise.io/v1beta1, kind: SidecarSet, metadata: {name: ${name}}, spec: {selector: {matchLabels: {app: web}}, ${spec}}}`;

const log = sidecarSet(
  "log",
  'containers: [{name: agent, image: "a:1", podInjectPolicy: BeforeAppContainer}]',
);

describe("antechamber inject", () => {
  it("prints each pod with its sidecars, in the order of the input", async () => {
    const files = await folderOf({
      "pods.yaml": `${pod("one")}\n---\n${pod("other", "api")}`,
      "log.yaml": log,
    });
    const args = ["inject", "-f", `${files}/pods.yaml`, "--with", `${files}/log.yaml`];
    const [yaml, json] = await Promise.all([antechamber(args), antechamber([...args, "-o", "json"])]);
    expect(yaml).toMatchObject({ code: 0, stderr: "" });
    const documents = readYaml(yaml.stdout).map(({ value }) => value);
    expect(documents.map(containersOf)).toEqual([["agent", "app"], ["app"]]);
    const list = JSON.parse(json.stdout);
    expect(list).toMatchObject({ kind: "List", items: documents.map((each) => withoutTimes(each)) });
  });

  it("prints the patch of the webhook, or the difference", async () => {
    const files = await folderOf({ "pod.yaml": pod("one"), "log.yaml": log });
    const args = ["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/log.yaml`];
    const [patch, difference] = await Promise.all(
      ["patch", "diff"].map((output) => antechamber([...args, "-o", output])),
    );
    expect(JSON.parse(patch?.stdout ?? "")).toContainEqual({
      op: "add",
      path: "/spec/containers/0",
      // With what is filled in of a SidecarSet when it is written.
      value: expect.objectContaining({ name: "agent", env: [{ name: "IS_INJECTED", value: "true" }] }),
    });
    expect(difference?.stdout).toMatch(/^\+ +- name: agent$/m);
    expect(difference?.stdout).not.toContain("\u001b");
    expect([patch?.code, difference?.code]).toEqual([0, 0]);
  });

  it("explains on standard error what each SidecarSet added, and why others do not match", async () => {
    const files = await folderOf({
      "pod.yaml": pod("one"),
      "sets/log.yaml": log,
      "sets/paused.yaml": sidecarSet("paused", "injectionStrategy: {paused: true}, containers: [{name: p}]"),
      "sets/api.yaml": sidecarSet("api", "containers: [{name: q}]").replace("app: web", "app: api"),
    });
    const ran = await antechamber([
      "inject",
      "-f",
      `${files}/pod.yaml`,
      "--with",
      `${files}/sets`,
      "--explain",
    ]);
    expect(ran.code).toBe(0);
    expect(readYaml(ran.stdout).map(({ value }) => containersOf(value))).toEqual([["agent", "app"]]);
    expect(ran.stderr).toContain(
      "container agent, before the pod's own  (SidecarSet log, spec.containers[0])",
    );
    expect(ran.stderr).toContain("SidecarSet log matches: the current spec");
    expect(ran.stderr).toContain(
      "SidecarSet api does not match: spec.selector requires app=api, but the pod has app=web",
    );
    expect(ran.stderr).toContain("SidecarSet paused does not match");
  });

  it("reads standard input, both versions of SidecarSets, and the namespace for pods without one", async () => {
    const files = await folderOf({
      "old.yaml": log.replace("v1beta1", "v1alpha1").replace("selector:", "namespace: shop, selector:"),
    });
    const args = ["inject", "-f", "-", "--with", files, "-o", "json"];
    const [inside, outside] = await Promise.all(
      [["--namespace", "shop"], []].map((more) => antechamber([...args, ...more], { input: pod("one") })),
    );
    expect(containersOf(JSON.parse(inside?.stdout ?? ""))).toEqual(["agent", "app"]);
    expect(containersOf(JSON.parse(outside?.stdout ?? ""))).toEqual(["app"]);
  });

  it("uses the example SidecarSets by default", async () => {
    const ran = await antechamber(["inject", "-f", "webhooks/core/pod/examples/shop.yaml"]);
    expect(ran.code).toBe(0);
    expect(readYaml(ran.stdout).map(({ value }) => containersOf(value))).toEqual([["log-agent", "shop"]]);
  });

  it("exits with 1 if a pod is rejected or cannot be decided, and prints the others", async () => {
    const files = await folderOf({
      "pods.yaml": [pod("bad", "gone"), pod("good"), pod("far", "far")].join("\n---\n"),
      "sets/log.yaml": log,
      "sets/gone.yaml": sidecarSet(
        "gone",
        "injectionStrategy: {revision: {revisionName: lost}}, containers: [{name: g}]",
      ).replace("app: web", "app: gone"),
      "sets/far.yaml": sidecarSet(
        "far",
        "namespaceSelector: {matchLabels: {team: a}}, containers: [{name: f}]",
      ).replace("app: web", "app: far"),
    });
    const ran = await antechamber(["inject", "-f", `${files}/pods.yaml`, "--with", `${files}/sets`]);
    expect(ran.code).toBe(1);
    expect(readYaml(ran.stdout).map(({ value }) => get(value, "metadata", "name"))).toEqual(["good"]);
    expect(ran.stderr).toContain(
      'rejected: SidecarSet gone, spec.injectionStrategy.revision: controllerrevisions.apps "lost" not found: OpenKruise\'s controller records revisions, in namespace kruise-system',
    );
    expect(ran.stderr).toContain(
      "namespace default is not known yet, and SidecarSet far selects by its labels; pass it with --with",
    );
  });

  it("prints warnings", async () => {
    const files = await folderOf({
      "pod.yaml": pod("one"),
      "set.yaml": sidecarSet("same", 'containers: [{name: app, image: "b:1"}]'),
    });
    const ran = await antechamber(["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/set.yaml`]);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(
      "warning: SidecarSet same, spec.containers[0]: replaces the pod's own container",
    );
  });

  it.each([
    [
      "an object that is not a pod",
      log,
      [],
      "sidecars are not injected into SidecarSet of apps.kruise.io/v1beta1, only into Pod",
    ],
    ["no document", "", [], "no pod found"],
    ["invalid YAML", "{", [], "stdin:1:2: Flow map must end with a }"],
    ["an unknown feature gate", pod("one"), ["--feature-gates", "Strange=true"], "Strange"],
    ["an unknown output format", pod("one"), ["-o", "toml"], "toml"],
  ])("exits with 2 for %s", async (_what, input, more, sentence) => {
    const ran = await antechamber(["inject", "-f", "-", ...more], { input });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(sentence);
  });
});

function containersOf(pod: Json | undefined): Json {
  return ((get(pod, "spec", "containers") ?? []) as readonly JsonObject[]).map(({ name }) => name ?? null);
}

/** What is the same in two runs. */
function withoutTimes(pod: Json): Json {
  return { spec: get(pod, "spec") ?? null };
}
