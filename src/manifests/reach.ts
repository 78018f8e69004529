import type { JsonObject } from "../json/json.ts";

/** How an API server reaches the service: through a Service of its cluster or at a URL, and whom it trusts there. */
export type Reach = {
  /** PEM certificates. Absent, the server asks its system's roots; a bundle that is no PEM is refused (kubernetes.md 8h). */
  readonly ca?: string;
} & ({ readonly service: { readonly namespace: string; readonly name: string } } | { readonly url: string });

/** The `clientConfig` by which an API server finds one of the service's roads. */
export function clientConfigOf(reach: Reach, road: "convert" | "mutate" | "validate"): JsonObject {
  const bundle = reach.ca === undefined ? {} : { caBundle: Buffer.from(reach.ca).toString("base64") };
  if ("url" in reach) return { url: `${reach.url}/${road}`, ...bundle };
  return { service: { ...reach.service, port: 443, path: `/${road}` }, ...bundle };
}

/** Both reviews are spoken in both versions, the newer first. */
export const reviewVersions = ["v1", "v1beta1"];
