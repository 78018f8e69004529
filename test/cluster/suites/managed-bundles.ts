import { get, isArray, type Json, type JsonObject } from "../../../src/json/json.ts";

/** The path of the configuration of an installation. */
export function configurationPath(which: string): string {
  return `/apis/admissionregistration.k8s.io/v1/${which}webhookconfigurations/antechamber`;
}

/** The PEM of each bundle of a CRD or webhook configuration. */
export function bundlesOf(object: Json | undefined): readonly string[] {
  const webhooks = get(object, "webhooks");
  const configs = isArray(webhooks)
    ? webhooks.map((each) => get(each, "clientConfig"))
    : [get(object, "spec", "conversion", "webhook", "clientConfig")];
  return configs.map((config) => atob(String(get(config, "caBundle") ?? "")));
}

/** A patch of a CRD. */
export function emptyBundle(): JsonObject {
  return { spec: { conversion: { webhook: { clientConfig: { caBundle: null } } } } };
}

/** A patch of a webhook configuration. */
export function withoutBundles(object: Json | undefined): JsonObject {
  const webhooks = get(object, "webhooks");
  const stripped = (isArray(webhooks) ? webhooks : []).map((each) => ({
    ...(each as JsonObject),
    clientConfig: { ...(get(each, "clientConfig") as JsonObject), caBundle: null },
  }));
  return { webhooks: stripped };
}
