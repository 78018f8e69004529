import { get } from "../json/json.ts";
import type { ClusterResponse } from "./connection.ts";
import { ApiServerError, sentenceOf } from "./crd-state.ts";

/** The release of an API server as it says itself, such as `v1.36.3`. Throws ApiServerError. */
export async function readServerVersion(client: {
  readonly request: (method: string, path: string) => Promise<Omit<ClusterResponse, "retryAfter">>;
}): Promise<string> {
  const answer = await client.request("GET", "/version");
  const version = get(answer.body, "gitVersion");
  if (answer.status === 200 && typeof version === "string") return version;
  throw new ApiServerError(`the release of the API server cannot be read: ${sentenceOf(answer)}`);
}
