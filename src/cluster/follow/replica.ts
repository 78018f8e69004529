import { setImmediate as nextTurn } from "node:timers/promises";
import { parseJson, writeJson } from "../../json/exact.ts";
import { get, type JsonObject } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import { type Lister, type ListerNeed, NotSynced, type ObjectChange } from "../../kind/lister.ts";
import { needKey } from "./listers.ts";
import { ObjectStore } from "./store.ts";

/** Changes of listed objects for another thread, in order. Objects are JSON text: a structured clone would lose exact numbers. */
export type ListerChanges = readonly ListerChangeText[];

/** An object that was added, changed or deleted. */
interface ListerChangeText {
  /** The key of the lister. */
  readonly need: string;
  readonly after?: string;
  readonly before?: string;
}

/** Why a lister is not synced, by the key of its need. */
export type Unsynced = Readonly<Record<string, string>>;

/** The needs of all kinds, each once. */
export function needsOf({ all, natives }: Kinds): readonly ListerNeed[] {
  const needs = [...all, ...natives].flatMap(({ definition }) => Object.values(definition.needs ?? {}));
  return [...new Map(needs.map((need) => [needKey(need), need])).values()];
}

/**
 * Sends the objects of listers to another thread: first every object, then each change. A long list is sent in parts,
 * one in each turn of the event loop, so that reviews are answered in between.
 */
export class ListerFeed {
  readonly #listers: ReadonlyMap<string, Lister>;
  readonly #stores = new Map<string, ObjectStore>();
  #queue: QueuedChange[] = [];
  /** The number of sent entries of the queue. */
  #sent = 0;
  #post: ((changes: ListerChanges) => void) | undefined;
  #sending: Promise<void> | undefined;

  constructor(needs: readonly ListerNeed[], listerOf: (need: ListerNeed) => Lister) {
    this.#listers = new Map(needs.map((need) => [needKey(need), listerOf(need)]));
  }

  /** Starts to send to a thread, instead of the previous one. */
  open(post: (changes: ListerChanges) => void): void {
    this.#queue = [...this.#stores].flatMap(([need, store]) =>
      store.all().map((after) => ({ need, change: { after } })),
    );
    this.#sent = 0;
    this.#post = post;
    if (this.#stores.size === 0) this.#subscribe();
    this.#begin();
  }

  /** Resolves when everything so far was sent, with the listers that are not synced. */
  async settled(): Promise<Unsynced> {
    while (this.#sending !== undefined) await this.#sending;
    return Object.fromEntries(
      [...this.#listers].flatMap(([need, lister]) => {
        const reason = reasonOf(lister);
        return reason === undefined ? [] : [[need, reason]];
      }),
    );
  }

  close(): void {
    this.#post = undefined;
    this.#queue = [];
    this.#sent = 0;
  }

  #subscribe(): void {
    for (const [need, lister] of this.#listers) {
      const store = new ObjectStore();
      this.#stores.set(need, store);
      lister.onChange((change) => {
        if (change.after !== undefined) store.put(change.after);
        else if (change.before !== undefined) store.remove(change.before);
        if (this.#post === undefined) return;
        this.#queue.push({ need, change });
        this.#begin();
      });
    }
  }

  #begin(): void {
    if (this.#queue.length > 0) this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    while (this.#sent < this.#queue.length) {
      await nextTurn();
      const changes: ListerChangeText[] = [];
      let characters = 0;
      while (characters < partCharacters) {
        const next = this.#queue[this.#sent++];
        if (next === undefined) break;
        const change = textOf(next);
        changes.push(change);
        characters += (change.after ?? change.before ?? "").length;
      }
      if (changes.length > 0) this.#post?.(changes);
    }
    this.#queue = [];
    this.#sent = 0;
    this.#sending = undefined;
  }
}

/** A part of this length takes well under a millisecond to write. */
const partCharacters = 64 * 1024;

function textOf({ need, change: { after, before } }: QueuedChange): ListerChangeText {
  if (after !== undefined) return { need, after: writeJson(after) };
  return before === undefined ? { need } : { need, before: writeJson(nameOnly(before)) };
}

function reasonOf(lister: Lister): string | undefined {
  try {
    lister.get("", "");
    return undefined;
  } catch (error) {
    if (error instanceof NotSynced) return error.message;
    throw error;
  }
}

interface QueuedChange {
  readonly need: string;
  readonly change: ObjectChange;
}

/** Enough to find a deleted object. */
function nameOnly(object: JsonObject): JsonObject {
  const { name, namespace } = (get(object, "metadata") ?? {}) as JsonObject;
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
}

/** The listers of a thread that receives the objects of another thread. */
export class ListerReplicas {
  readonly #replicas = new Map<string, Replica>();
  #unsynced: Unsynced = {};

  /** The lister for a need. */
  readonly of = (need: ListerNeed): Lister => this.#replicaOf(needKey(need));

  /** Applies changes. */
  take(changes: ListerChanges): void {
    for (const { need, after, before } of changes) {
      const replica = this.#replicaOf(need);
      if (after !== undefined) replica.put(parseJson(after) as JsonObject);
      else if (before !== undefined) replica.remove(parseJson(before) as JsonObject);
    }
  }

  /** Sets which listers are not synced. */
  setUnsynced(unsynced: Unsynced): void {
    this.#unsynced = unsynced;
  }

  #replicaOf(need: string): Replica {
    const known = this.#replicas.get(need) ?? new Replica(() => this.#unsynced[need]);
    this.#replicas.set(need, known);
    return known;
  }
}

class Replica implements Lister {
  readonly #store = new ObjectStore();
  readonly #listeners: ((change: ObjectChange) => void)[] = [];
  readonly #reason: () => string | undefined;

  /** `reason` returns why it is not synced, or undefined. */
  constructor(reason: () => string | undefined) {
    this.#reason = reason;
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
    for (const after of this.#store.all()) listener({ after });
  };

  put(after: JsonObject): void {
    this.#report(this.#store.put(after));
  }

  remove(before: JsonObject): void {
    this.#report(this.#store.remove(before));
  }

  #expectSynced(): void {
    const reason = this.#reason();
    if (reason !== undefined) throw new NotSynced(reason);
  }

  #report(changes: readonly ObjectChange[]): void {
    for (const change of changes) for (const listener of this.#listeners) listener(change);
  }
}
