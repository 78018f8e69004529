import { get, isArray, isObject, type Json, type JsonObject, listAt, textAt } from "../../json/json.ts";
import { installationLabel, installationOf } from "../../manifests/installation.ts";
import { clientConfigOf, reviewVersions, type ServiceReference } from "../../manifests/reach.ts";
import type { BundleTarget } from "../../manifests/targets.ts";
import type { Collection } from "./collection.ts";
import type { Connection } from "./connection.ts";
import { applyPatch, crdsPath, readObject, writeObject } from "./requests.ts";

/** What a CRD or webhook configuration says of our Service. */
export interface TargetState {
  /** PEM, one for each of its webhooks that call our Service; at least one. */
  readonly bundles: readonly string[];
  /** Whether a CRD does not call our Service for conversion any more, and should. */
  readonly isStripped: boolean;
}

/** An object that is left alone, and why, if a user may want to know. */
interface LeftAlone {
  readonly reason?: string;
}

/** `lights.home.antechamber.dev (CustomResourceDefinition)`. */
export function targetName({ kind, name }: BundleTarget): string {
  return `${kind} ${name}`;
}

/** Reads a CRD or webhook configuration; undefined if it does not exist. Throws ApiServerError. */
export function readTarget(connection: Connection, target: BundleTarget): Promise<JsonObject | undefined> {
  return readObject(connection, targetPath(target), targetName(target));
}

/** All webhook configurations of a sort. Throws ApiServerError. */
export async function listTargets(
  connection: Connection,
  kind: BundleTarget["kind"],
): Promise<readonly { readonly target: BundleTarget; readonly object: JsonObject }[]> {
  const list = await readObject(connection, places[kind].path, `the list of each ${kind}`);
  const objects = listAt(list, "items").filter(isObject);
  return objects.map((object) => ({ target: { kind, name: textAt(object, "metadata", "name") }, object }));
}

/** Where API servers call webhooks: at a Service of the cluster, or at the origin of a URL. */
export type CalledAt = ServiceReference | { readonly url: string };

/** The origin at which an object calls its webhooks without a Service, `https://host:9443`. */
export function urlIn(object: JsonObject): string | undefined {
  const conversion = get(object, "spec", "conversion", "webhook");
  const url = [conversion, ...listAt(object, "webhooks")]
    .map((each) => textAt(each, "clientConfig", "url"))
    .find((each) => URL.canParse(each));
  return url === undefined ? undefined : new URL(url).origin;
}

/** What an object says of our service, if its bundles are ours to write. */
export function targetState(
  target: BundleTarget,
  object: JsonObject,
  service: CalledAt,
): TargetState | LeftAlone {
  const annotations = get(object, "metadata", "annotations");
  if (get(annotations, leaveAlone) === "false")
    return { reason: `${targetName(target)} has the annotation ${leaveAlone}: "false"` };
  const injected = injectors.find((name) => get(annotations, name) !== undefined);
  if (injected !== undefined)
    return {
      reason: `${targetName(target)} has the annotation ${injected}: cert-manager writes its caBundle`,
    };
  return target.kind === "CustomResourceDefinition"
    ? conversionState(target, object, service)
    : webhooksState(object, service);
}

/**
 * Applies a bundle to every webhook of an object that calls our Service, and our conversion to a CRD that lost it; only to the
 * object as it was read. Resolves with false if it was changed since. Throws ApiServerError.
 */
export async function applyBundle(
  connection: Connection,
  target: BundleTarget,
  read: JsonObject,
  pem: string,
  service: ServiceReference,
): Promise<boolean> {
  const written = await writeObject(connection, {
    method: "PATCH",
    path: `${targetPath(target)}?fieldManager=${manager}&force=true`,
    body: appliedTo(target, read, Buffer.from(pem).toString("base64"), service),
    contentType: applyPatch,
    failure: `the caBundle of ${targetName(target)} cannot be written`,
  });
  return written !== undefined;
}

/** The collection of this object alone, for an informer. */
export function collectionOf(target: BundleTarget): Collection {
  const { apiVersion, path } = places[target.kind];
  return {
    path,
    query: { fieldSelector: `metadata.name=${target.name}` },
    accept: { list: "application/json", watch: "application/json" },
    apiVersion,
    kind: target.kind,
  };
}

/** The part of an object that decides about its bundles: a CRD has a thousand times as much. */
export function bundlePart(object: JsonObject): JsonObject {
  const { apiVersion = null, kind = null, metadata, spec, webhooks } = object;
  const { managedFields: _, ...rest } = isObject(metadata) ? metadata : {};
  const conversion = get(spec, "conversion");
  return {
    apiVersion,
    kind,
    metadata: rest,
    ...(conversion === undefined ? {} : { spec: { conversion } }),
    ...(isArray(webhooks) ? { webhooks } : {}),
  };
}

