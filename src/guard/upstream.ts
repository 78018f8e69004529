import type { WebhookClient, WebhookReply } from "../cluster/api/webhook-client.ts";
import { jsonIn, writeJson } from "../json/exact.ts";
import { get, isArray, type JsonObject, textAt } from "../json/json.ts";
import { NotNow } from "../server/shared/rejection.ts";
import { counted } from "../words.ts";
import { type Answer, answerFor, faultOfEnvelope, refused } from "./answer.ts";
import { Turns } from "./turns.ts";

/** An object that the upstream is asked to convert. */
export interface Question {
  /** Names the question: a digest of the object and the version. */
  readonly key: string;
  readonly object: JsonObject;
  /** The object as JSON text. */
  readonly text: string;
  /** The apiVersion that it should get. */
  readonly desired: string;
  readonly asker: Asker;
}

/** Who has questions: whom it asks, and what it reads in an answer. */
export interface Asker {
  readonly upstream: Upstream;
  readonly read: (object: JsonObject, desired: string, answer: Answer) => Answer;
}

/** Who asks, and until when. */
interface Asking {
  readonly caller: string;
  /** By the upstream's clock. */
  readonly deadline: number;
}

/** The upstream cannot be asked, or does not answer in time. */
export class UpstreamDown extends NotNow {
  override readonly name = "UpstreamDown";
}

/** How an upstream is asked. */
interface UpstreamOptions {
  readonly url: string;
  readonly client: WebhookClient;
  /** The apiVersion of ConversionReviews that it reads. */
  readonly reviews: "v1" | "v1beta1";
  /** Milliseconds, from any start. */
  readonly clock: () => number;
  /** The most requests at one time. */
  readonly requests?: number;
  /** Where replies are counted, of several upstreams too. */
  readonly replies?: Map<string, number>;
}

/** Another project's conversion webhook. */
export class Upstream {
  /** How many requests had which outcome. */
  readonly replies: Map<string, number>;
  readonly #options: UpstreamOptions;
  readonly #turns: Turns;
  readonly #apiVersion: string;
  #asked = 0;
  #hasConverted = false;
  #wasReached = false;
  #fault: string | undefined = "it was not asked yet";

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.replies = options.replies ?? new Map();
    this.#turns = new Turns(options.requests ?? mostRequests);
    this.#apiVersion = `apiextensions.k8s.io/${options.reviews}`;
  }

  get url(): string {
    return this.#options.url;
  }

  /** Whether it has ever answered. */
  get wasReached(): boolean {
    return this.#wasReached;
  }

  /** What is wrong with it, as the last request showed; undefined if nothing is. */
  get fault(): string | undefined {
    return this.#fault && `the upstream ${this.#options.url} cannot be used: ${this.#fault}`;
  }

  /** Asks for nothing, to see whether it answers. */
  async probe(milliseconds: number): Promise<boolean> {
    const { clock } = this.#options;
    try {
      await this.#probe("probe/v1", { caller: "", deadline: clock() + milliseconds });
      return true;
    } catch (error) {
      if (error instanceof UpstreamDown) return false;
      throw error;
    }
  }

  /** Passes a review on and its answer back, both as they are. */
  async pass(review: string, milliseconds: number): Promise<WebhookReply> {
    const reply = await this.#options.client.post(review, Math.max(1, Math.floor(milliseconds)));
    this.#count(reply);
    this.#fault = reply.state === "answered" ? undefined : reply.sentence;
    this.#wasReached ||= reply.state === "answered";
    return reply;
  }

  close(): void {
    this.#options.client.close();
  }

  /** Asks questions that all desire one version: in one review, unless it is too long. Throws UpstreamDown. */
  async ask(questions: readonly Question[], asking: Asking): Promise<readonly Answer[]> {
    const batches = batchesOf(questions);
    return (await Promise.all(batches.map((batch) => this.#halved(batch, asking)))).flat();
  }

  /** One review. If it is not answered with all objects it is halved, so that one bad object is asked alone. */
  async #halved(questions: readonly Question[], asking: Asking): Promise<readonly Answer[]> {
    const [first] = questions;
    if (first === undefined) return [];
    const isOne = questions.length === 1;
    const left = asking.deadline - this.#options.clock();
    // If many get no answer, there must be time to ask for each.
    const reading = await this.#send(questions, first.desired, asking, isOne ? left : left / 2);
    if (reading.answers?.every(({ state }) => state === "converted")) return reading.answers;
    if (isOne) return reading.answers ?? [refused(reading.sentence ?? "no answer")];
    if (reading.answers !== undefined) return this.#repaired(questions, reading.answers, asking);
    const middle = questions.length >> 1;
    const halves = [questions.slice(0, middle), questions.slice(middle)];
    return (await Promise.all(halves.map((half) => this.#halved(half, asking)))).flat();
  }

  /** The answers, with those that cannot be used asked for alone. */
  async #repaired(
    questions: readonly Question[],
    answers: readonly Answer[],
    asking: Asking,
  ): Promise<readonly Answer[]> {
    const repaired = answers.map(async (answer, at) => {
      const question = questions[at];
      if (answer.state === "converted" || question === undefined) return answer;
      const [alone] = await this.#halved([question], asking);
      return alone ?? answer;
    });
    return Promise.all(repaired);
  }

  async #send(
    questions: readonly Question[],
    desired: string,
    asking: Asking,
    milliseconds: number,
  ): Promise<Reading> {
    const uid = `${guardUid}${++this.#asked}`;
    const objects = questions.map(({ text }) => text).join(",");
    const review = `{"kind":"ConversionReview","apiVersion":"${this.#apiVersion}","request":{"uid":"${uid}","desiredAPIVersion":${writeJson(desired)},"objects":[${objects}]}}`;
    const { client, clock } = this.#options;
    const reply = await this.#turns.take(asking.caller, () => {
      const left = Math.floor(Math.min(milliseconds, asking.deadline - clock()));
      return left >= 1 ? client.post(review, left) : Promise.resolve(tooLate);
    });
    this.#count(reply);
    return this.#read(reply, questions, desired, uid, asking);
  }

  async #read(
    reply: WebhookReply,
    questions: readonly Question[],
    desired: string,
    uid: string,
    asking: Asking,
  ): Promise<Reading> {
    if (reply.state !== "answered") {
      const isAboutObjects = reply.state === "closed" ? questions.length > 0 : questions.length > 1;
      if (reply.state === "unreachable" || !isAboutObjects) throw this.#down(reply.sentence);
      // After a panic the process serves on; a process that ended does not.
      if (questions.length === 1)
        await this.#send([], desired, asking, asking.deadline - this.#options.clock());
      return { sentence: reply.sentence };
    }
    const { status, text } = reply;
    if (elsewhere.has(status)) throw this.#down(`it answers with HTTP ${status}`);
    const read =
      status === 200 ? readAnswers(text, questions, desired, this.#apiVersion, uid) : httpFault(reply);
    // Without an answer to any review, not even an empty one, what it says is not about the objects.
    if (read.isForeign && !this.#hasConverted) {
      if (questions.length === 0) throw this.#down(read.sentence ?? "it answers no review");
      await this.#probe(desired, asking);
    }
    if (!read.isForeign) this.#hasConverted = true;
    this.#fault = undefined;
    this.#wasReached = true;
    return read;
  }

  /** Asks for nothing. Throws UpstreamDown if there is no answer to that either. */
  async #probe(desired: string, asking: Asking): Promise<void> {
    await this.#send([], desired, asking, asking.deadline - this.#options.clock());
  }

  #count({ state }: WebhookReply): void {
    this.replies.set(state, (this.replies.get(state) ?? 0) + 1);
  }

  #down(sentence: string): UpstreamDown {
    this.#fault = sentence;
    return new UpstreamDown(`the upstream ${this.#options.url} cannot be used: ${sentence}`);
  }
}

