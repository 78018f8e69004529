import type { Logger } from "pino";
import { groupVersionOf } from "../apimachinery/resource.ts";
import { type SerializedObject, writeSerialized } from "../conversion/carriers.ts";
import { convertSerialized } from "../conversion/convert.ts";
import { Unanswered } from "../conversion/lens.ts";
import { parseJson } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, own, textAt } from "../json/json.ts";
import { type Kind, type Kinds, versionIndex } from "../kind/kind.ts";
import type { Answer } from "../review/answer.ts";
import { answerConversion } from "../review/conversion.ts";
import type { Handlers } from "../server/app.ts";
import type { Call } from "../server/review.ts";
import { NotNow } from "../server/shared/rejection.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { converterOf, kindWritten } from "./guarded-kind.ts";
import { Seldom } from "./seldom.ts";
import { Session } from "./session.ts";
import { guardUid, type Question, timeFor } from "./upstream.ts";
import type { Bad, UpstreamConverter } from "./upstream-converter.ts";

/** What a guard works with. */
interface GuardOptions {
  readonly cache: AnswerCache;
  readonly log: Logger;
  /** Milliseconds: that of the upstreams. */
  readonly clock: () => number;
}

/** Answers reviews of guarded kinds: works as far as answers are known, asks the upstream for all that are missing, and again. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #seldom: Seldom;
  /** Kinds of which the upstream has converted an object: each conversion leads from the hub or to it. */
  readonly #sound = new Set<string>();
  /** Conversions of objects that the upstream does not convert, by kind and versions, of which there are few. */
  readonly #refused = new Map<string, { kind: string; from: string; to: string; objects: number }>();

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#seldom = new Seldom(logAgain, options.clock);
  }

  /** How many conversions of objects the upstream did not make. */
  get refused(): readonly { kind: string; from: string; to: string; objects: number }[] {
    return [...this.#refused.values()];
  }

  /** What objects are at another version, or why one is not converted; those at that version already are left out. */
  async convertAll(
    kind: Kind,
    objects: readonly JsonObject[],
    desired: string,
    call: Call,
  ): Promise<ReadonlyMap<JsonObject, JsonObject | Error>> {
    const kinds = { find: () => kind };
    const jobs = objects.flatMap((object) => jobOf(object, desired, kinds) ?? []);
    const done = await this.#settle(jobs, call);
    return new Map([...done].map(([object, outcome]) => [object, plain(outcome)]));
  }

  /** Handlers that wait for the upstream, given those that answer at once. */
  handlers(kinds: Kinds, plain: Pick<Handlers, "mutate" | "validate">): Handlers {
    return {
      convert: (review, call) => this.#convert(review, kinds, call),
      mutate: (review, call) => this.#admit(review, kinds, call, () => plain.mutate(review, call)),
      validate: (review, call) => this.#admit(review, kinds, call, () => plain.validate(review, call)),
    };
  }

  async #convert(review: Json, kinds: Kinds, call: Call): Promise<Answer> {
    const request = own(review, "request");
    const objects = own(request, "objects");
    const desired = own(request, "desiredAPIVersion");
    const jobs = (isArray(objects) ? objects : []).flatMap((object) => jobOf(object, desired, kinds) ?? []);
    if (textAt(request, "uid").startsWith(guardUid)) return answerConversion(review, kinds, askedByGuard);
    const done = await this.#settle(jobs, call);
    return answerConversion(review, kinds, (object, chain, from, to) => {
      const outcome = done.get(object);
      if (outcome === undefined) return convertSerialized(object, chain, from, to);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
  }

  /** Converts objects in as many rounds as they need. What fails is an error in place of an object. */
  async #settle(
    jobs: readonly Job[],
    call: Call,
  ): Promise<ReadonlyMap<JsonObject, SerializedObject | Error>> {
    const done = new Map<JsonObject, SerializedObject | Error>();
    const session = new Session(this.#options.cache);
    const deadline = this.#options.clock() + timeFor(call);
    let left = jobs;
    for (let round = 0; left.length > 0; round++) {
      left = await this.#round(left, session, done);
      const questions = session.take();
      if (left.length === 0) break;
      const error = round < mostRounds ? await this.#ask(questions, session, call.caller, deadline) : tooMany;
      if (error === undefined) continue;
      for (const { object } of left) done.set(object, error);
      break;
    }
    return done;
  }

  /** Converts what can be converted by now; the rest has asked questions. */
  async #round(
    jobs: readonly Job[],
    session: Session,
    done: Map<JsonObject, SerializedObject | Error>,
  ): Promise<readonly Job[]> {
    const left: Job[] = [];
    let begun = this.#options.clock();
    for (const job of jobs) {
      try {
        const { object, kind, converter, from, to } = job;
        const { apiVersion: desired } = kind.versions[to] ?? kind.hub;
        const convert = (mark?: string) =>
          convertSerialized(converter.prepared(object, mark), kind.chain, from, to);
        const { result, bad, isSound, isGuess } = converter.during(session, object, convert, desired);
        if (isGuess) left.push(job);
        else {
          done.set(object, result);
          if (isSound) this.#sound.add(kind.name);
          this.#report(kind, object, bad);
        }
      } catch (error) {
        if (error instanceof Unanswered) left.push(job);
        else done.set(job.object, error instanceof Error ? error : new Error(String(error)));
      }
      if (this.#options.clock() - begun < slice) continue;
      // Others get their turn.
      await new Promise((resolve) => setImmediate(resolve));
      begun = this.#options.clock();
    }
    return left;
  }

  /** Answers an admission review, which asks about a single object and the one before it. */
  async #admit(
    review: Json,
    kinds: Kinds,
    call: Call,
    answer: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const object = get(review, "request", "object");
    const converter = converterOf(kindWritten(review, kinds));
    if (converter === undefined || !isObject(object)) return answer();
    const session = new Session(this.#options.cache);
    const deadline = this.#options.clock() + timeFor(call);
    for (let round = 0; ; round++) {
      try {
        const { result, isGuess } = converter.during(session, object, answer);
        const answered = await result;
        if (!isGuess) return answered;
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
      }
      const fault =
        round < mostRounds ? await this.#ask(session.take(), session, call.caller, deadline) : tooMany;
      if (fault !== undefined) throw fault;
    }
  }

  /** Asks questions, those of each version in one review. What fails is an error. */
  async #ask(
    questions: readonly Question[],
    session: Session,
    caller: string,
    deadline: number,
  ): Promise<Error | undefined> {
    const askers = Map.groupBy(questions, ({ asker }) => asker);
    const asked = [...askers].flatMap(([asker, all]) =>
      [...Map.groupBy(all, ({ desired }) => desired).values()].map(async (group) => {
        const answers = await asker.upstream.ask(group, { caller, deadline });
        for (const [at, question] of group.entries()) {
          const answer = answers[at];
          if (answer !== undefined)
            session.add(question, asker.read(question.object, question.desired, answer));
        }
      }),
    );
    const settled = await Promise.allSettled(asked);
    const failed = settled.find((each) => each.status === "rejected");
    return failed === undefined ? undefined : (failed.reason as Error);
  }

  #report(kind: Kind, object: JsonObject, bad: readonly Bad[]): void {
    for (const { from, to, sentence } of bad) {
      const labels = { kind: kind.name, from: groupVersionOf(from).version, to: groupVersionOf(to).version };
      const key = Object.values(labels).join(" ");
      const objects = (this.#refused.get(key)?.objects ?? 0) + 1;
      this.#refused.set(key, { ...labels, objects });
      if (objects === fewRefused && !this.#sound.has(kind.name))
        this.#options.log.warn(
          { kind: kind.name, hub: kind.hub.name },
          "the upstream converts nothing from or to the hub: choose another version with --hub",
        );
      const [namespace, name] = [get(object, "metadata", "namespace"), get(object, "metadata", "name")];
      if (!this.#seldom.isDue([kind.name, namespace, name, from, to].join(" "))) continue;
      this.#options.log.warn(
        { kind: kind.name, namespace, name, from, to, upstream: sentence },
        "the upstream does not convert an object: its schemas do",
      );
    }
  }
}

