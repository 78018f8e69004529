import type { Logger } from "pino";
import { parseJson } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Lister, NotKnownYet, type ObjectChange } from "../lister.ts";
import { type ClusterAnswer, type Connection, Gone } from "./connection.ts";
import { Refused, sentenceOf } from "./definition.ts";
import type { Pause } from "./patience.ts";
import { ObjectStore } from "./store.ts";

/** What an informer is made with. */
export interface InformerOptions {
  /** `Kind.group`, for sentences, logs and metrics. */
  readonly name: string;
  readonly connection: Connection;
  /** Where the objects are, asked anew until it is found: a CRD may come later than we do. */
  readonly locate: () => Promise<Place>;
  /** What is held of an object. */
  readonly keep: (object: JsonObject) => JsonObject;
  readonly pause: Pause;
  readonly now: () => Date;
  readonly random: () => number;
  readonly log: Logger;
}

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

/** What is told of an informer to metrics. */
export interface InformerState {
  readonly name: string;
  readonly objects: number;
  /** Seconds since the API server was last heard; Infinity before it was. */
  readonly staleness: number;
}

/**
 * Keeps a copy of a collection: lists it in pages, then follows it by a watch. A watch that ends is begun again where it
 * ended; one that falls silent, though the server promised a sign a minute, is given up; a list that is too old, or older
 * than the time of a resync, is made anew.
 */
