import type { Logger } from "pino";
import { messageOf } from "../../errors.ts";
import { get, type JsonObject, textAt } from "../../json/json.ts";
import { type Lister, NotSynced, type ObjectChange } from "../../kind/lister.ts";
import type { Pause } from "../../time.ts";
import { Backoff } from "../api/backoff.ts";
import { type Collection, listPages, ResourceExpired, watchEvents } from "../api/collection.ts";
import type { Connection } from "../api/connection.ts";
import { UnknownKind } from "../api/requests.ts";
import { ObjectStore } from "./store.ts";

/** The options of an informer. */
interface InformerOptions {
  /** `Kind.group`, for messages, logs and metrics. */
  readonly name: string;
  readonly connection: Connection;
  /** Whether a kind that the API server lacks has no objects, instead of keeping reviews waiting. */
  readonly isOptional?: boolean;
  /** Finds the collection; called again until it succeeds, since a CRD may be created later. */
  readonly locate: () => Promise<Collection>;
  /** Reduces an object to what is cached. */
  readonly keep: (object: JsonObject) => JsonObject;
  readonly pause: Pause;
  readonly now: () => Date;
  readonly random: () => number;
  readonly log: Logger;
}

/** The state of an informer, for metrics. */
export interface InformerState {
  readonly name: string;
  readonly objects: number;
  /** Seconds since the last data from the API server; Infinity before the first. */
  readonly staleness: number;
}

/**
 * Caches a collection: lists it in pages, then watches it. A watch that ends is resumed at its last resource version; a watch
 * that is silent, although bookmarks arrive about once a minute, is closed; the collection is listed again if the resource
 * version is too old, or after the resync period.
 */
export class Informer implements Lister {
  readonly #options: InformerOptions;
  readonly #store = new ObjectStore();
  readonly #listeners: ((change: ObjectChange) => void)[] = [];
  readonly #stopping = new AbortController();
  readonly #backoff: Backoff;
  /** The number of consecutive failures. */
  #failures = 0;
  #isSynced = false;
  readonly #synced = Promise.withResolvers<void>();
  #lastReceived: number | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.now, options.random);
  }

  readonly list = (namespace: string): readonly JsonObject[] => {
    this.#expectSynced();
    return this.#store.list(namespace);
  };

  readonly get = (namespace: string, name: string): JsonObject | undefined => {
    this.#expectSynced();
    return this.#store.get(namespace, name);
  };

  readonly onChange = (listener: (change: ObjectChange) => void): void => {
    this.#listeners.push(listener);
    if (this.#isSynced) for (const after of this.#store.all()) listener({ after });
  };

  /** Starts; failures are logged and retried until `stop`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the first list is complete. */
  whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Stops, and waits for the request in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  state(): InformerState {
    const { name, now } = this.#options;
    const staleness =
      this.#lastReceived === undefined
        ? Number.POSITIVE_INFINITY
        : (now().getTime() - this.#lastReceived) / 1000;
    return { name, objects: this.#store.size, staleness };
  }

  #expectSynced(): void {
    if (!this.#isSynced) throw new NotSynced(`the objects of ${this.#options.name} are not listed yet`);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const collection = await this.#options.locate();
        const version = await this.#relist(collection);
        this.#failures = 0;
        await this.#follow(collection, version);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof UnknownKind) this.#acceptMissing();
        await this.#backOff(error);
      }
    }
  }

  /**
   * Counts an optional kind as listed if the API server lacks it. An API server that has just started may not serve all of its
   * kinds yet, so it is asked several times; objects that were listed before are kept.
   */
  #acceptMissing(): void {
    const { isOptional, log, name, now } = this.#options;
    if (isOptional !== true || this.#failures < fewAnswers) return;
    this.#lastReceived = now().getTime();
    if (this.#isSynced) return;
    this.#isSynced = true;
    log.info({ kind: name }, "the API server does not have this kind: there are no objects");
  }

  /** Watches the collection until the next resync; rejects if it must be listed again before. */
  async #follow(collection: Collection, since: string): Promise<void> {
    const { now } = this.#options;
    const { signal } = this.#stopping;
    const begun = now().getTime();
    let version = since;
    while (!signal.aborted && now().getTime() - begun < resync) {
      const [before, start] = [version, now().getTime()];
      try {
        for await (const event of this.#watch(collection, version)) {
          version = event;
          this.#failures = 0;
        }
        // The server ends a watch after some minutes; one that ends at once or without an event is a failure.
        const isShort = version === before || now().getTime() - start < minWatch;
        if (isShort) await this.#backOff(new Error("the watch ended early"));
      } catch (error) {
        // A server restored from a backup may never reach our resource version: after some failures, list again.
        if (signal.aborted || error instanceof ResourceExpired || this.#failures >= 5) throw error;
        await this.#backOff(error);
      }
    }
  }

  /** Lists all objects, notifies of the differences, and returns the resource version for the watch. */
  async #relist(collection: Collection): Promise<string> {
    const { connection, log, name, keep, now } = this.#options;
    const { signal } = this.#stopping;
    const start = now().getTime();
    const found: JsonObject[] = [];
    let version = "";
    for await (const page of listPages(connection, collection, { name, onExpiry: "all", signal })) {
      this.#lastReceived = now().getTime();
      if (page.isRestart) found.length = 0;
      // Each page is a separate task, so reviews are answered in between.
      for (const item of page.items) found.push(keep(item));
      version = page.version;
    }
    signal.throwIfAborted();
    const isFirst = !this.#isSynced;
    const changes = this.#store.replace(found);
    this.#isSynced = true;
    this.#notify(changes);
    this.#synced.resolve();
    const facts = { kind: name, objects: found.length, milliseconds: now().getTime() - start };
    if (isFirst) log.info(facts, "all objects listed");
    else log.debug(facts, "all objects listed again (resync)");
    return version;
  }

  /** One watch until it ends: the resource version after each event. */
  async *#watch(collection: Collection, resourceVersion: string): AsyncGenerator<string, void, void> {
    const { connection, keep, now, random } = this.#options;
    // Random, so that replicas that started together do not reconnect together.
    const since = { resourceVersion, timeoutSeconds: Math.floor(240 + 120 * random()) };
    for await (const { type, object } of watchEvents(connection, collection, since, this.#stopping.signal)) {
      this.#lastReceived = now().getTime();
      if (type === "ADDED" || type === "MODIFIED") this.#notify(this.#store.put(keep(object)));
      else if (type === "DELETED") this.#notify(this.#store.remove(object));
      const next = textAt(object, "metadata", "resourceVersion");
      if (next !== "") yield next;
    }
  }

  #notify(changes: readonly ObjectChange[]): void {
    for (const change of changes) {
      for (const listener of this.#listeners) {
        try {
          listener(change);
        } catch (error) {
          const name = get(change.after ?? change.before, "metadata", "name");
          this.#options.log.error(
            { err: error, kind: this.#options.name, name },
            "a listener failed to handle a change",
          );
        }
      }
    }
  }

  async #backOff(error: unknown): Promise<void> {
    const { log, name, pause } = this.#options;
    const milliseconds = this.#backoff.next();
    const reason = messageOf(error);
    log[++this.#failures > 3 ? "warn" : "info"](
      { kind: name, reason, milliseconds },
      "retrying the API server",
    );
    await pause(milliseconds, this.#stopping.signal);
  }
}

const resync = 30 * 60_000;
const minWatch = 1_000;

/** After so many answers that a kind is unknown it is missing; they take about six seconds. */
const fewAnswers = 3;
