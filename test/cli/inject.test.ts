import { applyPatch, parsePatch } from "diff";
import jsonpatch from "jsonpatch";
import { describe, expect, it } from "vitest";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
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
    expect(difference?.stdout).toMatch(/^\+.*"name":"agent"/m);
    expect(difference?.stdout).not.toContain("\u001b");
    expect([patch?.code, difference?.code]).toEqual([0, 0]);
  });

  it.each([
    [
      "a SidecarSet with a misspelt selector",
      log.replace("selector:", "selectr:"),
      'unknown field "spec.selectr"',
    ],
    [
      "an InjectionPolicy with a field that its version does not have",
      `{apiVersion: injection.antechamber.dev/v1beta1, kind: InjectionPolicy, metadata: {name: mesh},
        spec: {match: {labels: []}, switch: {label: sidecar, default: Enabled}, containers: [{name: proxy, image: "e:1"}]}}`,
      'unknown field "spec.match.labels"',
    ],
    ["a SidecarSet that the schema forbids", log.replace("app: web", "app: 3"), "spec.selector.matchLabels"],
    [
      "a SidecarSet that its webhook denies",
      log.replace("podInjectPolicy: BeforeAppContainer", "podInjectPolicy: Before"),
      "spec.containers[0].podInjectPolicy",
    ],
    [
      "an InjectionPolicy whose operator its schema does not know",
      `{apiVersion: injection.antechamber.dev/v1beta1, kind: InjectionPolicy, metadata: {name: mesh},
        spec: {match: {annotations: [{key: app, operator: Inn, values: [a]}]}, containers: [{name: proxy, image: "e:1"}]}}`,
      "Inn",
    ],
    ["a version that its kind does not have", log.replace("v1beta1", "v1beta9"), "could not find"],
  ])("%s injects nothing, and is named", async (_what, text, fault) => {
    const files = await folderOf({ "pod.yaml": pod("one"), "with.yaml": text });
    const ran = await antechamber(["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/with.yaml`]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain(fault);
  });

  it("reads SidecarSets as a cluster prints them", async () => {
    const exported = log.replace(
      "{name: log}",
      '{name: log, resourceVersion: "7", uid: u, generation: 2, creationTimestamp: "2026-01-01T00:00:00Z"}',
    );
    const files = await folderOf({ "pod.yaml": pod("one"), "log.yaml": exported });
    const ran = await antechamber(["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/log.yaml`]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(containersOf(readYaml(ran.stdout)[0]?.value ?? null)).toEqual(["agent", "app"]);
  });

  it("notes which objects have no effect: the name of a kind may be misspelt", async () => {
    const files = await folderOf({
      "pod.yaml": pod("one"),
      "sets.yaml": [log, log.replace("kind: SidecarSet", "kind: SidecarSets")].join("\n---\n"),
    });
    const ran = await antechamber(["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/sets.yaml`]);
    expect(ran).toMatchObject({
      code: 0,
      stderr: `${files}/sets.yaml:3: SidecarSets of apps.kruise.io/v1beta1 has no effect on injection\n`,
    });
  });

  describe("in the pods of a controller", () => {
    const selecting = (operator: string, key: string) =>
      log.replace("{matchLabels: {app: web}}", `{matchExpressions: [{key: ${key}, operator: ${operator}}]}`);
    const template =
      "{metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: app}]}}";
    const owners: Readonly<Record<string, string>> = {
      Deployment: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: one}, spec: {template: ${template}}}`,
      StatefulSet: `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: one}, spec: {template: ${template}}}`,
      DaemonSet: `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: one}, spec: {template: ${template}}}`,
      Job: `{apiVersion: batch/v1, kind: Job, metadata: {name: one}, spec: {template: ${template}}}`,
      "indexed Job": `{apiVersion: batch/v1, kind: Job, metadata: {name: one}, spec: {completionMode: Indexed, template: ${template}}}`,
      "Job with a selector of its own": `{apiVersion: batch/v1, kind: Job, metadata: {name: one}, spec: {manualSelector: true, template: ${template}}}`,
      CronJob: `{apiVersion: batch/v1, kind: CronJob, metadata: {name: one}, spec: {jobTemplate: {spec: {template: ${template}}}}}`,
    };

    it.each([
      ["Deployment", "pod-template-hash", true],
      ["Deployment", "batch.kubernetes.io/job-name", false],
      ["StatefulSet", "statefulset.kubernetes.io/pod-name", true],
      ["StatefulSet", "apps.kubernetes.io/pod-index", true],
      ["DaemonSet", "controller-revision-hash", true],
      ["Job", "batch.kubernetes.io/job-name", true],
      ["Job", "batch.kubernetes.io/job-completion-index", false],
      ["indexed Job", "batch.kubernetes.io/job-completion-index", true],
      ["Job with a selector of its own", "batch.kubernetes.io/job-name", false],
      ["CronJob", "batch.kubernetes.io/job-name", true],
      ["CronJob", "job-name", true],
    ])("%s: the label %s is there: %s", async (owner, key, isThere) => {
      const files = await folderOf({
        "owner.yaml": owners[owner] ?? "",
        "exists.yaml": selecting("Exists", key),
        "not.yaml": selecting("DoesNotExist", key),
      });
      const [exists, not] = await Promise.all(
        ["exists", "not"].map((name) =>
          antechamber(["inject", "-f", `${files}/owner.yaml`, "--with", `${files}/${name}.yaml`]),
        ),
      );
      expect(exists?.stdout.includes("agent")).toBe(isThere);
      expect(not?.stdout.includes("agent")).toBe(!isThere);
      for (const ran of [exists, not]) expect(ran?.stdout).not.toContain(key);
    });

    it("explains which labels a controller adds", async () => {
      const files = await folderOf({ "owner.yaml": owners.Job ?? "", "log.yaml": log });
      const args = ["inject", "-f", `${files}/owner.yaml`, "--with", `${files}/log.yaml`, "--explain"];
      expect((await antechamber(args)).stderr).toContain(
        "labels that its controller adds: batch.kubernetes.io/controller-uid=xxxxx, batch.kubernetes.io/job-name=one",
      );
    });

    it("warns of a plain container in a Job, which is then never complete", async () => {
      const files = await folderOf({
        "job.yaml": owners.Job ?? "",
        "cron.yaml": owners.CronJob ?? "",
        "deployment.yaml": owners.Deployment ?? "",
        "sets/plain.yaml": log,
        "native.yaml": sidecarSet(
          "native",
          'updateStrategy: {type: NotUpdate}, initContainers: [{name: proxy, image: "p:1", restartPolicy: Always}]',
        ),
      });
      const warning = (name: string, sets: string) =>
        antechamber(["inject", "-f", `${files}/${name}.yaml`, "--with", `${files}/${sets}`]);
      for (const name of ["job", "cron"])
        expect((await warning(name, "sets/plain.yaml")).stderr).toContain(
          "warning: container agent keeps the Job from completing unless it ends by itself",
        );
      const native = await warning("job", "native.yaml");
      expect(native).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("name: proxy") });
      expect((await warning("deployment", "sets/plain.yaml")).stderr).toBe("");
    });
  });

  it("uses the injector of the package in a project that has none", async () => {
    const files = await folderOf({ "pod.yaml": pod("one"), "log.yaml": log });
    const args = ["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/log.yaml`];
    const ran = await antechamber([...args, "--webhooks", "webhooks/home"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("agent");
  });

  it("explains on standard error what each SidecarSet added, and why others do not match", async () => {
    const files = await folderOf({
      "pod.yaml": pod("one"),
      "sets/log.yaml": log,
      "sets/paused.yaml": sidecarSet(
        "paused",
        "injectionStrategy: {paused: true}, containers: [{name: p, image: 'p:1'}]",
      ),
      "sets/api.yaml": sidecarSet("api", "containers: [{name: q, image: 'q:1'}]").replace(
        "app: web",
        "app: api",
      ),
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

  it("explains all SidecarSets where one cannot be decided or injected", async () => {
    const files = await folderOf({
      "pod.yaml": pod("one"),
      "sets/log.yaml": log,
      "sets/far.yaml": sidecarSet(
        "far",
        "namespaceSelector: {matchLabels: {team: a}}, containers: [{name: f, image: 'f:1'}]",
      ),
      "sets/api.yaml": sidecarSet("api", "containers: [{name: q, image: 'q:1'}]").replace(
        "app: web",
        "app: api",
      ),
    });
    const args = ["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/sets`, "--explain"];
    const { code, stderr } = await antechamber(args);
    expect(code).toBe(1);
    expect(stderr).toContain("container agent, before the pod's own");
    expect(stderr).toContain("SidecarSet log matches: the current spec");
    expect(stderr).toContain("SidecarSet far may match: namespace default is not known yet");
    expect(stderr).toContain("SidecarSet api does not match: spec.selector requires app=api");
  });

  it("says of a missing revision that it is missing", async () => {
    const files = await folderOf({
      "pod.yaml": pod("one"),
      "set.yaml": sidecarSet(
        "gone",
        "injectionStrategy: {revision: {customVersion: v1}}, containers: [{name: g, image: 'g:1'}]",
      ),
    });
    const args = ["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/set.yaml`, "--explain"];
    expect((await antechamber(args)).stderr).toContain(
      "SidecarSet gone cannot be injected: spec.injectionStrategy.revision: ControllerRevision.apps",
    );
  });

  it("computes from the pod's defaults, and does not print them", async () => {
    const resourcesPolicy =
      '{targetContainersMode: sum, targetContainersNameRegex: .*, resourcesExpr: {requests: {cpu: "cpu*5%"}}}';
    const files = await folderOf({
      "pod.yaml": pod("one").replace('"app:1"', '"app:1", resources: {limits: {cpu: 1}}'),
      "set.yaml": sidecarSet(
        "five",
        `containers: [{name: a, image: "a:1", resourcesPolicy: ${resourcesPolicy}}]`,
      ),
    });
    const ran = await antechamber([
      "inject",
      "-f",
      `${files}/pod.yaml`,
      "--with",
      `${files}/set.yaml`,
      "-o",
      "json",
    ]);
    const [sidecar, app] = JSON.parse(ran.stdout).spec.containers;
    expect(sidecar.resources).toEqual({ requests: { cpu: "50m" } });
    expect(app).toEqual({ name: "app", image: "app:1", resources: { limits: { cpu: 1 } } });
  });

  it("does not print the defaults of a container to which an InjectionPolicy adds env", async () => {
    const files = await folderOf({
      "pod.yaml": pod("one").replace(
        '"app:1"',
        '"app:1", resources: {limits: {cpu: 1}}, env: [{name: P, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]',
      ),
      "policy.yaml":
        "{apiVersion: injection.antechamber.dev/v1beta1, kind: InjectionPolicy, metadata: {name: p}, spec: {app: {env: [{name: A, value: a}]}}}",
    });
    const args = ["inject", "-f", `${files}/pod.yaml`, "--with", `${files}/policy.yaml`, "-o", "json"];
    expect(JSON.parse((await antechamber(args)).stdout).spec.containers).toEqual([
      {
        name: "app",
        image: "app:1",
        resources: { limits: { cpu: 1 } },
        env: [
          { name: "P", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "A", value: "a" },
        ],
      },
    ]);
  });

  it.each([
    ["Deployment", "apps/v1", ["spec", "template"]],
    ["StatefulSet", "apps/v1", ["spec", "template"]],
    ["DaemonSet", "apps/v1", ["spec", "template"]],
    ["ReplicaSet", "apps/v1", ["spec", "template"]],
    ["ReplicationController", "v1", ["spec", "template"]],
    ["Job", "batch/v1", ["spec", "template"]],
    ["CronJob", "batch/v1", ["spec", "jobTemplate", "spec", "template"]],
    ["PodTemplate", "v1", ["template"]],
    ["JobSet", "jobset.x-k8s.io/v1alpha2", ["spec", "replicatedJobs", 0, "template", "spec", "template"]],
    ["PyTorchJob", "kubeflow.org/v1", ["spec", "pytorchReplicaSpecs", "Worker", "template"]],
  ] as const)(
    "injects into the pod template of a %s, and leaves the rest",
    async (kind, apiVersion, path) => {
      const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app" }] } };
      const object: JsonObject = {
        apiVersion,
        kind,
        metadata: { name: "web" },
        ...(nested(path, template) as JsonObject),
      };
      const files = await folderOf({ "log.yaml": log });
      const args = ["inject", "-f", "-", "--with", `${files}/log.yaml`, "-o"];
      const input = JSON.stringify(object);
      const [whole, patch] = await Promise.all(
        ["json", "patch"].map((output) => antechamber([...args, output], { input })),
      );
      const after = JSON.parse(whole?.stdout ?? "");
      const changed = path.reduce((here, step) => here[step], after);
      expect(containersOf(changed)).toEqual(["agent", "app"]);
      expect(get(changed, "metadata")).toEqual({
        labels: { app: "web" },
        annotations: expect.objectContaining({ "kruise.io/sidecarset-injected-list": "log" }),
      });
      const same = { ...after, ...(nested(path, template) as JsonObject) };
      expect(same).toEqual(object);
      expect(withoutTimesIn(jsonpatch.apply_patch(object, JSON.parse(patch?.stdout ?? "")))).toEqual(
        withoutTimesIn(after),
      );
    },
  );

  it("prints other objects as they are, and takes the namespace of the workload", async () => {
    const others = [
      "{apiVersion: v1, kind: Service, metadata: {name: web}}",
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}}",
    ];
    const files = await folderOf({
      "shop.yaml": log.replace(
        "selector:",
        "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}, selector:",
      ),
    });
    const ran = await antechamber(["inject", "-f", "-", "--with", files], { input: others.join("\n---\n") });
    const [service, deployment] = readYaml(ran.stdout).map(({ value }) => value);
    expect(service).toEqual({ apiVersion: "v1", kind: "Service", metadata: { name: "web" } });
    expect(containersOf(get(deployment, "spec", "template"))).toEqual(["agent", "app"]);
  });

  it("prints a difference that can be applied to the files, whose comments and other objects stay", async () => {
    const text = `# the shop
apiVersion: v1
kind: Service
metadata: {name: web}
---
apiVersion: apps/v1
kind: Deployment # of the shop
metadata:
  name: web
spec:
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        # what we sell
        - name: app
          image: "app:1"
`;
    const files = await folderOf({ "shop/web.yaml": text, "shop/one.yaml": pod("one"), "log.yaml": log });
    const args = ["inject", "-f", `${files}/shop`, "--with", `${files}/log.yaml`];
    const difference = await antechamber([...args, "-o", "diff"]);
    expect(difference).toMatchObject({ code: 0, stderr: "" });
    const patches = parsePatch(difference.stdout);
    expect(patches.map(({ newFileName }) => newFileName)).toEqual(
      ["one", "web"].map((name) => `b${files}/shop/${name}.yaml`),
    );
    const changed = applyPatch(text, patches[1] ?? "");
    expect(changed).toContain("kind: Deployment # of the shop\n");
    expect(changed).toContain("        # what we sell\n        - name: agent\n");
    const injected = await antechamber([...args, "-o", "yaml"]);
    const [, ...expected] = readYaml(injected.stdout).map(({ value }) => withoutTimesIn(value));
    expect(readYaml(String(changed)).map(({ value }) => withoutTimesIn(value))).toEqual(expected);
  });

  it("prints a difference in which a file keeps its Windows line ends", async () => {
    const text = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}} # the shop
spec:
  containers:
    - name: app
      image: "app:1"
`.replaceAll("\n", "\r\n");
    const files = await folderOf({ "web.yaml": text, "log.yaml": log });
    const args = ["inject", "-f", `${files}/web.yaml`, "--with", `${files}/log.yaml`, "-o", "diff"];
    const { code, stdout } = await antechamber(args);
    expect(code).toBe(0);
    const changed = String(applyPatch(text, stdout, { autoConvertLineEndings: false }));
    expect(containersOf(readYaml(changed)[0]?.value)).toEqual(["agent", "app"]);
    expect(changed).toContain("# the shop\r\n");
    expect(changed.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  it("exits with 1 if a pod is rejected or cannot be decided, and prints the others", async () => {
    const files = await folderOf({
      "pods.yaml": [pod("bad", "gone"), pod("good"), pod("far", "far")].join("\n---\n"),
      "sets/log.yaml": log,
      "sets/gone.yaml": sidecarSet(
        "gone",
        "injectionStrategy: {revision: {revisionName: lost}}, containers: [{name: g, image: 'g:1'}]",
      ).replace("app: web", "app: gone"),
      "sets/far.yaml": sidecarSet(
        "far",
        "namespaceSelector: {matchLabels: {team: a}}, containers: [{name: f, image: 'f:1'}]",
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
    ["an object without a pod", log, [], "there is neither a pod nor an object with a pod template"],
    ["no document", "", [], "there is neither a pod nor an object with a pod template"],
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

function nested(path: readonly (string | number)[], value: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  return typeof step === "number" ? [nested(rest, value)] : { [step]: nested(rest, value) };
}

/** The same without the times of the records, which differ in two runs. */
function withoutTimesIn(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "now"));
}

/** What is the same in two runs. */
function withoutTimes(pod: Json): Json {
  return { spec: get(pod, "spec") ?? null };
}
