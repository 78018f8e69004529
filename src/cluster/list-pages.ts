import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { ApiServerError, sentenceOf } from "./crd-state.ts";

/** A collection of an API server. */
export interface Collection {
  /** `/apis/<group>/<version>/<plural>`, with the namespace if it is limited to one. */
  readonly path: string;
  /** Further query parameters, such as a field selector. */
  readonly query: Readonly<Record<string, string>>;
  /** The Accept headers of lists and of watches. */
  readonly accept: { readonly list: string; readonly watch: string };
  /** The API server leaves them out of the items of a list. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** A page of a list. */
export interface ListPage {
  readonly items: readonly JsonObject[];
  /** The resource version of the list. */
  readonly version: string;
  /** Whether the list was restarted with this page: earlier pages are to be discarded. */
  readonly isRestart: boolean;
}

/**
 * All objects of a collection, page by page. If the continue token expires, the whole list is requested at once, as in
 * client-go (tools/pager, FullListIfExpired). Throws ApiServerError, also if the pages do not end.
 */
export async function* listPages(
  connection: Connection,
  collection: Collection,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<ListPage, void, void> {
  const seen = new Set<string>();
  let token = "";
  do {
    const answer = await ask(connection, collection, pageQuery(token));
    if (answer.status === 410 && token !== "") {
      const all = pageOf(await ask(connection, collection, {}), name);
      if (all.token !== "")
        throw new ApiServerError(
          `${name} cannot be listed: the response to a list without limit has another page`,
        );
      yield { items: all.items, version: all.version, isRestart: true };
      return;
    }
    const { items, version, token: following } = pageOf(answer, name);
    yield { items, version, isRestart: false };
    token = following;
    if (seen.has(token)) throw new ApiServerError(`${name} cannot be listed: a continue token was repeated`);
    seen.add(token);
    if (seen.size > maxPages)
      throw new ApiServerError(`${name} cannot be listed: it has more than ${maxPages} pages`);
  } while (token !== "" && !signal.aborted);
}

const pageSize = 500;

/** Half a million objects. */
const maxPages = 1_000;

function pageQuery(token: string): Readonly<Record<string, string>> {
  return { limit: String(pageSize), ...(token === "" ? {} : { continue: token }) };
}

function ask(connection: Connection, collection: Collection, query: Readonly<Record<string, string>>) {
  const path = `${collection.path}?${new URLSearchParams({ ...collection.query, ...query })}`;
  return connection.request("GET", path, { accept: collection.accept.list });
}

function pageOf(answer: ClusterResponse, name: string) {
  if (answer.status !== 200) throw new ApiServerError(`${name} cannot be listed: ${sentenceOf(answer)}`);
  // The items of an empty list may be null.
  const items = get(answer.body, "items") ?? [];
  if (!isArray(items) || !items.every(isObject)) {
    throw new ApiServerError(`${name} cannot be listed: the response is not a list`);
  }
  const textAt = (key: string) => textOf(get(answer.body, "metadata", key));
  return { items, version: textAt("resourceVersion"), token: textAt("continue") };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
