import { get, type Json, type JsonObject } from "../json/json.ts";
import type { Connection } from "./connection.ts";
import { ApiServerError, mergePatch, sentenceOf } from "./crd-state.ts";

/** The options of a Lease holder. */
export interface LeaseOptions {
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
  /** The version of the Lease that was seen last, and when it was first seen. */
  #seen: { readonly version: Json; readonly at: number } | undefined;
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
    const { clock, identity } = this.#options;
    const start = clock();
    const found = await this.#read();
    if (found === undefined) {
      if (await this.#write(this.#leaseOf(0), "create")) this.#renewed = start;
      return this.isHeld();
    }
    const spec = get(found, "spec");
    const holder = get(spec, "holderIdentity") ?? "";
    const isOurs = holder === identity;
    if (!isOurs) this.#renewed = undefined;
    if (!isOurs && holder !== "" && !this.#isExpired(found)) return false;
    const transitions = get(spec, "leaseTransitions");
    const count = (typeof transitions === "number" ? transitions : 0) + (isOurs ? 0 : 1);
    const version = get(found, "metadata", "resourceVersion") ?? "";
    const lease = this.#leaseOf(count);
    if (await this.#write({ ...lease, metadata: { resourceVersion: version } }, "patch"))
      this.#renewed = start;
    return this.isHeld();
  }

  /** Gives the Lease up, so that another replica takes it at once. */
  async release(): Promise<void> {
    if (!this.isHeld()) return;
    this.#renewed = undefined;
    const found = await this.#read();
    if (get(found, "spec", "holderIdentity") !== this.#options.identity) return;
    const version = get(found, "metadata", "resourceVersion") ?? "";
    await this.#write({ metadata: { resourceVersion: version }, spec: { holderIdentity: "" } }, "patch");
  }

  #isExpired(found: Json): boolean {
    const version = get(found, "metadata", "resourceVersion") ?? "";
    const now = this.#options.clock();
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    return now - this.#seen.at > durationSeconds * 1_000;
  }

  #leaseOf(leaseTransitions: number): JsonObject {
    const { identity, now } = this.#options;
    // With microseconds, which the API server requires.
    const time = new Date(now()).toISOString().replace("Z", "000Z");
    return {
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: durationSeconds,
        renewTime: time,
        leaseTransitions,
        ...(this.#renewed === undefined ? { acquireTime: time } : {}),
      },
    };
  }

  async #read(): Promise<Json | undefined> {
    const answer = await this.#options.connection.request("GET", this.#path());
    if (answer.status === 404) return undefined;
    if (answer.status !== 200)
      throw new ApiServerError(`the Lease ${this.#options.name} cannot be read: ${sentenceOf(answer)}`);
    return answer.body;
  }

  /** Resolves with false if another replica was faster. */
  async #write(lease: JsonObject, how: "create" | "patch"): Promise<boolean> {
    const { connection, namespace, name, identity } = this.#options;
    const answer = await (how === "patch"
      ? connection.request("PATCH", this.#path(), { body: lease, contentType: mergePatch })
      : // A permission to create can name an object only if the request does, too: an apply. Another replica's is a conflict.
        connection.request(
          "PATCH",
          `${this.#path()}?fieldManager=${encodeURIComponent(`antechamber-${identity}`)}`,
          {
            body: {
              apiVersion: "coordination.k8s.io/v1",
              kind: "Lease",
              metadata: { name, namespace },
              ...lease,
            },
            contentType: "application/apply-patch+yaml",
          },
        ));
    if (answer.status === 409 || answer.status === 404) return false;
    if (answer.status === 200 || answer.status === 201) return true;
    throw new ApiServerError(`the Lease ${name} cannot be written: ${sentenceOf(answer)}`);
  }

  #path(): string {
    const { namespace, name } = this.#options;
    return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  }
}

/** How often a holder renews its Lease, and how often others look at it, in milliseconds. */
export const leaseInterval = 2_000;

/** Shorter than client-go's 15 s: another replica is to repair within ten seconds. */
const durationSeconds = 6;

/** Milliseconds; earlier than another replica may take it. */
const deadline = 4_500;