/** An annotation with which a user takes the conversion and the caBundle of an object over. */
export const leaveAlone = "antechamber.dev/managed";

const injectors = [
  "cert-manager.io/inject-ca-from",
  "cert-manager.io/inject-ca-from-secret",
  "cert-manager.io/inject-apiserver-ca",
];

/** Not `antechamber`, which is the field manager of other writes. */
const manager = "antechamber-certificates";

const admission = "admissionregistration.k8s.io/v1";
const places = {
  CustomResourceDefinition: {
    apiVersion: "apiextensions.k8s.io/v1",
    path: crdsPath,
  },
  MutatingWebhookConfiguration: {
    apiVersion: admission,
    path: `/apis/${admission}/mutatingwebhookconfigurations`,
  },
  ValidatingWebhookConfiguration: {
    apiVersion: admission,
    path: `/apis/${admission}/validatingwebhookconfigurations`,
  },
} as const;

/** The path of a CRD or webhook configuration. */
export function targetPath({ kind, name }: BundleTarget): string {
  return `${places[kind].path}/${encodeURIComponent(name)}`;
}

function conversionState(
  target: BundleTarget,
  object: JsonObject,
  service: CalledAt,
): TargetState | LeftAlone {
  const conversion = get(object, "spec", "conversion");
  // Without the label it is another controller's, which may do without a webhook.
  if (get(conversion, "strategy") !== "Webhook")
    return installationOf(object) === undefined
      ? {
          reason: `${targetName(target)} has neither a conversion webhook nor the label ${installationLabel}`,
        }
      : { bundles: [""], isStripped: true };
  const clientConfig = get(conversion, "webhook", "clientConfig");
  if (!isOurs(clientConfig, service))
    return { reason: `${targetName(target)} has a conversion webhook of another service` };
  return { bundles: [bundleIn(clientConfig)], isStripped: false };
}

function webhooksState(object: JsonObject, service: CalledAt): TargetState | LeftAlone {
  const bundles = ourWebhooks(object, service).map((webhook) => bundleIn(get(webhook, "clientConfig")));
  return bundles.length === 0 ? {} : { bundles, isStripped: false };
}

function ourWebhooks(object: JsonObject, service: CalledAt): readonly Json[] {
  return listAt(object, "webhooks").filter((each) => isOurs(get(each, "clientConfig"), service));
}

function isOurs(clientConfig: Json | undefined, at: CalledAt): boolean {
  if ("url" in at)
    return (
      URL.canParse(textAt(clientConfig, "url")) && new URL(textAt(clientConfig, "url")).origin === at.url
    );
  const service = get(clientConfig, "service");
  return get(service, "namespace") === at.namespace && get(service, "name") === at.name;
}

function bundleIn(clientConfig: Json | undefined): string {
  return Buffer.from(textAt(clientConfig, "caBundle"), "base64").toString("latin1");
}

/** Only what is ours: the field manager owns nothing else. */
function appliedTo(
  { kind, name }: BundleTarget,
  read: JsonObject,
  caBundle: string,
  service: ServiceReference,
): JsonObject {
  const head = {
    apiVersion: places[kind].apiVersion,
    kind,
    // Of the object as it was read: otherwise a late write could take out what another replica has published since.
    metadata: { name, resourceVersion: get(read, "metadata", "resourceVersion") ?? "" },
  };
  if (kind === "CustomResourceDefinition")
    return { ...head, spec: { conversion: conversionWith(read, caBundle, service) } };
  const webhooks = ourWebhooks(read, service).map((webhook) => ({
    name: get(webhook, "name") ?? "",
    clientConfig: { caBundle },
  }));
  return { ...head, webhooks };
}

/** The conversion with a bundle. All of it is ours, so that no other field manager can leave half of it. */
function conversionWith(read: JsonObject, caBundle: string, service: ServiceReference): JsonObject {
  const webhook = get(read, "spec", "conversion", "webhook");
  const found = get(webhook, "clientConfig", "service");
  const clientConfig = isObject(found) ? { service: found } : clientConfigOf({ service }, "convert");
  return {
    strategy: "Webhook",
    webhook: {
      clientConfig: { ...clientConfig, caBundle },
      conversionReviewVersions: get(webhook, "conversionReviewVersions") ?? reviewVersions,
    },
  };
}
