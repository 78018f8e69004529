import { get, isArray, isObject, type JsonObject, set } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { ApiServerError, type CrdState, sentenceOf } from "./crd-state.ts";
import { ResponseTooLong } from "./stream.ts";

/** A page of the objects of a CRD, and how many follow, if the API server says so. */
export interface ObjectPage {
  readonly items: readonly JsonObject[];
  readonly remaining: number | undefined;
}

/** Characters of a page: memory stays bounded however large the objects are. */
const maxPageCharacters = 8 * 1024 * 1024;

/**
 * All objects of a CRD at one of its versions, page by page, with their apiVersion and kind. If the continue token expires, the
 * rest of the current list follows. Throws ApiServerError.
 */
export async function* objectPages(
  crd: CrdState,
  { version, kind }: { readonly version: string; readonly kind: string },
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<ObjectPage, void, void> {
  const apiVersion = `${crd.group}/${version}`;
  const path = `/apis/${crd.group}/${version}/${crd.plural}`;
  const reader = { connection, path, size: 500 };
  for (let token = "", expired = 0; !signal.aborted; ) {
    const answer = await readPage(reader, token);
    const following = get(answer.body, "metadata", "continue");
    token = typeof following === "string" ? following : "";
    if (answer.status === 410 && ++expired <= 10) continue;
    const items = itemsOf(answer, crd.name);
    const remaining = get(answer.body, "metadata", "remainingItemCount");
    yield {
      // The items of a list lack both.
      items: items.map((item) => set(set(item, "apiVersion", apiVersion), "kind", kind)),
      remaining: token === "" ? 0 : typeof remaining === "number" ? remaining : undefined,
    };
    if (token === "") return;
  }
}

interface Reader {
  readonly connection: Connection;
  readonly path: string;
  size: number;
}

/** Reads a page; one that is too long is asked for again with half as many objects. */
async function readPage(reader: Reader, token: string): Promise<ClusterResponse> {
  for (;;) {
    const query = new URLSearchParams({
      limit: String(reader.size),
      ...(token === "" ? {} : { continue: token }),
    });
    const limit = reader.size > 1 ? { maxCharacters: maxPageCharacters } : {};
    try {
      return await reader.connection.request("GET", `${reader.path}?${query}`, limit);
    } catch (error) {
      if (!(error instanceof ResponseTooLong) || reader.size === 1) throw error;
      reader.size = Math.ceil(reader.size / 2);
    }
  }
}

function itemsOf(answer: ClusterResponse, name: string): readonly JsonObject[] {
  if (answer.status !== 200)
    throw new ApiServerError(`the objects of ${name} cannot be listed: ${sentenceOf(answer)}`);
  // The items of an empty list may be null.
  const items = get(answer.body, "items") ?? [];
  if (isArray(items) && items.every(isObject)) return items;
  throw new ApiServerError(`the objects of ${name} cannot be listed: the response is not a list`);
}
