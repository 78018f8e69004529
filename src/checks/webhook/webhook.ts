import type { JsonObject } from "../../json/json.ts";
import { type Ask, type Outcome, type Reply, WebhookDied } from "./ask.ts";
import { Pace, type Time } from "./pace.ts";
import { outcomesOf, type ReviewVersion, reviewOf } from "./review.ts";

/** How a webhook is asked. */
export interface Manner extends Time {
  /** The most objects in a review. */
  readonly batch: number;
  /** Called after each review. */
  readonly onReview?: (objects: number) => void;
}

/** Conversions by a webhook, and how long they took. */
export class Webhook {
  readonly #ask: Ask;
  readonly #manner: Manner;
  /** How long it may be asked. */
  readonly pace: Pace;
  #reviews = 0;
  #objects = 0;
  /** Milliseconds of each review of a single object. */
  readonly #times: number[] = [];
  #busy = 0;
  #wasAnswered = false;
  /** A review that was answered, of one object: whether this is answered again tells a slow object from a dead webhook. */
  #good: string | undefined;
  /** What was sent when a connection was last closed without an answer, until another answer comes. */
  #closed: { readonly objects: readonly JsonObject[]; readonly desired: string } | undefined;

  constructor(ask: Ask, manner: Manner) {
    this.#ask = ask;
    this.#manner = manner;
    this.pace = new Pace(manner);
  }

  get counts(): {
    readonly reviews: number;
    readonly objects: number;
    readonly milliseconds: number;
    readonly times: readonly number[];
    readonly wasAnswered: boolean;
  } {
    return {
      wasAnswered: this.#wasAnswered,
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
    const { clock, onReview } = this.#manner;
    this.pace.check();
    const question = { objects, desired, uid: `antechamber-${++this.#reviews}`, review };
    const text = reviewOf(question);
    const begun = clock();
    const reply = await this.#answer(text);
    const took = clock() - begun;
    this.#busy += took;
    this.#objects += objects.length;
    if (objects.length === 1) this.#times.push(took);
    onReview?.(objects.length);
    if (reply.state === "unreachable") {
      // The process that panics first closes the connection; only the next one is refused.
      const last = this.#closed ?? { objects, desired };
      throw new WebhookDied(reply.sentence, last.objects, last.desired, false);
    }
    if (reply.state === "silent") await this.#ensureAlive(reply.sentence, { objects, desired });
    else this.#wasAnswered = true;
    if (reply.state === "answered" && objects.length === 1) this.#good ??= text;
    this.#closed = reply.state === "closed" ? { objects, desired } : undefined;
    const outcomes = outcomesOf(reply, question);
    return "state" in outcomes ? [outcomes] : outcomes;
  }

  /** What comes back, unless the user interrupts the wait. @throws OutOfTime */
  async #answer(review: string): Promise<Reply> {
    const { interrupt } = this.#manner;
    if (interrupt === undefined) return this.#ask(review);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const stop = () => resolve(undefined);
    interrupt.addEventListener("abort", stop, { once: true });
    const reply = await Promise.race([this.#ask(review), promise]);
    interrupt.removeEventListener("abort", stop);
    this.pace.check();
    return reply ?? { state: "silent", sentence: "interrupted" };
  }

  /** Asks again what was answered before. @throws WebhookDied if that is not answered either */
  async #ensureAlive(
    sentence: string,
    last: { readonly objects: readonly JsonObject[]; readonly desired: string },
  ): Promise<void> {
    const reply = this.#good === undefined ? undefined : await this.#answer(this.#good);
    if (reply === undefined || reply.state === "silent" || reply.state === "unreachable")
      throw new WebhookDied(sentence, last.objects, last.desired, reply?.state !== "unreachable");
  }
}
