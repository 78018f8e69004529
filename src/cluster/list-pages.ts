import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { ApiServerError, sentenceOf } from "./crd-state.ts";
import { ResponseTooLong } from "./stream.ts";

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
  const pages = new Pages(connection, collection);
  let token = "";
  do {
    const answer = await pages.ask(token);
    if (answer.status === 410 && token !== "") {
      const all = pageOf(await pages.askAll(), name);
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

/** Half a million objects. */
const maxPages = 1_000;

/**
 * Asks for pages of a size that can be read in some tens of milliseconds: clients that may create objects decide how large
 * they are. A page that is too long is asked for again with half as many objects.
 */
class Pages {
  readonly #connection: Connection;
  readonly #collection: Collection;
  #size = 500;

  constructor(connection: Connection, collection: Collection) {
    this.#connection = connection;
    this.#collection = collection;
  }

  async ask(token: string): Promise<ClusterResponse> {
    for (;;) {
      const query = { limit: String(this.#size), ...(token === "" ? {} : { continue: token }) };
      try {
        return await this.#ask(query, this.#size > 1 ? maxPageCharacters : undefined);
      } catch (error) {
        if (!(error instanceof ResponseTooLong) || this.#size === 1) throw error;
        this.#size = Math.ceil(this.#size / 2);
      }
    }
  }

  askAll(): Promise<ClusterResponse> {
    return this.#ask({}, undefined);
  }

  #ask(query: Readonly<Record<string, string>>, maxCharacters: number | undefined): Promise<ClusterResponse> {
    const { path, query: more, accept } = this.#collection;
    return this.#connection.request("GET", `${path}?${new URLSearchParams({ ...more, ...query })}`, {
      accept: accept.list,
      ...(maxCharacters === undefined ? {} : { maxCharacters }),
    });
  }
}

/** Characters. Five hundred usual objects have fewer. */
const maxPageCharacters = 4 * 1024 * 1024;

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
