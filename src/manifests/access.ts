import { type JsonArray, type JsonObject, set } from "../json/json.ts";
import type { Kinds } from "../kind/kind.ts";
import { crdName } from "./crd.ts";
import type { ServiceReference } from "./reach.ts";
import { type BundleTarget, sharedTargets, targetsOfKinds } from "./targets.ts";

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
  const targets = [...targetsOfKinds(kinds, name), ...sharedTargets(name)];
  return [
    ...granted("Role", `${service.name}-certificates`, rulesOfRotation(service), service),
    ...bundleAccess(targets, `${service.name}-certificates`, service),
  ];
}

/** The same for what some kinds alone add to an installation: their CRDs, and configurations of native kinds. */
export function componentCertificateAccess(
  kinds: Kinds,
  name: string,
  component: string,
  service: ServiceReference,
): readonly JsonObject[] {
  return bundleAccess(targetsOfKinds(kinds, name), `${service.name}-${component}-certificates`, service).map(
    (each) => set(each, "metadata", "labels", onlyManaged.label, onlyManaged.value),
  );
}

/** The label of permissions that other forms of certificates leave out. */
const onlyManaged = { label: "antechamber.dev/certificates", value: "managed" } as const;

/**
 * What the service account is permitted for some kinds: to list and watch the objects that they need, and the CRDs of those with
 * several versions, each by its name. Conversion shows only fields that the CRD in force has.
 */
export function kindAccess(
  kinds: Kinds,
  component: string,
  service: ServiceReference,
): readonly JsonObject[] {
  const needs = [...kinds.all, ...kinds.natives]
    .flatMap(({ definition }) => Object.values(definition.needs ?? {}))
    .filter(({ group, kind, ifServed }) => ifServed !== true || kinds.find(group, kind) !== undefined);
  const rules = new Map(
    needs.map(({ group, kind, name }) => {
      const resource = kinds.find(group, kind)?.definition.plural ?? pluralOf(kind);
      const names = name === undefined ? {} : { resourceNames: [name] };
      const rule = { apiGroups: [group], resources: [resource], ...names, verbs: ["list", "watch"] };
      return [JSON.stringify(rule), rule] as const;
    }),
  );
  const crds = kinds.all.filter(({ versions }) => versions.length > 1).map(crdName);
  const all = [
    ...rules.values(),
    ...(crds.length === 0
      ? []
      : [rule("apiextensions.k8s.io", "customresourcedefinitions", crds.toSorted(), ["list", "watch"])]),
  ];
  return all.length === 0 ? [] : granted("ClusterRole", `${service.name}-${component}`, all, service);
}

/** What a service without kinds has. */
export const noKinds: Kinds = { all: [], natives: [], find: () => undefined, findNative: () => undefined };

/** The resource of a kind by Kubernetes' rule of thumb (apimachinery, pkg/api/meta, UnsafeGuessKindToResource). */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith("s")) return `${name}es`;
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;
}

function rulesOfRotation(service: ServiceReference): readonly JsonObject[] {
  const { secret, reports, lease } = rotationNames(service);
  return [
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
}

/** The permission to publish the CA in the objects that name our Service. */
function bundleAccess(
  targets: readonly BundleTarget[],
  name: string,
  service: ServiceReference,
): readonly JsonObject[] {
  const rules = Object.entries(resources).flatMap(([kind, [group, resource]]) => {
    const names = namesOf(targets, kind);
    return names.length === 0 ? [] : [rule(group, resource, names, ["get", "list", "watch", "patch"])];
  });
  return rules.length === 0 ? [] : granted("ClusterRole", name, rules, service);
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
  role: string,
  rules: readonly JsonObject[],
  { namespace, name }: ServiceReference,
): readonly JsonObject[] {
  const metadata = {
    name: role,
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
