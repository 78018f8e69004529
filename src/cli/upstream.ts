import type { WebhookAddress } from "../cluster/api/webhook-client.ts";
import { upstreamConfigOf } from "../cluster/lifecycle/takeover.ts";
import { UsageError } from "../errors.ts";
import { hasSeveralVersions } from "../guard/guarded-kind.ts";
import type { Upstream } from "../guard/upstream.ts";
import type { Upstreams } from "../guard/upstreams.ts";
import { get, type JsonObject, listAt, textAt } from "../json/json.ts";
import { crdsAmong } from "../offline/crd-input.ts";
import { type InputIo, type InputObject, readInput } from "../offline/input.ts";
import { pemText } from "./pem-file.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

// Conversion webhooks of other projects, as a command line and their CRDs name them.

/** The CRDs of files that have several versions. Throws UsageError. */
export async function crdsIn(files: readonly string[], io: InputIo): Promise<readonly InputObject[]> {
  const several = crdsAmong(await readInput(files, io)).filter(({ value }) => hasSeveralVersions(value));
  if (several.length > 0) return several;
  throw new UsageError(`--crd ${files.join(" ")}: no CRD with several versions: there is nothing to convert`);
}

/** What the command line says of the upstream. */
export type Given = Partial<WebhookAddress> & Pick<WebhookAddress, "timeout">;

/** Throws UsageError. */
export async function givenOf({ upstream, ...options }: UpstreamOptions): Promise<Given> {
  if (upstream !== undefined && (!URL.canParse(upstream) || new URL(upstream).protocol !== "https:"))
    throw new UsageError(
      `--upstream ${upstream}: not an https URL; write it like https://127.0.0.1:9443/convert`,
    );
  const { upstreamClientCert, upstreamClientKey } = options;
  if ((upstreamClientCert === undefined) !== (upstreamClientKey === undefined))
    throw new UsageError("--upstream-client-cert and --upstream-client-key belong together");
  return {
    ...(upstream === undefined ? {} : { url: upstream }),
    ca: await pemText("--upstream-ca", options.upstreamCa),
    cert: await pemText("--upstream-client-cert", upstreamClientCert),
    key: await pemText("--upstream-client-key", upstreamClientKey),
    insecure: options.insecureSkipTlsVerify,
    serverName: options.upstreamServerName,
    timeout: 30_000,
    // A guard never uses so many; what a shadow passes on must not wait.
    connections: 64,
  };
}

/** The upstream of a CRD, at the place that the command line names, else the CRD. Throws UsageError. */
export function upstreamOf(crd: JsonObject, source: string, given: Given, upstreams: Upstreams): Upstream {
  const config = upstreamConfigOf(crd);
  const bundle = textAt(config, "caBundle");
  const ca = given.ca ?? (bundle === "" ? undefined : Buffer.from(bundle, "base64").toString());
  const url = given.url ?? urlOf(config);
  if (url === undefined)
    throw new UsageError(`${source}: names no conversion webhook; say where it is with --upstream <url>`);
  return upstreams.at({ ...given, url, ca }, reviewsOf(crd));
}

/** The version of ConversionReview that a CRD lets its webhook be asked with. */
function reviewsOf(crd: JsonObject): "v1" | "v1beta1" {
  const reviews = listAt(crd, "spec", "conversion", "webhook", "conversionReviewVersions");
  return reviews.includes("v1beta1") && !reviews.includes("v1") ? "v1beta1" : "v1";
}

/** The URL of a webhook, as API servers make it of a Service (webhook.ClientManager of apiserver). */
function urlOf(config: JsonObject | undefined): string | undefined {
  const url = get(config, "url");
  if (typeof url === "string") return url;
  const service = get(config, "service");
  if (service === undefined) return undefined;
  const port = get(service, "port") ?? 443;
  const path = textAt(service, "path").replace(/^\/?/, "/");
  return `https://${textAt(service, "name")}.${textAt(service, "namespace")}.svc:${String(port)}${path}`;
}