/** An object that is to be converted. */
interface Job {
  readonly object: JsonObject;
  readonly kind: Kind;
  readonly converter: UpstreamConverter;
  readonly from: number;
  readonly to: number;
}

/** What is to be converted of a review; undefined for what needs no conversion, or is refused anyway. */
function jobOf(object: Json, desired: Json | undefined, kinds: Pick<Kinds, "find">): Job | undefined {
  if (!isObject(object)) return undefined;
  const kind = kinds.find(groupVersionOf(textAt(object, "apiVersion")).group, textAt(object, "kind"));
  const converter = converterOf(kind);
  if (kind === undefined || converter === undefined) return undefined;
  const [from, to] = [versionIndex(kind, object.apiVersion), versionIndex(kind, desired)];
  if (from === undefined || to === undefined || from === to) return undefined;
  return { object, kind, converter, from, to };
}

function plain(outcome: SerializedObject | Error): JsonObject | Error {
  if (outcome instanceof Error) return outcome;
  const read = parseJson(writeSerialized(outcome).join(""));
  return isObject(read) ? read : new Error("the converted object is not an object");
}

/** The CRD of an upstream may name the guard itself. */
function askedByGuard(): never {
  throw new Error("a guard is asked by a guard: say where the webhook itself is with --upstream");
}

/** Rounds of one review. Most take two; a search for what a client contradicts may take some more. */
const mostRounds = 64;

/** What was answered by then is kept, so that a later attempt gets further. */
const tooMany = new NotNow(`the upstream was asked ${mostRounds} times, and the conversion is not done`);

/** Refused objects after which a hub is doubtful, if the upstream has converted no other. */
const fewRefused = 3;

/** Milliseconds after which the same object is logged again. */
const logAgain = 600_000;

/** Milliseconds after which other requests get their turn. */
const slice = 10;
