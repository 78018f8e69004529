import type { JsonObject } from "../../../src/json/json.ts";
import { container, pod, sidecarSet } from "./injection-stage.ts";

/** SidecarSets, a pod for which they are, and what is in it once it is created. */
export interface Shape {
  readonly sets: readonly JsonObject[];
  readonly pod: JsonObject;
  /** Of the pod: what is not named here may be anything, lists are as long as here. */
  readonly expected: JsonObject;
}

const marker = { name: "IS_INJECTED", value: "true" };

/** What SidecarSets can ask for, a kind of thing at a time. A SidecarSet is for the pods of its shape alone. */
export const shapes: Readonly<Record<string, Shape>> = {
  "containers before and after the pod's own": {
    sets: [
      of("order", "order", {
        containers: [
          container("front", { podInjectPolicy: "BeforeAppContainer" }),
          container("back", { podInjectPolicy: "AfterAppContainer" }),
        ],
      }),
    ],
    pod: pod("order", { shape: "order" }),
    expected: {
      spec: {
        containers: [
          { name: "front", env: [marker], terminationMessagePath: "/dev/termination-log" },
          { name: "app" },
          { name: "back", imagePullPolicy: "IfNotPresent" },
        ],
      },
    },
  },
  "init containers by name, around the pod's own": {
    sets: [
      of("init", "init", {
        initContainers: [
          container("zoo"),
          container("ant"),
          container("yak", { podInjectPolicy: "BeforeAppContainer" }),
        ],
      }),
    ],
    pod: pod("init", { shape: "init" }, { initContainers: [container("own")] }),
    expected: {
      spec: {
        initContainers: [{ name: "yak" }, { name: "own" }, { name: "ant" }, { name: "zoo" }],
        containers: [{ name: "app" }],
      },
    },
  },
  "a native sidecar": {
    sets: [
      of("native", "native", {
        initContainers: [container("proxy", { restartPolicy: "Always" })],
        updateStrategy: { type: "NotUpdate" },
      }),
    ],
    pod: pod("native", { shape: "native" }),
    expected: { spec: { initContainers: [{ name: "proxy", restartPolicy: "Always", env: [marker] }] } },
  },
  "volumes of its own, and mounts of the pod": {
    sets: [
      of("volumes", "volumes", {
        containers: [
          container("agent", {
            volumeMounts: [{ name: "spool", mountPath: "/spool" }],
            shareVolumePolicy: { type: "enabled" },
          }),
        ],
        volumes: [
          { name: "spool", emptyDir: {} },
          { name: "unused", emptyDir: {} },
        ],
      }),
    ],
    pod: pod(
      "volumes",
      { shape: "volumes" },
      {
        containers: [container("app", { volumeMounts: [{ name: "data", mountPath: "/data" }] })],
        volumes: [{ name: "data", emptyDir: {} }],
      },
    ),
    expected: {
      spec: {
        containers: [
          {
            name: "agent",
            volumeMounts: [
              { name: "spool", mountPath: "/spool" },
              { name: "data", mountPath: "/data" },
            ],
          },
          { name: "app" },
        ],
        volumes: [{ name: "data" }, { name: "spool" }],
      },
    },
  },
  "variables of the pod's containers": {
    sets: [
      of("env", "env", {
        containers: [
          container("tracer", {
            transferEnv: [
              { sourceContainerName: "app", envNames: ["ZONE", "ABSENT"] },
              {
                sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['main']" } },
                envName: "NODE",
              },
            ],
          }),
        ],
      }),
    ],
    pod: pod(
      "env",
      { shape: "env", main: "app" },
      {
        containers: [
          container("app", {
            env: [
              { name: "ZONE", value: "a" },
              { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            ],
          }),
        ],
      },
    ),
    expected: {
      spec: {
        containers: [
          {
            name: "tracer",
            env: [
              marker,
              { name: "ZONE", value: "a" },
              { name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
            ],
          },
          { name: "app" },
        ],
      },
    },
  },
  "resources as a share of the pod's": {
    sets: [
      of("resources", "resources", {
        containers: [
          container("meter", {
            resourcesPolicy: {
              targetContainersMode: "sum",
              targetContainersNameRegex: "^app",
              resourcesExpr: { limits: { cpu: "max(cpu*50%, 50m)", memory: "memory/4 + 64Mi" } },
            },
          }),
        ],
      }),
    ],
    pod: pod(
      "resources",
      { shape: "resources" },
      {
        containers: ["app", "app-worker"].map((name) =>
          container(name, { resources: { limits: { cpu: "1", memory: "256Mi" } } }),
        ),
      },
    ),
    expected: {
      spec: {
        containers: [
          // The API server sets missing requests to the limits.
          {
            name: "meter",
            resources: {
              limits: { cpu: "1", memory: "192Mi" },
              requests: { cpu: "1", memory: "192Mi" },
            },
          },
          { name: "app" },
          { name: "app-worker" },
        ],
      },
    },
  },
  "two that take turns at an update": {
    sets: [
      of("hot", "hot", {
        containers: [
          container("mesh", {
            upgradeStrategy: {
              upgradeType: "HotUpgrade",
              hotUpgradeEmptyImage: "registry.example/empty:1",
            },
          }),
        ],
      }),
    ],
    pod: pod("hot", { shape: "hot" }),
    expected: {
      metadata: {
        annotations: {
          "kruise.io/sidecarset-working-hotupgrade-container": '{"mesh":"mesh-1"}',
          "version.sidecarset.kruise.io/mesh-1": "1",
          "version.sidecarset.kruise.io/mesh-2": "0",
        },
      },
      spec: {
        containers: [
          { name: "mesh-1", image: "registry.example/mesh:1" },
          { name: "mesh-2", image: "registry.example/empty:1" },
          { name: "app" },
        ],
      },
    },
  },
  "secrets to pull with": {
    sets: [
      of("pull", "pull", {
        containers: [container("puller")],
        imagePullSecrets: [{ name: "own" }, { name: "registry" }],
      }),
    ],
    pod: pod("pull", { shape: "pull" }, { imagePullSecrets: [{ name: "own" }] }),
    expected: { spec: { imagePullSecrets: [{ name: "own" }, { name: "registry" }] } },
  },
  "annotations: kept, overwritten, merged": {
    sets: [
      of("notes", "notes", {
        containers: [container("noter")],
        patchPodMetadata: [
          { patchPolicy: "Retain", annotations: { "example.com/kept": "new", "example.com/added": "new" } },
          { patchPolicy: "Overwrite", annotations: { "example.com/over": "new" } },
          { patchPolicy: "MergePatchJson", annotations: { "example.com/json": '{"b":{"c":2},"a":null}' } },
        ],
      }),
    ],
    pod: pod(
      "notes",
      { shape: "notes" },
      {},
      {
        annotations: {
          "example.com/kept": "old",
          "example.com/over": "old",
          "example.com/json": '{"a":1,"b":{"d":3}}',
        },
      },
    ),
    expected: {
      metadata: {
        annotations: {
          "example.com/kept": "old",
          "example.com/added": "new",
          "example.com/over": "new",
          "example.com/json": '{"b":{"c":2,"d":3}}',
        },
      },
    },
  },
  "of several: those bound to the namespace, then all others, each by name": {
    sets: [
      of("many-a", "many", { containers: [container("a")] }),
      of("many-z", "many", {
        containers: [container("z")],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shapes" } },
      }),
      of("many-y", "many", {
        containers: [container("y")],
        namespaceSelector: {
          matchExpressions: [
            { key: "kubernetes.io/metadata.name", operator: "In", values: ["shapes", "other"] },
          ],
        },
      }),
      of("many-b", "many", {
        containers: [container("b")],
        namespaceSelector: { matchLabels: { team: "shapes" } },
      }),
      of("many-elsewhere", "many", {
        containers: [container("elsewhere")],
        namespaceSelector: { matchLabels: { team: "other" } },
      }),
      of("many-paused", "many", {
        containers: [container("paused")],
        injectionStrategy: { paused: true },
      }),
    ],
    pod: pod("many", { shape: "many" }),
    expected: {
      metadata: { annotations: { "kruise.io/sidecarset-injected-list": "many-a,many-b,many-y,many-z" } },
      spec: {
        containers: [{ name: "y" }, { name: "z" }, { name: "a" }, { name: "b" }, { name: "app" }],
      },
    },
  },
};

function of(name: string, shape: string, spec: JsonObject): JsonObject {
  return sidecarSet(name, { selector: { matchLabels: { shape } }, ...spec });
}
