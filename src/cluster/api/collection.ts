import { parseJson } from "../../json/exact.ts";
import { get, isArray, isObject, type JsonObject, textAt } from "../../json/json.ts";
import { type ClusterResponse, type Connection, WatchRejected } from "./connection.ts";
import { type CrdState, requestVersion } from "./crd-state.ts";
import { ApiServerError, metadataOnly, sentenceOf } from "./requests.ts";
import { ResponseTooLong } from "./stream.ts";

// All lists and watches, and what a 410 (Gone) means for them: etcd no longer has the resource version that they are at.

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

/** How a collection is listed. */
interface ListOptions {
  /** The collection in messages. */
  readonly name: string;
  /**
   * What follows if the continue token expires. `all`: the whole list at once, so that it is of one resource version, as in
   * client-go (tools/pager, FullListIfExpired). `rest`: the rest of the current list, in pages, for lists whose pages take long to
   * handle; some objects are then of a newer resource version.
   */
  readonly onExpiry: "all" | "rest";
  /** Objects per page; 500 by default. */
  readonly size?: number;
  /** Ends the list after the page in progress. */
  readonly signal?: AbortSignal;
}

type ListedCollection = Omit<Collection, "accept" | "query"> & {
  readonly query?: Collection["query"];
  readonly accept: Pick<Collection["accept"], "list">;
};

/** A page of a list. */
export interface ListPage {
  readonly items: readonly JsonObject[];
  /** The resource version of the list. */
  readonly version: string;
  /** Whether the list was restarted with this page: earlier pages are to be discarded. */
  readonly isRestart: boolean;
  /** How many objects follow; undefined if the API server does not say. */
  readonly remaining: number | undefined;
}

/** All objects of a collection, page by page. Throws ApiServerError, also if the pages do not end. */
export async function* listPages(
  connection: Connection,
  collection: ListedCollection,
  { name, onExpiry, size: firstSize = 500, signal }: ListOptions,
): AsyncGenerator<ListPage, void, void> {
  let [size, token] = [firstSize, ""];
  for (let pages = 1, expired = 0; signal?.aborted !== true; ) {
    const query = { limit: String(size), ...(token === "" ? {} : { continue: token }) };
    const limit = size > 1 ? { maxCharacters: maxPageCharacters } : {};
    const answer = await ask(connection, collection, query, limit).catch((error: unknown) => {
      if (!(error instanceof ResponseTooLong) || size === 1) throw error;
      return undefined;
    });
    if (answer === undefined) {
      size = Math.ceil(size / 2);
      continue;
    }
    const before = token;
    token = textAt(answer.body, "metadata", "continue");
    if (answer.status === 410 && onExpiry === "rest" && ++expired <= 10) continue;
    const isRestart = answer.status === 410 && onExpiry === "all" && before !== "";
    yield {
      ...pageOf(isRestart ? await ask(connection, collection, {}) : answer, collection, name),
      isRestart,
    };
    if (isRestart || token === "") return;
    if (token === before) throw new ApiServerError(`${name} cannot be listed: a continue token was repeated`);
    // What is listed as a whole is kept in memory.
    if (++pages > maxPages && onExpiry === "all")
      throw new ApiServerError(`${name} cannot be listed: it has more than ${maxPages} pages`);
  }
}

/** The metadata of all objects of a CRD, page by page; some are repeated if the list began anew. Throws ApiServerError. */
export function metadataPages(
  { name, group, plural, ...crd }: CrdState,
  size: number,
  connection: Connection,
): AsyncGenerator<ListPage, void, void> {
  const collection = {
    path: `/apis/${group}/${requestVersion(crd)}/${plural}`,
    accept: { list: metadataOnly("PartialObjectMetadataList") },
    apiVersion: "meta.k8s.io/v1",
    kind: "PartialObjectMetadata",
  };
  return listPages(connection, collection, { name: `the objects of ${name}`, onExpiry: "rest", size });
}

/** Half a million objects. */
const maxPages = 1_000;

/**
 * Characters. Five hundred usual objects have fewer, and so many can be read in some tens of milliseconds. Clients that may create
 * objects decide how large they are: a page that is too long is asked for again with half as many objects.
 */
const maxPageCharacters = 4 * 1024 * 1024;

function ask(
  connection: Connection,
  { path, query, accept }: ListedCollection,
  page: Readonly<Record<string, string>>,
  limit: { readonly maxCharacters?: number } = {},
): Promise<ClusterResponse> {
  const search = new URLSearchParams({ ...query, ...page });
  return connection.request("GET", `${path}?${search}`, { accept: accept.list, ...limit });
}

function pageOf(
  answer: ClusterResponse,
  { apiVersion, kind }: ListedCollection,
  name: string,
): Omit<ListPage, "isRestart"> {
  if (answer.status !== 200) throw new ApiServerError(`${name} cannot be listed: ${sentenceOf(answer)}`);
  // The items of an empty list may be null.
  const items = get(answer.body, "items") ?? [];
  if (!isArray(items) || !items.every(isObject))
    throw new ApiServerError(`${name} cannot be listed: the response is not a list`);
  const isLast = textAt(answer.body, "metadata", "continue") === "";
  const remaining = get(answer.body, "metadata", "remainingItemCount");
  return {
    items: items.map((item) => ({ ...item, apiVersion, kind })),
    version: textAt(answer.body, "metadata", "resourceVersion"),
    remaining: isLast ? 0 : typeof remaining === "number" ? remaining : undefined,
  };
}

/** The resource version of a watch is too old (410 Gone): the collection must be listed again. */
export class ResourceExpired extends Error {
  override readonly name = "ResourceExpired";
}

/** An event of a watch, such as `ADDED`; a `BOOKMARK` has an object with nothing but a resource version. */
interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/**
 * The events of a collection since a resource version, until the API server ends the watch after so many seconds. Rejects with
 * ResourceExpired, with ApiServerError if the watch ends with another error, and as `Connection.watch`.
 */
export async function* watchEvents(
  connection: Connection,
  { path, query, accept, apiVersion, kind }: Collection,
  since: { readonly resourceVersion: string; readonly timeoutSeconds: number },
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void, void> {
  const { resourceVersion, timeoutSeconds } = since;
  const search = new URLSearchParams({
    ...query,
    watch: "1",
    allowWatchBookmarks: "true",
    resourceVersion,
    timeoutSeconds: String(timeoutSeconds),
  });
  try {
    for await (const line of connection.watch(`${path}?${search}`, accept.watch, maxSilence, signal)) {
      if (line.trim() === "") continue;
      const event = parseJson(line);
      const [type, object] = [textAt(event, "type"), get(event, "object")];
      const sentence = textAt(object, "message") || "the watch ended with an error";
      if (type === "ERROR")
        throw get(object, "code") === 410 ? new ResourceExpired(sentence) : new ApiServerError(sentence);
      if (!isObject(object)) throw new Error("an event of the watch has no object");
      yield { type, object: { ...object, apiVersion, kind } };
    }
  } catch (error) {
    throw error instanceof WatchRejected && error.status === 410 ? new ResourceExpired(error.message) : error;
  }
}

/** Bookmarks arrive about once a minute. */
const maxSilence = 150_000;
