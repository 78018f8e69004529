import type { JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { clientConfigOf, type Reach, reviewVersions } from "./reach.ts";

/** The CustomResourceDefinition of a kind. */
export function crdOf(kind: Kind, reach: Reach): JsonObject {
  const { group, scope, approval } = kind.definition;
  const annotations =
    approval === undefined ? {} : { annotations: { "api-approved.kubernetes.io": approval } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: crdName(kind), ...annotations },
    spec: {
      group,
      names: namesOf(kind),
      scope,
      // The hub is the stored version: only a stored object keeps what other versions cannot express.
      versions: kind.versions.map((version) => ({ ...version.entry, storage: version === kind.hub })),
      conversion: conversionOf(kind, reach),
    },
  };
}

/** The name of a kind's CRD, `rooms.home.antechamber.dev`: the API server accepts no other. */
export function crdName({ definition }: Pick<Kind, "definition">): string {
  return `${definition.plural}.${definition.group}`;
}

function namesOf({ definition: { kind, plural, categories = [], shortNames = [] } }: Kind): JsonObject {
  return {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    ...(categories.length > 0 ? { categories } : {}),
    ...(shortNames.length > 0 ? { shortNames } : {}),
  };
}

/** With one version there is nothing to convert, and without a webhook the kind does not depend on the service. */
function conversionOf(kind: Kind, reach: Reach): JsonObject {
  if (kind.versions.length === 1) return { strategy: "None" };
  const clientConfig = clientConfigOf(reach, "convert");
  return { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: reviewVersions } };
}
