import { get, isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";

/** The API server rejected a request; the message is its own. */
export class ApiServerError extends Error {
  override readonly name = "ApiServerError";
}

/** The API server does not have a kind. */
export class UnknownKind extends ApiServerError {}

/** What requests need of a connection. */
type Requester = Pick<Connection, "request">;

/** Reads what is at a path; undefined if there is nothing. `what` names it in the message. Throws ApiServerError. */
export async function readObject(
  { request }: Requester,
  path: string,
  what: string,
): Promise<JsonObject | undefined> {
  const answer = await request("GET", path);
  if (answer.status === 404) return undefined;
  if (answer.status === 200 && isObject(answer.body)) return answer.body;
  throw new ApiServerError(`${what} cannot be read: ${sentenceOf(answer)}`);
}

/** A write of one object. */
export interface Write {
  readonly method: "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly body: Json;
  readonly contentType?: string;
  /** Whether a 404 is a failure: of a write that would create the object, it is about something else. */
  readonly isCreation?: boolean;
  /** What cannot be done if the API server rejects it: `the Lease antechamber cannot be written`. */
  readonly failure: string;
}

/**
 * Writes an object as it was read; what the API server answers, or undefined if another client has changed or deleted the object
 * since. Throws ApiServerError.
 */
export async function writeObject(
  { request }: Requester,
  { method, path, failure, isCreation = false, ...details }: Write,
): Promise<ClusterResponse | undefined> {
  const answer = await request(method, path, details);
  if (answer.status === 200 || answer.status === 201) return answer;
  if (answer.status === 409 || (answer.status === 404 && !isCreation)) return undefined;
  throw new ApiServerError(`${failure}: ${sentenceOf(answer)}`);
}

/** The connection with every write as a dry run: the API server checks it, and stores nothing. */
export function dryRunOf(connection: Connection): Connection {
  return {
    ...connection,
    request: (method, path, details) => {
      const query = method === "GET" ? "" : `${path.includes("?") ? "&" : "?"}dryRun=All`;
      return connection.request(method, path + query, details);
    },
  };
}

export const mergePatch = "application/merge-patch+json";
export const applyPatch = "application/apply-patch+yaml";

/** The path of all CRDs. */
export const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Reads a whole CRD by name; undefined if it does not exist. Throws ApiServerError. */
export function readCrd(connection: Requester, name: string): Promise<JsonObject | undefined> {
  return readObject(connection, `${crdsPath}/${encodeURIComponent(name)}`, name);
}

/** The release of an API server as it says itself, such as `v1.36.3`. Throws ApiServerError. */
export async function readServerVersion(connection: Requester): Promise<string> {
  const answer = await connection.request("GET", "/version");
  const version = get(answer.body, "gitVersion");
  if (answer.status === 200 && typeof version === "string") return version;
  throw new ApiServerError(`the release of the API server cannot be read: ${sentenceOf(answer)}`);
}

/** The error message of a response: that of its Status, or else its text. */
export function sentenceOf({
  status,
  body,
  text,
}: Pick<ClusterResponse, "status" | "body" | "text">): string {
  const message = get(body, "message");
  const sentence = typeof message === "string" && message !== "" ? message : text.trim();
  return sentence === "" ? `HTTP ${status}` : sentence.slice(0, 2_000);
}

/** The Accept header for metadata only, which is enough to rewrite objects. */
export function metadataOnly(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}
