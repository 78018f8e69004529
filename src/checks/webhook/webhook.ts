import type { JsonObject } from "../../json/json.ts";
import { type Ask, type Outcome, OutOfTime, WebhookDied } from "./ask.ts";
import { outcomesOf, type ReviewVersion, reviewOf } from "./review.ts";

/** How a webhook is asked. */
export interface Manner {
  /** The most objects in a review. */
  readonly batch: number;
  /** Milliseconds, from any point in time. */
  readonly clock: () => number;
  /** When to stop, by the clock. */
  readonly until: number;
  readonly interrupt?: AbortSignal | undefined;
  /** Called after each review. */
  readonly onReview?: (objects: number) => void;
}

/** Conversions by a webhook, and how long they took. */
export class Webhook {
  readonly #ask: Ask;
  readonly #manner: Manner;
  #reviews = 0;
  #objects = 0;
  /** Milliseconds of each review of a single object. */
  readonly #times: number[] = [];
  #busy = 0;
  /** What was sent when a connection was last closed without an answer, until another answer comes. */
  #closed: { readonly objects: readonly JsonObject[]; readonly desired: string } | undefined;

  constructor(ask: Ask, manner: Manner) {
    this.#ask = ask;
    this.#manner = manner;
  }

  get counts(): { reviews: number; objects: number; milliseconds: number; times: readonly number[] } {
    return {
      reviews: this.#reviews,
      objects: this.#objects,
      milliseconds: this.#busy,
      times: this.#times,
    };
  }

  /** Converts one object in a review of its own. Throws WebhookDied and OutOfTime. */
  async convert(object: JsonObject, desired: string, review: ReviewVersion = "v1"): Promise<Outcome> {
    const [outcome] = await this.#send([object], desired, review);
    return outcome ?? { state: "refused", sentence: "no answer" };
  }

  /** Converts objects, many in a review. A review that is refused is halved, to find the objects that are. */
  async convertAll(objects: readonly JsonObject[], desired: string): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < objects.length; at += this.#manner.batch)
      outcomes.push(...(await this.#halved(objects.slice(at, at + this.#manner.batch), desired)));
    return outcomes;
  }

  async #halved(objects: readonly JsonObject[], desired: string): Promise<readonly Outcome[]> {
    const outcomes = await this.#send(objects, desired, "v1");
    if (outcomes.length === objects.length) return outcomes;
    const middle = objects.length >> 1;
    const first = await this.#halved(objects.slice(0, middle), desired);
    return [...first, ...(await this.#halved(objects.slice(middle), desired))];
  }

  /** One review; a single outcome for several objects is one for the whole review. */
  async #send(
    objects: readonly JsonObject[],
    desired: string,
    review: ReviewVersion,
  ): Promise<readonly Outcome[]> {
    const { clock, until, interrupt, onReview } = this.#manner;
    if (interrupt?.aborted || clock() > until) throw new OutOfTime("the time is over");
    const question = { objects, desired, uid: `antechamber-${++this.#reviews}`, review };
    const begun = clock();
    const reply = await this.#ask(reviewOf(question));
    const took = clock() - begun;
    this.#busy += took;
    this.#objects += objects.length;
    if (objects.length === 1) this.#times.push(took);
    onReview?.(objects.length);
    if (reply.state === "unreachable") {
      // The process that panics first closes the connection; only the next one is refused.
      const last = this.#closed ?? { objects, desired };
      throw new WebhookDied(reply.sentence, last.objects, last.desired);
    }
    this.#closed = reply.state === "closed" ? { objects, desired } : undefined;
    const outcomes = outcomesOf(reply, question);
    return "state" in outcomes ? [outcomes] : outcomes;
  }
}
