import type { Logger } from "pino";
import { parseJson } from "../json/exact.ts";
import { get, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Lister, NotSynced, type ObjectChange } from "../lister.ts";
import { Backoff } from "./backoff.ts";
import { type Connection, Gone } from "./connection.ts";
import { Refused } from "./definition.ts";
import { type ListPage, listPages, type Place } from "./list-pages.ts";
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
  readonly #backoff: Backoff;
  /** How often in a row the server was asked in vain. */
  #failures = 0;
  #isKnown = false;
  #heard: number | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.now, options.random);
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
    if (!this.#isKnown) throw new NotSynced(`the objects of ${this.#options.name} are not known here yet`);
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        const place = await this.#options.locate();
        const version = await this.#relist(place);
        this.#failures = 0;
        await this.#follow(place, version);
      } catch (error) {
        if (!signal.aborted) await this.#rest(error);
      }
    }
  }

  /** Follows the collection until it is time for a resync; rejects where it has to be listed again before. */
  async #follow(place: Place, since: string): Promise<void> {
    const { now } = this.#options;
    const { signal } = this.#end;
    const begun = now().getTime();
    let version = since;
    while (!signal.aborted && now().getTime() - begun < resync) {
      const [before, start] = [version, now().getTime()];
      try {
        for await (const event of this.#watch(place, version)) {
          version = event;
          this.#failures = 0;
        }
        // The server ends a watch after some minutes; one that ends at once, or says nothing, is no such end.
        const isShort = version === before || now().getTime() - start < shortestWatch;
        if (isShort) await this.#rest(new Error("the watch ended early"));
      } catch (error) {
        // A server that was set back to an earlier state never comes to where we are: what it has is listed anew.
        if (signal.aborted || error instanceof Gone || this.#failures >= 5) throw error;
        await this.#rest(error);
      }
    }
  }

  /** Lists all objects, tells what is different from what was known; gives the version to follow from. */
  async #relist(place: Place): Promise<string> {
    const { log, name, keep, now } = this.#options;
    const start = now().getTime();
    const found: JsonObject[] = [];
    let version = "";
    for await (const page of this.#pages(place)) {
      this.#heard = now().getTime();
      if (page.isAnew) found.length = 0;
      // A page a turn of the loop: reviews come between.
      for (const item of page.items) {
        found.push(keep({ ...item, apiVersion: place.apiVersion, kind: place.kind }));
      }
      version = page.version;
    }
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

  #pages(place: Place): AsyncGenerator<ListPage, void, void> {
    const { connection, name } = this.#options;
    return listPages(connection, place, name, this.#end.signal);
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

  async #rest(error: unknown): Promise<void> {
    const { log, name, pause } = this.#options;
    const milliseconds = this.#backoff.next();
    const reason = error instanceof Error ? error.message : String(error);
    log[++this.#failures > 3 ? "warn" : "info"](
      { kind: name, reason, milliseconds },
      "the API server is asked again",
    );
    await pause(milliseconds, this.#end.signal);
  }
}

const resync = 30 * 60_000;
const shortestWatch = 1_000;

/** An API server sends a bookmark about once a minute to whoever asks for them. */
const longestSilence = 150_000;

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
