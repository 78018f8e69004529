import { get, isArray, type Json } from "../json/json.ts";
import type { Connection } from "./connection.ts";
import { ApiServerError, type CrdState, metadataOnly, requestVersion, sentenceOf } from "./crd-state.ts";

/** A page of a list: the metadata of its objects, and how many follow, if the server says so. */
export interface Page {
  readonly items: readonly Json[];
  readonly remaining: number | undefined;
}

/** The metadata of all objects of a CRD, page by page; some are repeated if the list was restarted. Throws ApiServerError. */
export async function* metadataPages(
  crd: CrdState,
  size: number,
  connection: Connection,
): AsyncGenerator<Page, void, void> {
  const path = `/apis/${crd.group}/${requestVersion(crd)}/${crd.plural}?limit=${size}`;
  const accept = metadataOnly("PartialObjectMetadataList");
  for (let token = "", expired = 0; ; ) {
    const next = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
    const { status, body, ...answer } = await connection.request("GET", path + next, { accept });
    const following = get(body, "metadata", "continue");
    token = typeof following === "string" ? following : "";
    // The continue token has expired. The server returns a token for the rest of the current list, which is enough: newer
    // objects are stored in the storage version already. Without such a token the list is restarted.
    if (status === 410 && ++expired <= 10) continue;
    if (status !== 200) {
      const sentence = sentenceOf({ status, body, ...answer });
      throw new ApiServerError(`the objects of ${crd.name} cannot be listed: ${sentence}`);
    }
    // The items of an empty list may be null.
    const items = get(body, "items") ?? [];
    if (!isArray(items)) {
      throw new ApiServerError(`the objects of ${crd.name} cannot be listed: the response is not a list`);
    }
    const remaining = get(body, "metadata", "remainingItemCount");
    yield { items, remaining: token === "" ? 0 : typeof remaining === "number" ? remaining : undefined };
    if (token === "") return;
  }
}
