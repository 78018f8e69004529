import type { JsonArray, JsonObject } from "../json/json.ts";
import type { Kinds } from "../kind/kind.ts";
import type { ServiceReference } from "./reach.ts";
import { type BundleTarget, bundleTargets } from "./targets.ts";

/** The names of the objects in which the replicas of a service keep the rotation of their certificate. */
export function rotationNames({ name }: ServiceReference): {
  readonly secret: string;
  readonly reports: string;
  readonly lease: string;
} {
  return { secret: `${name}-certificates`, reports: `${name}-replicas`, lease: name };
}

/** The reasons of the events on the Deployment. */
export const rotationReasons = {
  started: "CARotationStarted",
  switched: "CASwitched",
  completed: "CARotationCompleted",
  renewed: "CertificateRenewed",
  restored: "CABundleRestored",
  failed: "CertificateRotationFailed",
} as const;

/** The name of the event of a reason, of which there is one object. */
export function eventName({ name }: ServiceReference, reason: string): string {
  return `${name}.${reason.toLowerCase()}`;
}

/**
 * What the service account, named like the Service, is permitted for `serve --certs managed`: each rule names its objects. The
 * permission to create names them, too: the service creates by server-side apply, whose requests have a name.
 */
export function certificateAccess(
  kinds: Kinds,
  name: string,
  service: ServiceReference,
): readonly JsonObject[] {
  const { secret, reports, lease } = rotationNames(service);
  const targets = bundleTargets(kinds, name);
  const own = [
    rule("", "secrets", [secret], ["get", "list", "watch", "create", "patch"]),
    rule("", "configmaps", [reports], ["get", "create", "patch"]),
    rule("coordination.k8s.io", "leases", [lease], ["get", "create", "patch"]),
    rule(
      "",
      "events",
      Object.values(rotationReasons).map((reason) => eventName(service, reason)),
      ["get", "create", "patch"],
    ),
    rule("apps", "deployments", [service.name], ["get"]),
  ];
  const shared = Object.entries(resources).flatMap(([kind, [group, resource]]) => {
    const names = namesOf(targets, kind);
    return names.length === 0 ? [] : [rule(group, resource, names, ["get", "list", "watch", "patch"])];
  });
  return [...granted("Role", own, service), ...granted("ClusterRole", shared, service)];
}

const resources: Readonly<Record<BundleTarget["kind"], readonly [group: string, resource: string]>> = {
  CustomResourceDefinition: ["apiextensions.k8s.io", "customresourcedefinitions"],
  MutatingWebhookConfiguration: ["admissionregistration.k8s.io", "mutatingwebhookconfigurations"],
  ValidatingWebhookConfiguration: ["admissionregistration.k8s.io", "validatingwebhookconfigurations"],
};

function namesOf(targets: readonly BundleTarget[], kind: string): readonly string[] {
  return targets
    .filter((target) => target.kind === kind)
    .map(({ name }) => name)
    .toSorted();
}

function rule(
  group: string,
  resource: string,
  resourceNames: readonly string[],
  verbs: JsonArray,
): JsonObject {
  return { apiGroups: [group], resources: [resource], resourceNames, verbs };
}

/** A role and its binding to the account. */
function granted(
  kind: "Role" | "ClusterRole",
  rules: readonly JsonObject[],
  { namespace, name }: ServiceReference,
): readonly JsonObject[] {
  const metadata = {
    name: `${name}-certificates`,
    ...(kind === "Role" ? { namespace } : {}),
    labels: { "app.kubernetes.io/name": name },
  };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: metadata.name };
  return [
    { apiVersion, kind, metadata, rules },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef,
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}
