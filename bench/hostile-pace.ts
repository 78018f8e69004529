// The regular clients during an attack: /livez and a small review at a constant rate, each due at its time.
import http from "node:http";
import https from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { smallReview } from "./hostile-bodies.ts";
import type { Target } from "./hostile-service.ts";

/** The results of the requests. */
export interface Record {
  readonly calls: number;
  /** The maximum time from the due time of a request to its response, in ms. */
  readonly longest: number;
  /** Requests that failed or had another response than before the attack. */
  readonly failed: number;
}

export interface Pace {
  readonly health: () => Record;
  readonly reviews: () => Record;
  /** Resets the counts. */
  readonly reset: () => void;
  /** Resolves when every request has a response. */
  readonly stop: () => Promise<void>;
}

const interval = 10;
// Another address than that of the attacker, so that limits per address do not apply to the regular clients.
const goodAddress = "127.0.0.2";
// An API server keeps some connections. Without a limit, each waiting request would open another one.
const reviewers = 8;
const probers = 4;

/** The regular clients of one service. */
export class GoodCaller {
  readonly #reviews: https.Agent;
  readonly #probes = new http.Agent({ keepAlive: true, maxSockets: probers });
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
    this.#reviews = new https.Agent({ keepAlive: true, maxSockets: reviewers, ca: target.ca });
  }

  /** Sends the small review; rejects without a response within a minute. */
  review(): Promise<string> {
    const body = smallReview();
    const headers = { "Content-Type": "application/json", "Content-Length": body.length };
    const to = { host: "127.0.0.1", servername: "localhost", localAddress: goodAddress };
    const { port } = this.#target;
    const options = {
      ...to,
      agent: this.#reviews,
      port,
      path: "/convert?timeout=30s",
      method: "POST",
      headers,
    };
    return answerOf(https.request({ ...options, timeout: 60_000 }), body);
  }

  probe(): Promise<string> {
    const options = { agent: this.#probes, host: "127.0.0.1", localAddress: goodAddress, path: "/livez" };
    return answerOf(http.request({ ...options, port: this.#target.opsPort, timeout: 60_000 }));
  }

  /** Sends both at a constant rate, whether or not the previous request has a response. */
  begin(expected: string): Pace {
    const [health, reviews] = [new Tally(), new Tally()];
    const running = new Set<Promise<void>>();
    let over = false;
    const ask = (tally: Tally, due: number, call: Promise<string>, right: string) => {
      const one = call
        .then((answer) => tally.add(performance.now() - due, answer === right))
        .catch(() => tally.add(performance.now() - due, false))
        .finally(() => running.delete(one));
      running.add(one);
    };
    const loop = async () => {
      const begun = performance.now();
      for (let turn = 0; !over; turn++) {
        const due = begun + turn * interval;
        const early = due - performance.now();
        // Also when late, so that responses can be received.
        await (early > 1 ? wait(early) : new Promise((resolve) => setImmediate(resolve)));
        ask(health, due, this.probe(), "200 ok\n");
        ask(reviews, due, this.review(), expected);
      }
    };
    const looping = loop();
    return {
      health: () => health.record(),
      reviews: () => reviews.record(),
      reset: () => void [health.reset(), reviews.reset()],
      stop: async () => {
        over = true;
        await looping;
        await Promise.all(running);
      },
    };
  }

  close(): void {
    this.#reviews.destroy();
    this.#probes.destroy();
  }
}

class Tally {
  #calls = 0;
  #longest = 0;
  #failed = 0;

  add(milliseconds: number, isRight: boolean): void {
    this.#calls++;
    this.#longest = Math.max(this.#longest, milliseconds);
    if (!isRight) this.#failed++;
  }

  reset(): void {
    [this.#calls, this.#longest, this.#failed] = [0, 0, 0];
  }

  record(): Record {
    return { calls: this.#calls, longest: this.#longest, failed: this.#failed };
  }
}

function answerOf(request: http.ClientRequest, body?: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    request.once("timeout", () => request.destroy(new Error("no answer in 60 s")));
    request.once("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => resolve(`${response.statusCode} ${Buffer.concat(chunks)}`));
    });
    request.end(body);
  });
}
