import { get, type Json, type JsonObject, textAt } from "../../json/json.ts";
import type { Connection } from "./connection.ts";
import { applyPatch, mergePatch, readObject, writeObject } from "./requests.ts";

/** The options of a Lease holder. */
interface LeaseOptions {
  readonly connection: Connection;
  readonly namespace: string;
  readonly name: string;
  /** The name of this replica. */
  readonly identity: string;
  /** Milliseconds, from a clock that never jumps. */
  readonly clock: () => number;
  /** For the times that the Lease shows to its readers; nothing depends on them. */
  readonly now: () => number;
}

/**
 * Elects one of several replicas by a Lease of coordination.k8s.io, as client-go does (tools/leaderelection): another replica
 * takes it if it was not renewed for its duration, as seen by that replica's own clock.
 */
export class LeaseHolder {
  readonly #options: LeaseOptions;
  /** The version that we have written last, while nothing is known to have changed it. */
  #version: string | undefined;
  /** The version of the Lease that was seen last, and when it was first seen. */
  #seen: { readonly version: string; readonly at: number } | undefined;
  #renewed: number | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Whether this replica may act as the holder. */
  isHeld(): boolean {
    return this.#renewed !== undefined && this.#options.clock() - this.#renewed < deadline;
  }

  /** Takes or renews the Lease if it is free or ours; resolves with `isHeld`. Throws ApiServerError. */
  async attempt(): Promise<boolean> {
    const start = this.#options.clock();
    const version = this.#version;
    // One request while nothing has changed: the API server may be slow.
    if (version !== undefined && (await this.#write(this.#leaseOf(version, false), "patch"))) {
      this.#renewed = start;
      return this.isHeld();
    }
    const found = await this.#read();
    const holder = get(found, "spec", "holderIdentity") ?? "";
    const isOurs = holder === this.#options.identity;
    if (!isOurs) this.#renewed = undefined;
    if (found !== undefined && !isOurs && holder !== "" && !this.#isExpired(found)) return false;
    const isTaken =
      found === undefined
        ? await this.#write(this.#leaseOf(undefined, true), "create")
        : await this.#write(this.#leaseOf(versionOf(found), !isOurs, transitionsOf(found)), "patch");
    if (isTaken) this.#renewed = start;
    return this.isHeld();
  }

  /** Gives the Lease up, so that another replica takes it at once. */
  async release(): Promise<void> {
    if (!this.isHeld()) return;
    this.#renewed = undefined;
    const found = await this.#read();
    if (found === undefined || get(found, "spec", "holderIdentity") !== this.#options.identity) return;
    const metadata = { resourceVersion: versionOf(found) };
    await this.#write({ metadata, spec: { holderIdentity: "" } }, "patch");
  }

  #isExpired(found: Json): boolean {
    const version = versionOf(found);
    const now = this.#options.clock();
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    return now - this.#seen.at > durationSeconds * 1_000;
  }

  #leaseOf(version: string | undefined, isNew: boolean, transitions?: number): JsonObject {
    const { identity, now } = this.#options;
    // With microseconds, which the API server requires.
    const time = new Date(now()).toISOString().replace("Z", "000Z");
    const taken = { acquireTime: time, leaseTransitions: (transitions ?? -1) + 1 };
    return {
      ...(version === undefined ? {} : { metadata: { resourceVersion: version } }),
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: durationSeconds,
        renewTime: time,
        ...(isNew ? taken : {}),
      },
    };
  }

  #read(): Promise<Json | undefined> {
    const { connection, namespace, name } = this.#options;
    return readLease(connection, namespace, name);
  }

  /** Resolves with false if another replica was faster. */
  async #write(lease: JsonObject, how: "create" | "patch"): Promise<boolean> {
    const { connection, namespace, name, identity } = this.#options;
    const path = pathOf(namespace, name);
    const failure = `the Lease ${name} cannot be written`;
    const answer = await writeObject(
      connection,
      how === "patch"
        ? { method: "PATCH", path, body: lease, contentType: mergePatch, failure }
        : {
            method: "PATCH",
            // A permission to create can name an object only if the request does, too: an apply. Another replica's is a conflict.
            path: `${path}?fieldManager=${encodeURIComponent(`antechamber-${identity}`)}`,
            body: {
              apiVersion: "coordination.k8s.io/v1",
              kind: "Lease",
              metadata: { name, namespace },
              ...lease,
            },
            contentType: applyPatch,
            failure,
          },
    );
    const isOurs = identity === get(answer?.body, "spec", "holderIdentity");
    this.#version = isOurs ? versionOf(answer?.body) : undefined;
    return answer !== undefined;
  }
}

/** Reads a Lease; undefined if it does not exist. Throws ApiServerError. */
export function readLease(
  connection: Connection,
  namespace: string,
  name: string,
): Promise<Json | undefined> {
  return readObject(connection, pathOf(namespace, name), `the Lease ${name}`);
}

function pathOf(namespace: string, name: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
}

/** How often a holder renews its Lease, and how often others look at it, in milliseconds. */
export const leaseInterval = 2_000;

/** Shorter than client-go's 15 s: another replica is to repair soon. */
const durationSeconds = 8;

/** Milliseconds after which another replica has taken the Lease of one that ended without a word. */
export const takeover = durationSeconds * 1_000 + leaseInterval;

/** Milliseconds; earlier than another replica may take it. */
const deadline = 7_000;

function versionOf(lease: Json | undefined): string {
  return textAt(lease, "metadata", "resourceVersion");
}

function transitionsOf(lease: Json): number {
  const transitions = get(lease, "spec", "leaseTransitions");
  return typeof transitions === "number" ? transitions : 0;
}
