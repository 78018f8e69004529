import fc from "fast-check";
import { define, type Json, type JsonObject } from "../../../src/json/json.ts";

// Few different values, so that drawn objects interact: labels that match, names that clash, volumes that exist already.
const word = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
const sidecarName = fc.constantFrom("agent", "mesh", "log", "setup", "proxy");
const appName = fc.constantFrom("app", "web", "worker");
const volumeName = fc.constantFrom("buf", "data", "certs");
const mountPath = fc.constantFrom("/a", "/a/", "/b", "/var/log");

/** An object of entries, with any keys, `__proto__` included. */
export function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const object: Record<string, Json> = {};
  for (const [key, value] of entries) define(object, key, value);
  return object;
}

const labels = fc.array(fc.tuple(word, fc.constantFrom("x", "y", ""))).map(objectOf);

const expression = fc.record({
  key: word,
  operator: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist") },
    { weight: 1, arbitrary: fc.constant("Equals") },
  ),
  values: fc.array(fc.constantFrom("x", "y", ""), { maxLength: 2 }),
});

const selector = fc.oneof(
  fc.constantFrom({ matchLabels: { app: "x" } }, { matchExpressions: [{ key: "app", operator: "Exists" }] }),
  fc.record(
    { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
);

const mount = fc.record({ name: volumeName, mountPath });
const env = fc.record({ name: fc.constantFrom("A", "B", "POD"), value: fc.constantFrom("1", "2") });

const volume = fc.record({ name: volumeName, emptyDir: fc.constantFrom({}, { medium: "Memory" }) });

const sidecar = fc.record(
  {
    name: sidecarName,
    image: fc.constantFrom("i:1", "i:2"),
    env: fc.array(env, { maxLength: 2 }),
    volumeMounts: fc.array(mount, { maxLength: 2 }),
    podInjectPolicy: fc.constantFrom("BeforeAppContainer", "AfterAppContainer", ""),
    shareVolumePolicy: fc.record({ type: fc.constantFrom("enabled", "disabled") }),
    upgradeStrategy: fc.record({
      upgradeType: fc.constantFrom("ColdUpgrade", "HotUpgrade"),
      hotUpgradeEmptyImage: fc.constant("e:1"),
    }),
    transferEnv: fc.array(
      fc.record({ sourceContainerName: appName, envNames: fc.array(fc.constantFrom("A", "B", "C")) }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ["name", "image"] },
);

const patch = fc.record({
  patchPolicy: fc.constantFrom("Retain", "Overwrite", "MergePatchJson", "Other"),
  annotations: fc.array(fc.tuple(word, fc.constantFrom('{"k":1}', '{"l":null}', ""))).map(objectOf),
});

/** A SidecarSet with a name. */
export function sidecarSet(name: string): fc.Arbitrary<JsonObject> {
  const spec = fc.record(
    {
      selector,
      namespaceSelector: fc.constantFrom(
        { matchLabels: { "kubernetes.io/metadata.name": "default" } },
        { matchLabels: { "kubernetes.io/metadata.name": "other" } },
        { matchLabels: { team: "x" } },
      ),
      containers: fc.array(sidecar, { maxLength: 2 }),
      initContainers: fc.array(sidecar, { maxLength: 2 }),
      volumes: fc.array(volume, { maxLength: 2 }),
      imagePullSecrets: fc.array(fc.record({ name: fc.constantFrom("s0", "s1") }), { maxLength: 2 }),
      patchPodMetadata: fc.array(patch, { maxLength: 2 }),
      injectionStrategy: fc.record({ paused: fc.boolean() }),
    },
    { requiredKeys: ["selector"] },
  );
  return spec.map((drawn) => ({
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "SidecarSet",
    metadata: { name, annotations: { "kruise.io/sidecarset-hash": `hash-${name}` } },
    spec: drawn,
  }));
}

/** SidecarSets with different names, in any order. */
export const sidecarSets: fc.Arbitrary<readonly JsonObject[]> = fc
  .shuffledSubarray(["s0", "s1", "s2", "s3", "s4", "s5"])
  .chain((names) => fc.tuple(...names.map(sidecarSet)));

const container = fc.record(
  {
    name: fc.oneof(appName, sidecarName),
    image: fc.constant("app:1"),
    env: fc.array(env, { maxLength: 2 }),
    volumeMounts: fc.array(mount, { maxLength: 2 }),
    aFieldOfTomorrow: fc.constant({ kept: true }),
  },
  { requiredKeys: ["name", "image"] },
);

const byName = { selector: ({ name }: { readonly name: string }) => name };

/** A pod. */
export const pod: fc.Arbitrary<JsonObject> = fc
  .record({
    labels,
    annotations: fc.array(fc.tuple(word, fc.constantFrom("{}", '{"k":[null]}', ""))).map(objectOf),
    spec: fc.record(
      {
        containers: fc.uniqueArray(container, { minLength: 1, maxLength: 3, ...byName }),
        initContainers: fc.uniqueArray(container, { maxLength: 2, ...byName }),
        volumes: fc.uniqueArray(volume, { maxLength: 2, ...byName }),
        imagePullSecrets: fc.array(fc.record({ name: fc.constantFrom("s0", "s9") }), { maxLength: 3 }),
        nodeName: fc.constant("n1"),
      },
      { requiredKeys: ["containers"] },
    ),
  })
  .map(({ labels, annotations, spec }) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", labels: { ...labels, app: "x" }, annotations, uid: "u" },
    spec,
  }));

export const namespaces: Json = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", labels: { team: "x" } } },
];
