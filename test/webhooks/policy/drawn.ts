import fc from "fast-check";
import type { JsonObject } from "../../../src/json/json.ts";

// Few different keys and values, so that most rows of the table decide now and then.
const key = fc.constantFrom("inject", "app", "foo");
const text = fc.constantFrom("true", "false", "yes", "web", "");
const texts = fc.dictionary(key, text, { maxKeys: 3 });

const expression = fc.record({
  key,
  operator: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist") },
    { weight: 1, arbitrary: fc.constant("Equals") },
  ),
  values: fc.array(text, { maxLength: 2 }),
});

const selector = fc.record(
  {
    matchLabels: fc.dictionary(key, text, { maxKeys: 1 }),
    matchExpressions: fc.array(expression, { maxLength: 1 }),
  },
  { requiredKeys: [] },
);

const namespaceSelector = fc.oneof(
  selector,
  fc.constantFrom("default", "shop", "kube-system").map((name) => ({
    matchLabels: { "kubernetes.io/metadata.name": name },
  })),
);

const fullMatch = fc.record(
  {
    selector,
    namespaceSelector,
    annotations: fc.array(expression, { maxLength: 1 }),
    hostNetwork: fc.constantFrom("Include", "Exclude"),
    ignoredNamespaces: fc.subarray(["kube-system", "shop"]),
  },
  { requiredKeys: [] },
);

// Most of these match few pods, and only matched pods reach the switch.
const match = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fullMatch });

const drawnSwitch = fc.record(
  {
    label: key,
    annotation: key,
    namespaceLabel: key,
    namespaceAnnotation: key,
    onValues: fc.constantFrom(["true"], ["true", "web"]),
    offValues: fc.constantFrom(["false"], ["false", "yes"]),
    never: fc.array(selector, { maxLength: 2 }),
    always: fc.array(selector, { maxLength: 2 }),
    default: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom("Enabled", "Disabled") },
      { weight: 1, arbitrary: fc.constant("disabled") },
    ),
  },
  { requiredKeys: [] },
);

/** An InjectionPolicy that adds one container of its own name. */
export function policy(name: string): fc.Arbitrary<JsonObject> {
  const paused = fc.oneof(
    { weight: 15, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
  return fc.record({ match, switch: drawnSwitch, paused }, { requiredKeys: [] }).map((spec) => ({
    apiVersion: "injection.antechamber.dev/v1beta1",
    kind: "InjectionPolicy",
    metadata: { name },
    spec: { ...spec, containers: [{ name, image: "i:1" }] },
  }));
}

/** A pod and its namespace. */
export const placedPod = fc
  .record({
    labels: texts,
    annotations: texts,
    hostNetwork: fc.oneof(
      { weight: 5, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    namespace: fc.record({
      name: fc.constantFrom("default", "shop", "kube-system"),
      labels: texts,
      annotations: texts,
    }),
  })
  .map(({ labels, annotations, hostNetwork, namespace }) => ({
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: namespace.name, labels, annotations },
      spec: { hostNetwork, containers: [{ name: "app", image: "app:1" }] },
    } as JsonObject,
    namespace: { apiVersion: "v1", kind: "Namespace", metadata: namespace } as JsonObject,
  }));
