import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { ClusterAnswer, Connection } from "./connection.ts";
import { Refused, sentenceOf } from "./definition.ts";
import { AnswerTooLong } from "./stream.ts";

/** A collection in an API server. */
export interface Place {
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
 * client-go's pager does (tools/pager, FullListIfExpired). Throws Refused, also where the pages come to no end.
 */
export async function* listPages(
  connection: Connection,
  place: Place,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<ListPage, void, void> {
  const seen = new Set<string>();
  const pages = new Pages(connection, place);
  let token = "";
  do {
    const answer = await pages.ask(token);
    if (answer.status === 410 && token !== "") {
      const all = pageOf(await pages.askAll(), name);
      if (all.token !== "") throw new Refused(`${name} cannot be listed: a whole list has another page`);
      yield { items: all.items, version: all.version, isAnew: true };
      return;
    }
    const { items, version, token: following } = pageOf(answer, name);
    yield { items, version, isAnew: false };
    token = following;
    if (seen.has(token)) throw new Refused(`${name} cannot be listed: a page comes twice`);
    seen.add(token);
    if (seen.size > mostPages)
      throw new Refused(`${name} cannot be listed: it has more than ${mostPages} pages`);
  } while (token !== "" && !signal.aborted);
}

/** Half a million objects. */
const mostPages = 1_000;

/**
 * Asks for pages of a size that can be read in some tens of milliseconds: clients that may create objects decide how large
 * they are. A page that is too long is asked for again with half as many objects.
 */
class Pages {
  readonly #connection: Connection;
  readonly #place: Place;
  #size = 500;

  constructor(connection: Connection, place: Place) {
    this.#connection = connection;
    this.#place = place;
  }

  async ask(token: string): Promise<ClusterAnswer> {
    for (;;) {
      const query = { limit: String(this.#size), ...(token === "" ? {} : { continue: token }) };
      try {
        return await this.#ask(query, this.#size > 1 ? longPage : undefined);
      } catch (error) {
        if (!(error instanceof AnswerTooLong) || this.#size === 1) throw error;
        this.#size = Math.ceil(this.#size / 2);
      }
    }
  }

  askAll(): Promise<ClusterAnswer> {
    return this.#ask({}, undefined);
  }

  #ask(query: Readonly<Record<string, string>>, most: number | undefined): Promise<ClusterAnswer> {
    const { path, query: more, accept } = this.#place;
    return this.#connection.request("GET", `${path}?${new URLSearchParams({ ...more, ...query })}`, {
      accept: accept.list,
      ...(most === undefined ? {} : { most }),
    });
  }
}

/** Characters. Five hundred usual objects have fewer. */
const longPage = 4 * 1024 * 1024;

function pageOf(answer: ClusterAnswer, name: string) {
  if (answer.status !== 200) throw new Refused(`${name} cannot be listed: ${sentenceOf(answer)}`);
  // A list of nothing says null.
  const items = get(answer.body, "items") ?? [];
  if (!isArray(items) || !items.every(isObject)) {
    throw new Refused(`${name} cannot be listed: the answer is no list`);
  }
  const textAt = (key: string) => textOf(get(answer.body, "metadata", key));
  return { items, version: textAt("resourceVersion"), token: textAt("continue") };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
