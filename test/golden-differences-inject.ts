import { get, isArray, isObject, type Json, type JsonObject, own } from "../src/json/json.ts";
import type { GoldenCase } from "./support/golden.ts";

/** Something that the injector does otherwise than OpenKruise v1.9.1, on purpose; docs/injection.md says why. */
export interface Difference {
  readonly what: string;
  /** Whether a case is of this sort. */
  readonly concerns: (input: JsonObject) => boolean;
  /** What the injector answers instead. */
  readonly outcome: "allow" | "change" | "deny" | "wait";
}

export const differences: readonly Difference[] = [
  {
    what: "an update is allowed as it is, whatever SidecarSets there are",
    concerns: (input) => input.operation === "UPDATE",
    outcome: "allow",
  },
  {
    what: "a mirror pod is left alone",
    concerns: (input) =>
      get(input, "pod", "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined,
    outcome: "allow",
  },
  {
    what: "a namespace is known by its name, also without the label that says it",
    concerns: (input) => {
      const found = namespaceOf(input);
      const isLabelled = get(found, "metadata", "labels", namespaceNameLabel) !== undefined;
      return found !== undefined && !isLabelled && asksFor(input, (key) => key === namespaceNameLabel);
    },
    outcome: "change",
  },
  {
    what: "a namespace that is not known yet is waited for, where its labels matter",
    concerns: (input) =>
      namespaceOf(input) === undefined && asksFor(input, (key) => key !== namespaceNameLabel),
    outcome: "wait",
  },
];

export function differenceOf({ input }: GoldenCase): Difference | undefined {
  return differences.find(({ concerns }) => concerns(input));
}

/**
 * A pod without what other parts of OpenKruise's pod webhook put into it, and without those fields of containers that
 * its library does not know: it leaves them at their place, on another container.
 */
export function ownPart(pod: Json): Json {
  const spec = get(pod, "spec");
  if (!isObject(pod) || !isObject(spec)) return pod;
  const { readinessGates, ...rest } = spec;
  const gates = (isArray(readinessGates) ? readinessGates : []).filter(
    (each) => get(each, "conditionType") !== "KruisePodReady",
  );
  const lists = ["containers", "initContainers"].flatMap((key) => {
    const list = own(spec, key);
    return isArray(list) ? [[key, list.map(ownContainer)] as const] : [];
  });
  const whole = { ...rest, ...Object.fromEntries(lists) };
  return { ...pod, spec: gates.length === 0 ? whole : { ...whole, readinessGates: gates } };
}

const namespaceNameLabel = "kubernetes.io/metadata.name";

function namespaceOf(input: JsonObject): Json | undefined {
  const name = get(input, "pod", "metadata", "namespace") ?? input.namespace;
  const namespaces = input.namespaces;
  return isArray(namespaces) ? namespaces.find((each) => get(each, "metadata", "name") === name) : undefined;
}

/** Whether a SidecarSet's namespaceSelector asks for a label of this sort. */
function asksFor(input: JsonObject, isMeant: (key: string) => boolean): boolean {
  const sets = input.sidecarSets;
  return (isArray(sets) ? sets : []).some((each) => {
    const selector = get(each, "spec", "namespaceSelector");
    const labels = own(selector, "matchLabels");
    const expressions = own(selector, "matchExpressions");
    const keys = [
      ...Object.keys(isObject(labels) ? labels : {}),
      ...(isArray(expressions) ? expressions : []).map((expression) => String(get(expression, "key"))),
    ];
    return keys.some(isMeant);
  });
}

function ownContainer(container: Json): Json {
  if (!isObject(container)) return container;
  const env = own(container, "env");
  const kept = isArray(env) ? env.filter((each) => !isBarrier(each)) : undefined;
  const { env: _, ...rest } = container;
  const known = Object.entries(rest).filter(([key]) => containerFields.has(key));
  return Object.fromEntries(kept === undefined || kept.length === 0 ? known : [...known, ["env", kept]]);
}

function isBarrier(entry: Json): boolean {
  return get(entry, "name") === "KRUISE_CONTAINER_BARRIER";
}

// Of k8s.io/api v0.32, Container.
const containerFields: ReadonlySet<string> = new Set(
  `name image command args workingDir ports envFrom env resources resizePolicy restartPolicy volumeMounts volumeDevices
   livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy
   securityContext stdin stdinOnce tty`.split(/\s+/),
);
