import type { JsonObject } from "../json/json.ts";

/** How an API server reaches the service: through a Service of its cluster or at a URL, and which CA it trusts. */
export type Reach = {
  /** PEM certificates. If absent, the API server uses its system's roots; it rejects a bundle that is not PEM. */
  readonly ca?: string;
} & ({ readonly service: ServiceReference } | { readonly url: string });

/** A Service, and its port; by default 443. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

/** The `clientConfig` with which an API server calls an endpoint of the service. */
export function clientConfigOf(reach: Reach, endpoint: "convert" | "mutate" | "validate"): JsonObject {
  const bundle = reach.ca === undefined ? {} : { caBundle: Buffer.from(reach.ca).toString("base64") };
  if ("url" in reach) return { url: `${reach.url}/${endpoint}`, ...bundle };
  const { namespace, name, port = 443 } = reach.service;
  return { service: { namespace, name, port, path: `/${endpoint}` }, ...bundle };
}

/** The versions of both reviews that the service accepts, the newer first. */
export const reviewVersions = ["v1", "v1beta1"];
