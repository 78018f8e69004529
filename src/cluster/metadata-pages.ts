import { get, isArray, type Json } from "../json/json.ts";
import type { Connection } from "./connection.ts";
import { ApiServerError, type CrdState, metadataOnly, requestVersion, sentenceOf } from "./crd-state.ts";

/** A part of a list: the metadata of its objects, and how many come after them, where the server says so. */
export interface Page {
  readonly items: readonly Json[];
  readonly remaining: number | undefined;
}

/** All objects of a CRD, a page at a time; some come twice where the list began anew. Throws ApiServerError. */
export async function* pages(
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
    // The list is too old to go on with. The server gives a token for its rest as it is now, which is all we want (what
    // came since was stored as it should be); without one the list begins anew.
    if (status === 410 && ++expired <= 10) continue;
    if (status !== 200) {
      const sentence = sentenceOf({ status, body, ...answer });
      throw new ApiServerError(`the objects of ${crd.name} cannot be listed: ${sentence}`);
    }
    // A list of nothing says null.
    const items = get(body, "items") ?? [];
    if (!isArray(items)) {
      throw new ApiServerError(`the objects of ${crd.name} cannot be listed: the answer is no list`);
    }
    const remaining = get(body, "metadata", "remainingItemCount");
    yield { items, remaining: token === "" ? 0 : typeof remaining === "number" ? remaining : undefined };
    if (token === "") return;
  }
}
