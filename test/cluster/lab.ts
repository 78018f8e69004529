import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { crdPath, expectOk } from "./kinds.ts";
import type { ApiServer } from "./server.ts";

/** A conversion webhook with any behaviour. */
export interface Lab {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts one that converts with the given function; its certificates are in a folder, as from `antechamber certs`. */
export async function startLab(
  certs: string,
  convert: (object: JsonObject, to: string) => Json,
): Promise<Lab> {
  const [cert, key] = await Promise.all(
    ["tls.crt", "tls.key"].map((file) => readFile(join(certs, file), "utf8")),
  );
  const server = createServer({ cert: cert ?? "", key: key ?? "" }, async (request, response) => {
    // A stopped API server aborts its requests: their responses are not needed.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const review = parseJson(body);
    const to = String(get(review, "request", "desiredAPIVersion"));
    const objects = get(review, "request", "objects");
    const convertedObjects = (isArray(objects) ? objects : []).filter(isObject).map((it) => convert(it, to));
    const uid = get(review, "request", "uid") ?? null;
    const sealed = { uid, convertedObjects, result: { status: "Success" } };
    response.setHeader("content-type", "application/json");
    response.end(writeJson({ ...(isObject(review) ? review : {}), request: null, response: sealed }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Sets the conversion of a kind to a webhook, or to None: then only the apiVersion is changed. */
export async function setConversion(
  server: ApiServer,
  plural: string,
  webhook?: { readonly url: string; readonly ca: string },
): Promise<void> {
  const clientConfig = webhook && { url: webhook.url, caBundle: Buffer.from(webhook.ca).toString("base64") };
  const conversion = clientConfig
    ? { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } }
    : { strategy: "None", webhook: null };
  await expectOk(server.request("PATCH", crdPath(plural), { body: { spec: { conversion } } }));
}
