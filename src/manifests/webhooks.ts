import type { JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import type { NativeKind } from "../kind/native.ts";
import { crdName } from "./crd.ts";
import { clientConfigOf, type Reach, reviewVersions } from "./reach.ts";

/** What webhooks for writes need to know of a kind. */
export interface WrittenKind extends Pick<Kind, "definition"> {
  readonly versions: readonly Pick<Kind["hub"], "name" | "served">[];
}

/** The MutatingWebhookConfiguration of all kinds, with one entry for each kind. */
export function mutatingConfiguration(kinds: readonly WrittenKind[], name: string, reach: Reach): JsonObject {
  // IfNeeded: defaults apply also to what a later webhook adds, and a carrier that it lost is restored.
  const entries = kinds.flatMap((kind) =>
    entriesOf(kind, "mutate", reach, { reinvocationPolicy: "IfNeeded" }),
  );
  return configuration("MutatingWebhookConfiguration", name, entries);
}

/** The ValidatingWebhookConfiguration of all kinds, with one entry for each kind. */
export function validatingConfiguration(
  kinds: readonly WrittenKind[],
  name: string,
  reach: Reach,
): JsonObject {
  const entries = kinds.flatMap((kind) => entriesOf(kind, "validate", reach, {}));
  return configuration("ValidatingWebhookConfiguration", name, entries);
}

/**
 * The MutatingWebhookConfiguration of a native kind, `<name>-<plural>`. It is separate from that of custom kinds, since it
 * affects other workloads: operators may want to restrict, delay or remove it alone.
 */
export function nativeConfiguration({ definition }: NativeKind, name: string, reach: Reach): JsonObject {
  const { group, version, plural, scope, operations } = definition;
  const own = "service" in reach ? [reach.service.namespace] : [];
  const entry = {
    // The API server requires a name of at least three parts; the core group has no name.
    name: `mutate.${plural}.${group === "" ? "antechamber.dev" : group}`,
    clientConfig: clientConfigOf(reach, "mutate"),
    rules: [{ apiGroups: [group], apiVersions: [version], operations, resources: [plural], scope }],
    matchPolicy: "Equivalent",
    // The service's own pods must be able to start while it is down, and the cluster's own pods must not depend on it.
    ...(scope === "Namespaced" ? { namespaceSelector: without(["kube-system", ...own]) } : {}),
    // A missing injection would go unnoticed; a failed write is reported and repeated.
    failurePolicy: "Fail",
    sideEffects: "None",
    // Longer than the service waits for its listers, and shorter than the timeouts of schedulers and controllers.
    timeoutSeconds: 10,
    // Also for what a later webhook adds; injecting twice changes nothing.
    reinvocationPolicy: "IfNeeded",
    admissionReviewVersions: reviewVersions,
  };
  return configuration("MutatingWebhookConfiguration", `${name}-${plural}`, [entry]);
}

/** The header of the generated file, which explains its settings. */
export const reasons = `# failurePolicy Fail: an unvalidated object, or a pod without its sidecars, would go unnoticed; a failed write is reported
#   and can be repeated. It affects these resources only, and the service needs none of them to start.
# timeoutSeconds 10: while replicas are replaced, an API server retries every second within this time; responses take
#   milliseconds.
# matchPolicy Equivalent: every served version is listed, so a write arrives at the version that the client used; a write at
#   an unlisted version is converted instead of missed.
# sideEffects None: responses depend only on the review and on cached objects, so dry runs may call the webhooks.
# reinvocationPolicy IfNeeded: what a later webhook adds is processed as well.
`;

function without(namespaces: readonly string[]): JsonObject {
  const key = "kubernetes.io/metadata.name";
  return { matchExpressions: [{ key, operator: "NotIn", values: namespaces }] };
}

function configuration(kind: string, name: string, webhooks: readonly JsonObject[]): JsonObject {
  return { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name }, webhooks };
}

/** A kind's entry; none if no version is served, since no client can write such an object. */
function entriesOf(
  kind: WrittenKind,
  endpoint: "mutate" | "validate",
  reach: Reach,
  more: JsonObject,
): readonly JsonObject[] {
  const { group, plural, scope } = kind.definition;
  const apiVersions = kind.versions.filter(({ served }) => served).map(({ name }) => name);
  if (apiVersions.length === 0) return [];
  const entry = {
    name: `${endpoint}.${crdName(kind)}`,
    clientConfig: clientConfigOf(reach, endpoint),
    rules: [
      {
        apiGroups: [group],
        apiVersions,
        operations: ["CREATE", "UPDATE"],
        // The status too: without the keeper a write to it could forge what conversion restores.
        resources: [plural, `${plural}/status`],
        scope,
      },
    ],
    // Every version is listed, so a write arrives at the version that the client used; an unlisted one is not missed.
    matchPolicy: "Equivalent",
    // An object that was stored without validation or without its carriers is worse than a write that must be repeated.
    failurePolicy: "Fail",
    // Handlers depend only on the review and on cached objects, so a dry run may call them.
    sideEffects: "None",
    // An API server retries after one second if a terminating replica rejected its call (Retry-After): this allows ten
    // retries.
    timeoutSeconds: 10,
    ...more,
    admissionReviewVersions: reviewVersions,
  };
  return [entry];
}
