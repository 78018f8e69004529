import { get, listAt } from "../../json/json.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import type { Connection } from "./connection.ts";
import { ApiServerError, sentenceOf } from "./requests.ts";

/** The metrics of the API server that answers. Throws ApiServerError. */
export async function readMetrics(connection: Connection): Promise<string> {
  const answer = await connection.request("GET", "/metrics", { accept: "text/plain" });
  if (answer.status !== 200)
    throw new ApiServerError(`the metrics of the API server cannot be read: ${sentenceOf(answer)}`);
  return answer.text;
}

/** How many API servers there are: they register themselves as the endpoints of the Service `kubernetes`. Throws ApiServerError. */
export async function countApiServers(connection: Connection): Promise<number> {
  const { known } = await countEndpoints(connection, { namespace: "default", name: "kubernetes" });
  return known;
}

/** How many endpoints a Service has, and how many of them are ready. Throws ApiServerError. */
export async function countEndpoints(
  connection: Connection,
  { namespace, name }: ServiceReference,
): Promise<{ readonly known: number; readonly ready: number }> {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${name}`);
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=${selector}`;
  const answer = await connection.request("GET", path);
  if (answer.status !== 200)
    throw new ApiServerError(
      `the endpoints of the Service ${namespace}/${name} cannot be listed: ${sentenceOf(answer)}`,
    );
  const endpoints = listAt(answer.body, "items").flatMap((slice) => listAt(slice, "endpoints"));
  const addresses = (these: typeof endpoints) =>
    new Set(these.map((endpoint) => JSON.stringify(get(endpoint, "addresses")))).size;
  return {
    known: addresses(endpoints),
    // Unknown counts as ready.
    ready: addresses(endpoints.filter((endpoint) => get(endpoint, "conditions", "ready") !== false)),
  };
}
