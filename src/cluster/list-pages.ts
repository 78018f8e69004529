import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { ApiServerError, sentenceOf } from "./crd-state.ts";

/** A collection in an API server. */
export interface Collection {
  /** `/apis/<group>/<version>/<plural>`, with the namespace where one is meant. */
  readonly path: string;
  /** More of the query, as a field selector. */
  readonly query: Readonly<Record<string, string>>;
  /** What to accept of lists, and of single objects in a watch. */
  readonly accept: { readonly list: string; readonly watch: string };
  /** What items of a list do not say of themselves. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** A part of a list. */
export interface ListPage {
  readonly items: readonly JsonObject[];
  /** The version that the list is of. */
  readonly version: string;
  /** Whether the list began anew with this page: what came before is to be forgotten. */
  readonly isAnew: boolean;
}

/**
 * All objects of a collection, a page at a time. A list that becomes too old in between is asked for again in one piece, as
 * client-go's pager does (tools/pager, FullListIfExpired). Throws ApiServerError, also where the pages come to no end.
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
        throw new ApiServerError(`${name} cannot be listed: a whole list has another page`);
      yield { items: all.items, version: all.version, isAnew: true };
      return;
    }
    const { items, version, token: following } = pageOf(answer, name);
    yield { items, version, isAnew: false };
    token = following;
    if (seen.has(token)) throw new ApiServerError(`${name} cannot be listed: a page comes twice`);
    seen.add(token);
    if (seen.size > mostPages)
      throw new ApiServerError(`${name} cannot be listed: it has more than ${mostPages} pages`);
  } while (token !== "" && !signal.aborted);
}

const pageSize = 500;

/** Half a million objects. */
const mostPages = 1_000;

function pageQuery(token: string): Readonly<Record<string, string>> {
  return { limit: String(pageSize), ...(token === "" ? {} : { continue: token }) };
}

function ask(connection: Connection, collection: Collection, query: Readonly<Record<string, string>>) {
  const path = `${collection.path}?${new URLSearchParams({ ...collection.query, ...query })}`;
  return connection.request("GET", path, { accept: collection.accept.list });
}

function pageOf(answer: ClusterResponse, name: string) {
  if (answer.status !== 200) throw new ApiServerError(`${name} cannot be listed: ${sentenceOf(answer)}`);
  // A list of nothing says null.
  const items = get(answer.body, "items") ?? [];
  if (!isArray(items) || !items.every(isObject)) {
    throw new ApiServerError(`${name} cannot be listed: the answer is no list`);
  }
  const textAt = (key: string) => textOf(get(answer.body, "metadata", key));
  return { items, version: textAt("resourceVersion"), token: textAt("continue") };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
