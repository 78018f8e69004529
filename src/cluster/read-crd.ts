import { isObject, type JsonObject } from "../json/json.ts";
import type { Connection } from "./connection.ts";
import { ApiServerError, sentenceOf } from "./crd-state.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Reads a whole CRD by name; undefined if it does not exist. Throws ApiServerError. */
export async function readCrd(connection: Connection, name: string): Promise<JsonObject | undefined> {
  const answer = await connection.request("GET", `${crds}/${encodeURIComponent(name)}`);
  if (answer.status === 404) return undefined;
  if (answer.status !== 200 || !isObject(answer.body))
    throw new ApiServerError(`${name} cannot be read: ${sentenceOf(answer)}`);
  return answer.body;
}
