import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { labelSelector } from "../../../webhooks/kruise/shared/core-types.ts";
import { type GoType, strings, struct } from "../../../webhooks/kruise/shared/go-type.ts";
import { claim, podTemplate } from "../../../webhooks/kruise/shared/pod-types.ts";
import type { Draw } from "./draw.ts";
import { drawGo, type Taste } from "./workload-draw.ts";

// The specs and statuses of StatefulSets and BroadcastJobs at v1beta1, and what v1alpha1 does not have of them, by OpenKruise's
// types (apis/apps/v1beta1).

const hook = struct({
  labelsHandler: { map: "string" },
  finalizersHandler: strings,
  markPodNotReady: "bool",
});

const both = {
  replicas: "int32",
  selector: labelSelector,
  template: podTemplate,
  volumeClaimTemplates: { list: claim },
  serviceName: "string",
  podManagementPolicy: "string",
  updateStrategy: struct({
    type: "string",
    rollingUpdate: struct({
      partition: "int32",
      maxUnavailable: "intOrString",
      podUpdatePolicy: "string",
      paused: "bool",
      unorderedUpdate: struct({
        priorityStrategy: struct({
          orderPriority: { list: struct({ orderedKey: "string" }) },
          weightPriority: { list: struct({ weight: "int32", matchSelector: labelSelector }) },
        }),
      }),
      inPlaceUpdateStrategy: struct({ gracePeriodSeconds: "int32" }),
      minReadySeconds: "int32",
    }),
  }),
  revisionHistoryLimit: "int32",
} as const;

const newer = {
  reserveOrdinals: { list: "intOrString" },
  lifecycle: struct({ preDelete: hook, inPlaceUpdate: hook, preNormal: hook }),
  scaleStrategy: struct({ maxUnavailable: "intOrString" }),
  persistentVolumeClaimRetentionPolicy: struct({ whenDeleted: "string", whenScaled: "string" }),
  ordinals: struct({ start: "int32" }),
  volumeClaimUpdateStrategy: struct({ type: "string" }),
} as const;

const conditions: GoType = {
  list: struct({
    type: "string",
    status: "string",
    lastTransitionTime: "string",
    reason: "string",
    message: "string",
  }),
};

const counts = {
  observedGeneration: "int64",
  replicas: "int32",
  readyReplicas: "int32",
  availableReplicas: "int32",
  currentReplicas: "int32",
  updatedReplicas: "int32",
  currentRevision: "string",
  updateRevision: "string",
  collisionCount: "int32",
  conditions,
  labelSelector: "string",
} as const;

const newerCounts = {
  updatedReadyReplicas: "int32",
  updatedAvailableReplicas: "int32",
  volumeClaims: {
    list: struct({
      volumeClaimName: "string",
      compatibleReplicas: "int32",
      compatibleReadyReplicas: "int32",
    }),
  },
} as const;

const job = {
  parallelism: "intOrString",
  template: podTemplate,
  completionPolicy: struct({
    type: "string",
    activeDeadlineSeconds: "int64",
    ttlSecondsAfterFinished: "int32",
  }),
  paused: "bool",
  failurePolicy: struct({ type: "string", restartLimit: "int32" }),
} as const;

const jobStatus = {
  conditions,
  startTime: "string",
  completionTime: "string",
  active: "int32",
  succeeded: "int32",
  failed: "int32",
  desired: "int32",
  phase: "string",
} as const;

/** A kind that is drawn: its plural, and the types of its spec and status at each version. */
export interface Workload {
  readonly kind: string;
  readonly versions: Readonly<Record<string, { readonly spec: GoType; readonly status: GoType }>>;
}

const jobTypes = { spec: struct(job), status: struct(jobStatus) };

/** The kinds. */
export const workloads: readonly Workload[] = [
  {
    kind: "StatefulSet",
    versions: {
      v1alpha1: { spec: struct(both), status: struct(counts) },
      v1beta1: { spec: struct({ ...both, ...newer }), status: struct({ ...counts, ...newerCounts }) },
    },
  },
  { kind: "BroadcastJob", versions: { v1alpha1: jobTypes, v1beta1: jobTypes } },
];

/** An object of a kind at a version, with a status. */
export function drawWorkload({ kind, versions }: Workload, version: string, taste: Taste): JsonObject {
  const types = versions[version];
  if (types === undefined) throw new Error(`${kind} has no version ${version}`);
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind,
    metadata: { name: "web", namespace: "shop", uid: "a", resourceVersion: "1", ...drawMetadata(taste.draw) },
    spec: drawSpec(types.spec, taste),
    status: drawGo(types.status, { ...taste, wrongness: 0 }, "status"),
  };
}

/** A spec whose open fields alone may have values of a wrong type: the API server finds the others. */
function drawSpec(type: GoType, taste: Taste): Json {
  const drawn = drawGo(type, { ...taste, wrongness: 0 }, "spec");
  const spec = taste.tameness === undefined || !isObject(drawn) ? drawn : matching(drawn);
  if (taste.wrongness === 0 || !isObject(spec)) return spec;
  return { ...spec, template: drawGo(podTemplate, taste, "template") };
}

/** The spec with a selector that its template matches, a name and an image for each container, and pods that may end. */
function matching(spec: JsonObject): JsonObject {
  const labels = { app: "web" };
  const pod = get(spec, "template", "spec");
  const drawn = get(pod, "containers");
  const containers = (isArray(drawn) && drawn.length > 0 ? drawn : [{}])
    .filter(isObject)
    .map((each, index) => ({ ...(each as JsonObject), name: `c-${index}`, image: "web:1" }));
  const restartPolicy = "selector" in spec ? "Always" : "Never";
  return {
    ...spec,
    ...("selector" in spec ? { selector: { matchLabels: labels } } : {}),
    template: { metadata: { labels }, spec: { ...(isObject(pod) ? pod : {}), containers, restartPolicy } },
  };
}

function drawMetadata(draw: Draw): JsonObject {
  return draw() < 0.3 ? { labels: { team: "shop" }, annotations: { "example.org/note": "1" } } : {};
}