export class Informer implements Lister {
  readonly #options: InformerOptions;
  readonly #store = new ObjectStore();
  readonly #listeners: ((change: ObjectChange) => void)[] = [];
  readonly #end = new AbortController();
  #isKnown = false;
  #heard: number | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
  }

  readonly list = (namespace: string): readonly JsonObject[] => {
    this.#expectKnown();
    return this.#store.list(namespace);
  };

  readonly get = (namespace: string, name: string): JsonObject | undefined => {
    this.#expectKnown();
    return this.#store.get(namespace, name);
  };

  readonly onChange = (listener: (change: ObjectChange) => void): void => {
    this.#listeners.push(listener);
    if (this.#isKnown) for (const after of this.#store.all()) listener({ after });
  };

  /** Begins; a failure is logged and tried again for ever. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  state(): InformerState {
    const { name, now } = this.#options;
    const staleness =
      this.#heard === undefined ? Number.POSITIVE_INFINITY : (now().getTime() - this.#heard) / 1000;
    return { name, objects: this.#store.size, staleness };
  }

  #expectKnown(): void {
    if (!this.#isKnown) throw new NotKnownYet(`the objects of ${this.#options.name} are not known here yet`);
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const { locate } = this.#options;
        const place = await locate();
        const version = await this.#relist(place);
        failures = 0;
        await this.#follow(place, version);
      } catch (error) {
        if (signal.aborted) return;
        await this.#rest(failures++, error);
      }
    }
  }

  /** Follows the collection until it has to be listed again. */
  async #follow(place: Place, since: string): Promise<void> {
    const { now } = this.#options;
    const { signal } = this.#end;
    const begun = now().getTime();
    let version = since;
    for (let failures = 0; !signal.aborted && now().getTime() - begun < resync; ) {
      const before = version;
      try {
        for await (const event of this.#watch(place, version)) {
          version = event;
          failures = 0;
        }
        // The server ends a watch after some minutes; one that ends at once and says nothing is no such end.
        if (version === before) await this.#rest(failures++, new Error("the watch ended without a word"));
      } catch (error) {
        // A server that was set back to an earlier state never comes to where we are: what it has is listed anew.
        if (signal.aborted || error instanceof Gone || failures >= 5) return;
        await this.#rest(failures++, error);
      }
    }
  }

  /** Lists all objects, tells what is different from what was known; gives the version to follow from. */
  async #relist(place: Place): Promise<string> {
    const { connection, log, name, keep, now } = this.#options;
    const start = now().getTime();
    const found: JsonObject[] = [];
    let [token, version] = ["", ""];
    do {
      const query = { ...place.query, limit: String(pageSize), ...(token === "" ? {} : { continue: token }) };
      const path = `${place.path}?${new URLSearchParams(query)}`;
      const answer = await connection.request("GET", path, { accept: place.accept.list });
      const { items, metadata } = listOf(answer, name);
      this.#heard = now().getTime();
      // A page a turn of the loop: reviews come between.
      for (const item of items) found.push(keep({ ...item, apiVersion: place.apiVersion, kind: place.kind }));
      token = textOf(get(metadata, "continue"));
      version = textOf(get(metadata, "resourceVersion"));
    } while (token !== "" && !this.#end.signal.aborted);
    this.#end.signal.throwIfAborted();
    const isFirst = !this.#isKnown;
    const changes = this.#store.replace(found);
    this.#isKnown = true;
    this.#tell(changes);
    const facts = { kind: name, objects: found.length, milliseconds: now().getTime() - start };
    if (isFirst) log.info(facts, "all objects listed");
    else log.debug(facts, "all objects listed again");
    return version;
  }

  /** One watch, to its end: the version after each event. Rejects with Gone where that is too long ago. */
  async *#watch(place: Place, version: string): AsyncGenerator<string, void, void> {
    const { connection, keep, now, random } = this.#options;
    const query = {
      ...place.query,
      watch: "1",
      allowWatchBookmarks: "true",
      resourceVersion: version,
      // Not all at once, where many replicas began at once.
      timeoutSeconds: String(Math.floor(240 + 120 * random())),
    };
    const path = `${place.path}?${new URLSearchParams(query)}`;
    const lines = connection.watch(path, place.accept.watch, longestSilence, this.#end.signal);
    for await (const line of lines) {
      this.#heard = now().getTime();
      if (line.trim() === "") continue;
      const event = parseJson(line);
      const [type, object] = [get(event, "type"), get(event, "object")];
      if (type === "ERROR") {
        const message = textOf(get(object, "message")) || "the watch ended with an error";
        throw get(object, "code") === 410 ? new Gone(message) : new Refused(message);
      }
      if (!isObject(object)) throw new Error("an event of the watch has no object");
      const whole = () => keep({ ...object, apiVersion: place.apiVersion, kind: place.kind });
      if (type === "ADDED" || type === "MODIFIED") this.#tell(this.#store.put(whole()));
      else if (type === "DELETED") this.#tell(this.#store.remove(object));
      const next = textOf(get(object, "metadata", "resourceVersion"));
      if (next !== "") yield next;
    }
  }

  #tell(changes: readonly ObjectChange[]): void {
    for (const change of changes) {
      for (const listener of this.#listeners) {
        try {
          listener(change);
        } catch (error) {
          const name = get(change.after ?? change.before, "metadata", "name");
          this.#options.log.error(
            { err: error, kind: this.#options.name, name },
            "a change was not taken in",
          );
        }
      }
    }
  }

  async #rest(failures: number, error: unknown): Promise<void> {
    const { log, name, pause, random } = this.#options;
    const milliseconds = Math.round(Math.min(longestRest, 200 * 2 ** failures) * (0.5 + random() / 2));
    const reason = error instanceof Error ? error.message : String(error);
    log[failures > 2 ? "warn" : "info"](
      { kind: name, reason, milliseconds },
      "the API server is asked again",
    );
    await pause(milliseconds, this.#end.signal);
  }
}

const pageSize = 500;
const resync = 30 * 60_000;
const longestRest = 30_000;

/** An API server sends a bookmark about once a minute to whoever asks for them. */
const longestSilence = 150_000;

function listOf(answer: ClusterAnswer, name: string): { items: readonly JsonObject[]; metadata: Json } {
  if (answer.status !== 200) throw new Refused(`${name} cannot be listed: ${sentenceOf(answer)}`);
  // A list of nothing says null.
  const items = get(answer.body, "items") ?? [];
  if (!isArray(items) || !items.every(isObject)) {
    throw new Refused(`${name} cannot be listed: the answer is no list`);
  }
  return { items, metadata: get(answer.body, "metadata") ?? null };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
