import { get, isArray, isObject, type Json, type JsonObject, own, set } from "../../../src/json/json.ts";

const mirror = "kubernetes.io/config.mirror";

/** Something that the injector does otherwise than OpenKruise v1.9.1, on purpose; docs/guides/injection.md says why. */
export interface Difference {
  readonly what: string;
  /** Whether a case is of this sort. */
  readonly concerns: (input: JsonObject) => boolean;
  /** What the injector answers instead. */
  readonly outcome: "allow" | "change" | "deny" | "wait";
  /** The case as OpenKruise reads it: our answer to this one must be the recorded answer to the other one. */
  readonly asOpenKruise: (input: JsonObject) => JsonObject;
  /** An annotation that the case as OpenKruise reads it lacks, and its record has. */
  readonly hidden?: string;
}

export const differences: readonly Difference[] = [
  {
    what: "an update is allowed as it is, whatever SidecarSets there are",
    concerns: (input) => input.operation === "UPDATE",
    outcome: "allow",
    asOpenKruise: (input) => input,
  },
  {
    what: "a mirror pod is left alone",
    concerns: (input) => get(input, "pod", "metadata", "annotations", mirror) !== undefined,
    outcome: "allow",
    asOpenKruise: (input) => ({ ...input, pod: withAnnotation(input.pod ?? null, mirror, undefined) }),
    hidden: mirror,
  },
  {
    what: "a namespace is known by its name, also without the label that says it",
    concerns: (input) => {
      const found = namespaceOf(input);
      const isLabelled = get(found, "metadata", "labels", namespaceNameLabel) !== undefined;
      return found !== undefined && !isLabelled && setsOf(input).some((set) => asksFor(set, isName));
    },
    outcome: "change",
    asOpenKruise: (input) => ({
      ...input,
      sidecarSets: setsOf(input).filter((set) => !asksFor(set, isName)),
    }),
  },
  {
    what: "a namespace that is not known yet is waited for, where its labels matter",
    concerns: (input) =>
      namespaceOf(input) === undefined && setsOf(input).some((set) => asksFor(set, (key) => !isName(key))),
    outcome: "wait",
    asOpenKruise: (input) => ({
      ...input,
      sidecarSets: setsOf(input).filter((set) => get(set, "spec", "namespaceSelector") === undefined),
    }),
  },
];

export function differenceOf(input: JsonObject): Difference | undefined {
  return differences.find(({ concerns }) => concerns(input));
}

/**
 * Why OpenKruise rejects an update: it decodes the old pod and parses every selector before it finds that there is nothing
 * to do (pkg/webhook/pod/mutating/sidecarset.go, sidecarsetMutatingPod).
 */
export function updateRejection({ oldPod, sidecarSets }: JsonObject): string | undefined {
  const expressions = itemsOf(sidecarSets).flatMap((set) =>
    itemsOf(get(set, "spec", "selector", "matchExpressions")),
  );
  const operator = expressions
    .map((each) => get(each, "operator"))
    .find((each) => !operators.has(String(each)));
  if (operator !== undefined) return `"${operator}" is not a valid pod selector operator`;
  return oldPod === undefined ? "there is no content to decode" : undefined;
}

const operators: ReadonlySet<string> = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

/** A pod with another value of an annotation, or without it. */
export function withAnnotation(pod: Json, key: string, value: Json | undefined): Json {
  const annotations = get(pod, "metadata", "annotations");
  const metadata = get(pod, "metadata");
  if (!isObject(pod) || !isObject(metadata) || !isObject(annotations)) return pod;
  return set(pod, "metadata", set(metadata, "annotations", set(annotations, key, value)));
}

/**
 * An injected pod as OpenKruise's whole pod webhook returns it: what its other parts add, and those fields of containers that
 * its library does not know at the index at which they came, on another container if a sidecar was put before them.
 */
export function recordedPod(pod: JsonObject, given: Json): JsonObject {
  const { spec } = pod;
  if (!isObject(spec)) return pod;
  const lists = ["containers", "initContainers"].flatMap((key) => {
    const list = itemsOf(own(spec, key));
    const before = itemsOf(own(own(given, "spec"), key));
    const recorded = list.map((each, index) => ({
      ...knownPart(each),
      ...unknownPart(before[index] ?? null),
    }));
    return list.length === 0
      ? []
      : [[key, key === "containers" ? withBarriers(recorded, pod) : recorded] as const];
  });
  return { ...pod, spec: { ...spec, ...Object.fromEntries(lists) } };
}

/** What OpenKruise's container launch priority adds. */
function withBarriers(containers: readonly JsonObject[], pod: JsonObject): readonly JsonObject[] {
  if (get(pod, "metadata", "annotations", "apps.kruise.io/container-launch-priority") !== "Ordered")
    return containers;
  const name = `${get(pod, "metadata", "name")}-barrier`;
  return containers.map((container, index) => {
    const configMapKeyRef = { name, key: `p_${index === 0 ? 0 : -index}` };
    const barrier = { name: "KRUISE_CONTAINER_BARRIER", valueFrom: { configMapKeyRef } };
    return { ...container, env: [...itemsOf(own(container, "env")), barrier] };
  });
}

const namespaceNameLabel = "kubernetes.io/metadata.name";

function namespaceOf(input: JsonObject): Json | undefined {
  const name = get(input, "pod", "metadata", "namespace") ?? input.namespace;
  const namespaces = input.namespaces;
  return itemsOf(namespaces).find((each) => get(each, "metadata", "name") === name);
}

function setsOf({ sidecarSets }: JsonObject): readonly Json[] {
  return itemsOf(sidecarSets);
}

function isName(key: string): boolean {
  return key === namespaceNameLabel;
}

/** Whether a SidecarSet's namespaceSelector asks for a label of this sort. */
function asksFor(set: Json, isMeant: (key: string) => boolean): boolean {
  const selector = get(set, "spec", "namespaceSelector");
  const labels = own(selector, "matchLabels");
  const expressions = own(selector, "matchExpressions");
  const keys = [
    ...Object.keys(isObject(labels) ? labels : {}),
    ...itemsOf(expressions).map((expression) => String(get(expression, "key"))),
  ];
  return keys.some(isMeant);
}

function knownPart(container: Json): JsonObject {
  return fieldsOf(container, (key) => containerFields.has(key));
}

function unknownPart(container: Json): JsonObject {
  return fieldsOf(container, (key) => !containerFields.has(key));
}

function fieldsOf(container: Json, isMeant: (key: string) => boolean): JsonObject {
  const fields = isObject(container) ? Object.entries(container) : [];
  return Object.fromEntries(fields.filter(([key]) => isMeant(key)));
}

function itemsOf(list: Json | undefined): readonly Json[] {
  return isArray(list) ? list : [];
}

// Of k8s.io/api v0.32, Container.
const containerFields: ReadonlySet<string> = new Set(
  `name image command args workingDir ports envFrom env resources resizePolicy restartPolicy volumeMounts volumeDevices
   livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy
   securityContext stdin stdinOnce tty`.split(/\s+/),
);
