import { fieldsOutside } from "../../conversion/narrow.ts";
import { get, type Json, type JsonObject } from "../../json/json.ts";
import { crdModelOf, isConverted } from "../../schema/model/crd.ts";
import type { Connection } from "../api/connection.ts";
import { readCrdShapes } from "../api/crd-shapes.ts";
import { type CrdState, requestVersion } from "../api/crd-state.ts";
import { metadataOnly, sentenceOf } from "../api/requests.ts";

/** The conversion webhook of a CRD. */
export interface ConversionWebhook {
  /** Where API servers call it: `the Service default/gone`, or the origin of a URL. */
  readonly at: string;
  /** Why it answers no call, where that shows. */
  readonly fault?: string;
}

/** Fields of one version for which another one has no place. Without a conversion they are not shown there, and lost with a write. */
export interface Loss {
  readonly from: string;
  readonly to: string;
  readonly fields: readonly string[];
}

/** Where a webhook is called, by its `clientConfig`: `the Service default/gone`, or the origin of a URL. */
export function addressOf(clientConfig: Json | undefined): string | undefined {
  const [service, url] = [get(clientConfig, "service"), get(clientConfig, "url")];
  if (service !== undefined)
    return `the Service ${String(get(service, "namespace"))}/${String(get(service, "name"))}`;
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** Reads where a CRD is converted, and whether something answers there; undefined with the strategy None. Throws ApiServerError. */
export async function readConversion(
  connection: Connection,
  crd: CrdState,
  object: JsonObject,
): Promise<ConversionWebhook | undefined> {
  if (!isConverted(crdModelOf(object))) return undefined;
  const clientConfig = get(object, "spec", "conversion", "webhook", "clientConfig");
  const at = addressOf(clientConfig) ?? "an address that cannot be read";
  const fault =
    (await serviceFault(connection, get(clientConfig, "service"))) ?? (await callFault(connection, crd));
  return { at, ...(fault === undefined ? {} : { fault }) };
}

/** Without the Service nothing can answer. One without EndpointSlices may still be routed. */
async function serviceFault(connection: Connection, service: Json | undefined): Promise<string | undefined> {
  if (service === undefined) return undefined;
  const [namespace, name] = ["namespace", "name"].map((key) => encodeURIComponent(String(get(service, key))));
  const answer = await connection.request("GET", `/api/v1/namespaces/${namespace}/services/${name}`);
  return answer.status === 404 ? "it does not exist" : undefined;
}

/**
 * What the API server says of its calls, by a list at the storage version, which shows it if an object is stored in another one. A
 * request at another version would count as a use of it. A webhook that rejects an object answers, and has no fault here.
 */
async function callFault(connection: Connection, crd: CrdState): Promise<string | undefined> {
  const accept = metadataOnly("PartialObjectMetadataList");
  const path = `/apis/${crd.group}/${requestVersion(crd)}/${crd.plural}?limit=500`;
  const sentence = sentenceOf(await connection.request("GET", path, { accept }));
  return isUnanswered.test(sentence) ? sentence : undefined;
}

/** A call without a response, or one with 404 or 503, of which the API server has only these words (client-go, rest.Request). */
const isUnanswered =
  /^conversion webhook for .{1,500} failed: (?:Post "|the server could not find the requested resource|the server is currently unable)/s;

/** Between all versions of a CRD. Where its schemas cannot be read, the sentence stands for fields. */
export function lossesBetween({ versions, schemas }: CrdState): readonly Loss[] {
  const read = readCrdShapes(schemas);
  return versions.flatMap((from) =>
    versions.flatMap((to) => {
      if (from === to) return [];
      const [shape, other] = "sentence" in read ? [] : [read.declared.get(from), read.declared.get(to)];
      const fields =
        "sentence" in read
          ? [read.sentence]
          : shape === undefined || other === undefined
            ? []
            : fieldsOutside(shape, other);
      return fields.length === 0 ? [] : [{ from, to, fields }];
    }),
  );
}

/** `v1alpha2 spec.old (not in v1)`; at most five fields. */
export function lossText(losses: readonly Loss[]): string {
  const all = losses.flatMap(({ from, to, fields }) =>
    fields.map((field) => `${from} ${field} (not in ${to})`),
  );
  return all.slice(0, 5).join(", ") + (all.length > 5 ? ` and ${all.length - 5} more` : "");
}
