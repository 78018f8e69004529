import type { JsonObject } from "../json/json.ts";
import type { Kind } from "../kind.ts";
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
    timeoutSeconds: 10,
    ...more,
    admissionReviewVersions: reviewVersions,
  };
  return [entry];
}
