import type { WebhookAddress } from "../cluster/api/webhook-client.ts";
import { webhookClient } from "../cluster/api/webhook-client.ts";
import { Upstream } from "./upstream.ts";

/** The webhooks behind one guard: one for each address, however many kinds name it. */
export class Upstreams {
  /** How many requests to all of them had which outcome. */
  readonly replies = new Map<string, number>();
  readonly #clock: () => number;
  #wereReached = false;
  readonly #known = new Map<string, Upstream>();

  /** With a clock in milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The upstream at an address. */
  at(address: WebhookAddress, reviews: "v1" | "v1beta1"): Upstream {
    const key = JSON.stringify([address, reviews]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { url } = address;
    const [client, clock, replies] = [webhookClient(address), this.#clock, this.replies];
    const made = new Upstream({ url, client, reviews, clock, replies });
    this.#known.set(key, made);
    return made;
  }

  /** Closes all but those that are used. */
  keep(used: ReadonlySet<Upstream>): void {
    for (const [key, upstream] of [...this.#known].filter(([, each]) => !used.has(each))) {
      this.#known.delete(key);
      upstream.close();
    }
  }

  /** What is wrong with one of them. */
  get fault(): string | undefined {
    return this.#all.map(({ fault }) => fault).find((each) => each !== undefined);
  }

  /** Whether each has answered once. One that takes the place of another later makes no difference. */
  get wereReached(): boolean {
    this.#wereReached ||= this.#all.every(({ wasReached }) => wasReached);
    return this.#wereReached;
  }

  /** Asks those that have never answered for nothing, and returns whether all answer. */
  async probe(milliseconds: number): Promise<boolean> {
    const missing = this.#all.filter(({ wasReached }) => !wasReached);
    const answers = await Promise.all(missing.map((each) => each.probe(milliseconds)));
    return answers.every(Boolean);
  }

  get #all(): readonly Upstream[] {
    return [...this.#known.values()];
  }
}
