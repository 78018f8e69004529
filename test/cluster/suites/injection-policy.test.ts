import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { antechamber } from "../../support/cli.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import {
  annotation,
  created,
  namesOf,
  pod,
  pods,
  type Stage,
  startStage,
  until,
  warningsOf,
} from "./injection-stage.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("InjectionPolicies of a real API server", claims);

const policies = (version = "v1beta1") => `/apis/injection.antechamber.dev/${version}/injectionpolicies`;

const examples = globSync("webhooks/injection/policy/examples/*/*.yaml")
  .sort()
  .flatMap((file) => readYaml(readFileSync(file, "utf8")).map(({ value }) => value as JsonObject));

const asksForSecrets = { "secrets.example/agent-inject": "true", "secrets.example/role": "shop" };

function claims(): void {
  let stage: Stage;

  beforeAll(async () => {
    stage = await startStage();
    await stage.createNamespace("meshed", { "mesh.example/injection": "enabled" });
    await stage.register();
    for (const example of examples) await store(example);
    await until(
      () => stage.request("POST", `${pods("meshed")}?dryRun=All`, { body: shop("probe") }),
      ({ body }) => namesOf(body, "initContainers").includes("mesh-proxy"),
    );
  }, 180_000);
  afterAll(() => stage?.stop());

  it("are stored at both versions", async () => {
    for (const version of ["v1alpha1", "v1beta1"]) {
      const { status, body } = await stage.request("GET", policies(version));
      expect(status).toBe(200);
      const names = (get(body, "items") as readonly JsonObject[]).map((each) =>
        get(each, "metadata", "name"),
      );
      expect(names.sort()).toEqual(examples.map((each) => get(each, "metadata", "name")).sort());
    }
    const { body } = await stage.request("GET", `${policies("v1alpha1")}/profiler`);
    expect(get(body, "spec", "switch", "enabledByDefault")).toBe(false);
  });

  it.each([
    ["nothing is added", {}, "add containers or initContainers, or set app"],
    ["nothing switches it on", { switch: {}, app: {} }, "nothing would switch injection on"],
    [
      "a value means both",
      { switch: { label: "a", onValues: ["false"] }, app: {} },
      "must not switch injection both on and off",
    ],
    [
      "In has no values",
      { match: { annotations: [{ key: "a", operator: "In" }] }, app: {} },
      "In and NotIn need values",
    ],
    ["a container is invalid", { containers: [{ name: "A" }] }, "spec.containers[0].image: Required value"],
  ])("are rejected if %s", async (_what, spec, sentence) => {
    const object = {
      apiVersion: "injection.antechamber.dev/v1beta1",
      kind: "InjectionPolicy",
      metadata: { name: "x" },
      spec,
    };
    const { status, text } = await stage.request("POST", `${policies()}?dryRun=All`, {
      body: object as JsonObject,
    });
    expect({ status, text }).toMatchObject({ status: 422, text: expect.stringContaining(sentence) });
  });

  it("inject where the namespace says so, and the pod's annotations stand in their fields", async () => {
    const made = await created(
      stage,
      pods("meshed"),
      shop("debugged", {}, { "mesh.example/log-level": "debug" }),
    );
    expect(namesOf(made, "initContainers")).toEqual(["mesh-redirect", "mesh-proxy"]);
    const proxy = (get(made, "spec", "initContainers") as readonly JsonObject[])[1];
    expect(proxy?.args).toEqual(["--log-level", "debug"]);
    expect(namesOf(made, "volumes")).toContain("mesh-certificates");
    expect(annotation(made, "injection.antechamber.dev/injected")).toBe("mesh");
  });

  it("do not inject where the pod refuses, and warn of a value that means nothing", async () => {
    const refusing = await created(
      stage,
      pods("meshed"),
      shop("refusing", { "mesh.example/inject": "false" }),
    );
    expect(namesOf(refusing, "initContainers")).toEqual([]);
    const answer = await stage.request("POST", `${pods("meshed")}?dryRun=All`, {
      body: shop("unclear", { "mesh.example/inject": "perhaps" }),
    });
    expect(warningsOf(answer)).toContain("label mesh.example/inject of the pod is");
  });

  it("mount secrets into every container of a pod that asks, and reject one with an invalid value", async () => {
    const made = await created(
      stage,
      pods("default"),
      pod("secret", {}, {}, { annotations: asksForSecrets }),
    );
    expect(namesOf(made, "containers")).toEqual(["app", "secrets-agent"]);
    const [own] = get(made, "spec", "containers") as readonly JsonObject[];
    expect(own?.volumeMounts).toContainEqual({ name: "secrets", mountPath: "/secrets", readOnly: true });
    const wrong = { ...asksForSecrets, "secrets.example/role": "a b" };
    const { status, text } = await stage.request("POST", pods("default"), {
      body: pod("wrong", {}, {}, { annotations: wrong }),
    });
    expect({ status, text }).toMatchObject({ status: 422 });
    expect(text).toContain("annotation secrets.example/role of the pod is");
  });

  it("offline compute the same resources as where the API server fills in requests", async () => {
    const limited = { name: "app", image: "app:1", resources: { limits: { cpu: "1" } } };
    const asked = pod("limited", {}, { containers: [limited] }, { annotations: asksForSecrets });
    const online = await created(stage, `${pods("default")}?dryRun=All`, asked);
    const args = ["inject", "-f", "-", "--with", "webhooks/injection/policy/examples", "-o", "json"];
    const offline = JSON.parse((await antechamber(args, { input: JSON.stringify(asked) })).stdout);
    const [there, here] = [online, offline].map(
      (each) => get(each, "spec", "containers") as readonly JsonObject[],
    );
    expect(here?.[1]?.resources).toEqual({ requests: { cpu: "50m" } });
    expect(there?.[1]?.resources).toEqual(here?.[1]?.resources);
    expect(here?.[0]?.resources).toEqual(limited.resources);
  });

  it("offline give a patch that kubectl applies to a workload", async () => {
    const template = {
      metadata: { labels: { app: "shop" }, annotations: asksForSecrets },
      spec: { containers: [{ name: "app", image: "app:1" }] },
    };
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop", namespace: "default" },
      spec: { replicas: 0, selector: { matchLabels: { app: "shop" } }, template },
    };
    const input = JSON.stringify(deployment);
    const args = ["inject", "-f", "-", "--with", "webhooks/injection/policy/examples", "-o", "patch"];
    const patch = await antechamber(args, { input });
    expect(patch).toMatchObject({ code: 0, stderr: "" });
    expect(await stage.kubectl(["apply", "-f", "-"], { input })).toMatchObject({ code: 0 });
    const patched = await stage.kubectl([
      "patch",
      "deployment",
      "shop",
      "--type=json",
      "-p",
      patch.stdout,
      "-o",
      "json",
    ]);
    expect(patched).toMatchObject({ code: 0 });
    const made = get(JSON.parse(patched.stdout), "spec", "template");
    expect(namesOf(made, "containers")).toEqual(["app", "secrets-agent"]);
    expect(namesOf(made, "initContainers")).toEqual(["secrets-agent-init"]);
  });

  async function store(object: JsonObject): Promise<void> {
    const version = String(object.apiVersion).split("/")[1];
    const post = () => stage.request("POST", policies(version), { body: object });
    const answer = await until(post, ({ status }) => status === 201 || status === 409);
    expect(answer.text).toContain(String(get(object, "metadata", "name")));
  }
}

function shop(name: string, labels: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  return pod(name, { "app.kubernetes.io/name": "shop", ...labels }, {}, { annotations });
}
