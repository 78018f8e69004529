import type { JsonObject } from "../json/json.ts";
import type { Kind } from "../kind.ts";
import type { NativeKind } from "../native.ts";
import { crdName } from "./crd.ts";
import { clientConfigOf, type Reach, reviewVersions } from "./reach.ts";

/** The MutatingWebhookConfiguration of all kinds, under a name: one entry a kind. */
export function mutatingConfiguration(kinds: readonly Kind[], name: string, reach: Reach): JsonObject {
  // IfNeeded: what another webhook adds after us is defaulted as well, and its loss of a carrier made good.
  const entries = kinds.flatMap((kind) =>
    entriesOf(kind, "mutate", reach, { reinvocationPolicy: "IfNeeded" }),
  );
  return configuration("MutatingWebhookConfiguration", name, entries);
}

/** The ValidatingWebhookConfiguration of all kinds, under a name: one entry a kind. */
export function validatingConfiguration(kinds: readonly Kind[], name: string, reach: Reach): JsonObject {
  const entries = kinds.flatMap((kind) => entriesOf(kind, "validate", reach, {}));
  return configuration("ValidatingWebhookConfiguration", name, entries);
}

/**
 * The MutatingWebhookConfiguration of a native kind, `<name>-<plural>`: apart from those of our own kinds, since others
 * depend on it, who may want to select it, delay it or take it away alone.
 */
export function nativeConfiguration({ definition }: NativeKind, name: string, reach: Reach): JsonObject {
  const { group, version, plural, scope, operations } = definition;
  const own = "service" in reach ? [reach.service.namespace] : [];
  const entry = {
    // An API server asks for three parts at least; the core group has no name to give.
    name: `mutate.${plural}.${group === "" ? "antechamber.dev" : group}`,
    clientConfig: clientConfigOf(reach, "mutate"),
    rules: [{ apiGroups: [group], apiVersions: [version], operations, resources: [plural], scope }],
    matchPolicy: "Equivalent",
    // Our own pods must be able to start when none of us runs, and the cluster's own must not depend on us.
    ...(scope === "Namespaced" ? { namespaceSelector: without(["kube-system", ...own]) } : {}),
    // Something that should have been put in and silently is not is what nobody finds; a write that fails is tried again.
    failurePolicy: "Fail",
    sideEffects: "None",
    // Longer than what may be waited for here, and shorter than a scheduler's or a controller's patience.
    timeoutSeconds: 10,
    // What another webhook adds after us is looked at as well; doing it twice changes nothing.
    reinvocationPolicy: "IfNeeded",
    admissionReviewVersions: reviewVersions,
  };
  return configuration("MutatingWebhookConfiguration", `${name}-${plural}`, [entry]);
}

/** What a generated file says of the choices in it, for those who read it and not this one. */
export const reasons = `# failurePolicy Fail: an object that nobody judged, or a pod without what belongs into it, is found by nobody; a write that
#   fails says why and can be tried again. It holds for these resources alone, and none of them is needed to start us.
# timeoutSeconds 10: while replicas change, an API server asks again each second, within this time; answers take milliseconds.
# matchPolicy Equivalent: every served version is listed, so a write arrives as it was written; one that is not is not missed.
# sideEffects None: answers depend on the review and on cached objects alone, so dry runs may ask.
# reinvocationPolicy IfNeeded: what another webhook adds after us is looked at as well.
`;

function without(namespaces: readonly string[]): JsonObject {
  const key = "kubernetes.io/metadata.name";
  return { matchExpressions: [{ key, operator: "NotIn", values: namespaces }] };
}

function configuration(kind: string, name: string, webhooks: readonly JsonObject[]): JsonObject {
  return { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name }, webhooks };
}

/** A kind's entry; none where no version is served, since nobody can write such an object. */
function entriesOf(
  kind: Kind,
  road: "mutate" | "validate",
  reach: Reach,
  more: JsonObject,
): readonly JsonObject[] {
  const { group, plural, scope } = kind.definition;
  const apiVersions = kind.versions.filter(({ served }) => served).map(({ name }) => name);
  if (apiVersions.length === 0) return [];
  const entry = {
    name: `${road}.${crdName(kind)}`,
    clientConfig: clientConfigOf(reach, road),
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
    // Every version is listed, so a write arrives as its author wrote it; one of a version not listed yet is not missed.
    matchPolicy: "Equivalent",
    // These are the group's own objects: one that nobody judged or kept whole is worse than a write to be tried again.
    failurePolicy: "Fail",
    // Handlers are functions of the review and of cached objects, so a dry run may call them.
    sideEffects: "None",
    // Ten times the second after which an API server repeats a call that a leaving replica turned away (kubernetes.md 8c).
    timeoutSeconds: 10,
    ...more,
    admissionReviewVersions: reviewVersions,
  };
  return [entry];
}