/** Milliseconds for an upstream: less than the caller waits, so that it gets to read why there is no answer. */
export function timeFor({ milliseconds }: { readonly milliseconds: number }): number {
  return milliseconds - Math.min(milliseconds / 10, 500);
}

/** How the uids of a guard's own reviews begin. */
export const guardUid = "antechamber-guard-";

/** What came back for a review. */
interface Reading {
  /** One for each object. */
  readonly answers?: readonly Answer[];
  /** Why there are none. */
  readonly sentence?: string;
  /** Whether it is not even the answer to a review. */
  readonly isForeign?: boolean;
}

const tooLate: WebhookReply = { state: "silent", sentence: "there was no time left to ask it" };

/** Says that there is no conversion webhook here, or not now: nothing about an object. */
const elsewhere = new Set([301, 302, 307, 308, 401, 403, 404, 405, 407, 415, 429, 502, 503, 504]);

function httpFault({ status, text }: { readonly status: number; readonly text: string }): Reading {
  const words = text.trim().slice(0, 200);
  return { sentence: `HTTP ${status}${words === "" ? "" : `: ${words}`}`, isForeign: true };
}

function readAnswers(
  text: string,
  questions: readonly Question[],
  desired: string,
  apiVersion: string,
  uid: string,
): Reading {
  const body = jsonIn(text);
  const fault = faultOfEnvelope(body, apiVersion, uid);
  if (body === undefined || fault !== undefined) return { sentence: fault ?? "", isForeign: true };
  if (textAt(body, "response", "result", "status") !== "Success") {
    const message = textAt(body, "response", "result", "message");
    return { sentence: message === "" ? "the result is not Success, without a message" : message };
  }
  const found = get(body, "response", "convertedObjects");
  const objects = isArray(found) ? found : [];
  if (objects.length !== questions.length)
    return { sentence: `the answer has ${counted(objects.length, "object")} instead of ${questions.length}` };
  return { answers: questions.map(({ object }, at) => answerFor(object, objects[at], desired)) };
}

/** Questions in lists that make reviews of a length that webhooks read. */
function batchesOf(questions: readonly Question[]): readonly (readonly Question[])[] {
  const batches: Question[][] = [];
  let room = 0;
  for (const question of questions) {
    room -= question.text.length;
    if (room < 0 || batches.length === 0) {
      batches.push([]);
      room = mostCharacters - question.text.length;
    }
    batches.at(-1)?.push(question);
  }
  return batches;
}

/** Characters of a review, unless one object alone is longer: as much as an API server sends. */
const mostCharacters = 3 * 1024 * 1024;

const mostRequests = 16;
