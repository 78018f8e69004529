import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import { groupVersionOf } from "../apimachinery/resource.ts";
import { changesBetween, placeText } from "../checks/index.ts";
import { detach } from "../conversion/carriers.ts";
import { jsonIn, writeJson } from "../json/exact.ts";
import { get, isObject, type Json, type JsonObject, listAt, textAt } from "../json/json.ts";
import type { Kind, Kinds } from "../kind/kind.ts";
import { answerUnjudged } from "../review/admission.ts";
import type { Answer } from "../review/answer.ts";
import { answerConversion } from "../review/conversion.ts";
import type { Handlers } from "../server/app.ts";
import type { Call, Handler } from "../server/review.ts";
import type { Converted, Answer as UpstreamAnswer } from "./answer.ts";
import type { Guard } from "./guard.ts";
import { converterOf, kindWritten } from "./guarded-kind.ts";
import { Seldom } from "./seldom.ts";
import { questionOf } from "./session.ts";
import { timeFor } from "./upstream.ts";
import type { UpstreamConverter } from "./upstream-converter.ts";

/** What happens to a field of objects on the way to another version and back: by the upstream alone, and behind the guard. */
interface ShadowFinding {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  /** `lost`: the value is gone; `changed`: it is another one, as after an undone edit; `refused`: there is no answer. */
  readonly outcome: "lost" | "changed" | "refused";
  /** `spec.items[].name`; empty for the whole object. */
  readonly field: string;
  /** Whether the guard keeps it. */
  readonly guarded: "kept" | "not kept";
  readonly conversions: number;
  /** The first few, as `namespace/name`. */
  readonly objects: readonly string[];
}

/** What a shadow works with. */
interface ShadowOptions {
  /** Converts beside the upstream; nothing of it reaches a caller. */
  readonly guard: Guard;
  readonly log: Logger;
  /** Milliseconds: that of the upstreams. */
  readonly clock: () => number;
  /** Waits so many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** From 0 to 1, to choose among the objects of a review. */
  readonly random: () => number;
}

/** Passes reviews to the upstream and its answers back as they are, and looks at a sample of them beside that. */
export class Shadow {
  readonly #options: ShadowOptions;
  readonly #seldom: Seldom;
  readonly #found = new Map<string, ShadowFinding>();
  readonly #looked = new Map<string, number>();
  /** The end of the work so far: one object is looked at after the other. */
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: ShadowOptions) {
    this.#options = options;
    this.#seldom = new Seldom(lookAgain, options.clock);
  }

  /** How many conversions were looked at. */
  get looked(): number {
    return [...this.#looked.values()].reduce((sum, each) => sum + each, 0);
  }

  get findings(): readonly ShadowFinding[] {
    return [...this.#found.values()];
  }

  /** Resolves when all that waits has been looked at. */
  whenIdle(): Promise<void> {
    return this.#work;
  }

  /** Handlers that change no object of a guarded kind: writes pass as they are. */
  handlers(kinds: Kinds, plain: Pick<Handlers, "mutate" | "validate">): Handlers {
    const admit =
      (handler: Handler): Handler =>
      (review, call) =>
        converterOf(kindWritten(review, kinds)) === undefined
          ? handler(review, call)
          : answerUnjudged(review, kinds);
    return {
      convert: (review, call) => this.#pass(review, kinds, call),
      mutate: admit(plain.mutate),
      validate: admit(plain.validate),
    };
  }

  async #pass(review: Json, kinds: Kinds, call: Call): Promise<Answer> {
    const objects = listAt(review, "request", "objects").filter(isObject);
    const [first] = objects;
    const kind = kinds.find(groupVersionOf(textAt(first, "apiVersion")).group, textAt(first, "kind"));
    const converter = converterOf(kind);
    if (kind === undefined || converter === undefined) return answerConversion(review, kinds);
    const reply = await converter.upstream.pass(writeJson(review), timeFor(call));
    const sentence = reply.state === "answered" ? `HTTP ${reply.status}` : reply.sentence;
    const failed = answerConversion(review, kinds, () => {
      throw new Error(`the upstream ${converter.upstream.url} gives no answer: ${sentence}`);
    });
    if (reply.state !== "answered") {
      this.#sample(kind, objects, review, []);
      return failed;
    }
    const read = jsonIn(reply.text);
    const isSuccess = textAt(read, "response", "result", "status") === "Success";
    const shown = isSuccess ? listAt(read, "response", "convertedObjects") : [];
    this.#sample(kind, objects, review, shown);
    const report = { ...failed.report, outcome: isSuccess ? ("success" as const) : ("failure" as const) };
    const { status, text } = reply;
    return { review: isObject(read) ? read : {}, sent: { status, text }, report: report as Answer["report"] };
  }

  /** Has a few objects of a review looked at, unless there is much to do. */
  #sample(kind: Kind, objects: readonly JsonObject[], review: Json, shown: readonly Json[]): void {
    const desired = textAt(review, "request", "desiredAPIVersion");
    const due = objects
      .map((object, at) => ({ object, view: shown[at] }))
      .filter(({ object }) => object.apiVersion !== desired);
    for (let count = 0; count < mostSampled && due.length > 0 && this.#waiting < mostWaiting; count++) {
      const [{ object, view }] = due.splice(Math.floor(this.#options.random() * due.length), 1) as [
        { object: JsonObject; view: Json | undefined },
      ];
      this.#waiting++;
      // The caller has its answer before any of this.
      this.#work = this.#work
        .then(() => setImmediate())
        .then(() => (this.#isDue(object, desired) ? this.#look(kind, object, desired, view) : undefined))
        .catch((error: unknown) => this.#options.log.debug({ err: error }, "the shadow looked in vain"))
        .finally(() => {
          this.#waiting--;
        });
    }
  }

  /** Before an API server has stored or read an object, it has no resourceVersion. */
  #isDue(object: JsonObject, desired: string): boolean {
    return this.#seldom.isDue(hash("sha256", `${desired} ${writeJson(object)}`, "base64"));
  }

  async #look(kind: Kind, object: JsonObject, desired: string, shown: Json | undefined): Promise<void> {
    await this.#options.pause(spacing);
    const converter = converterOf(kind);
    const from = kind.versions.find(({ apiVersion }) => apiVersion === object.apiVersion);
    const to = kind.versions.find(({ apiVersion }) => apiVersion === desired);
    if (converter === undefined || from === undefined || to === undefined) return;
    const labels = { kind: kind.name, from: from.name, to: to.name };
    const key = Object.values(labels).join(" ");
    this.#looked.set(key, (this.#looked.get(key) ?? 0) + 1);
    const there = isObject(shown) ? shown : await this.#ask(converter, object, desired);
    const back = there === undefined ? undefined : await this.#ask(converter, there, from.apiVersion);
    const guarded = await this.#through(kind, object, desired);
    if (back === undefined)
      return this.#note({ ...labels, outcome: "refused", field: "" }, guarded !== undefined, object);
    const schema = get(from.entry, "schema", "openAPIV3Schema");
    const [before = {}, after = {}, behind = {}] = [object, back, guarded ?? {}].map(
      (each) => detach(converter.prepared(each, undefined)).object,
    );
    const kept = guarded === undefined ? undefined : changedPlaces(before, behind, schema);
    for (const [field, outcome] of changedPlaces(before, after, schema))
      this.#note({ ...labels, outcome, field }, kept !== undefined && !kept.has(field), object);
  }

  /** What the upstream makes of an object; undefined if it does not convert it. */
  async #ask(
    converter: UpstreamConverter,
    object: JsonObject,
    desired: string,
  ): Promise<JsonObject | undefined> {
    const asking = { caller: "shadow", deadline: this.#options.clock() + patience };
    const [answer] = await converter.upstream.ask([questionOf(object, desired, converter)], asking);
    const read: UpstreamAnswer | undefined = answer && converter.read(object, desired, answer);
    return answer?.state === "converted" && read?.state === "converted"
      ? wholeOf(object, desired, answer)
      : undefined;
  }

  /** What the guard makes of an object on the way there and back. */
  async #through(kind: Kind, object: JsonObject, desired: string): Promise<JsonObject | undefined> {
    const there = await this.#converted(kind, object, desired);
    return there && this.#converted(kind, there, String(object.apiVersion));
  }

  async #converted(kind: Kind, object: JsonObject, desired: string): Promise<JsonObject | undefined> {
    const call = { caller: "shadow", milliseconds: patience };
    const outcome = (await this.#options.guard.convertAll(kind, [object], desired, call)).get(object);
    return outcome instanceof Error ? undefined : outcome;
  }

  #note(
    what: Pick<ShadowFinding, "kind" | "from" | "to" | "outcome" | "field">,
    isKept: boolean,
    object: JsonObject,
  ): void {
    const guarded = isKept ? ("kept" as const) : ("not kept" as const);
    const isNew = (key: string) => !this.#found.has(key);
    const keyOf = (field: string) => [...Object.values({ ...what, field }), guarded].join(" ");
    const field = isNew(keyOf(what.field)) && this.#found.size >= mostFields ? "(others)" : what.field;
    const before = this.#found.get(keyOf(field));
    const known = before?.objects ?? [];
    const name = nameOf(object);
    const isShown = known.length < mostNames && !known.includes(name);
    this.#found.set(keyOf(field), {
      ...what,
      field,
      guarded,
      conversions: (before?.conversions ?? 0) + 1,
      objects: isShown ? [...known, name] : known,
    });
    if (isShown) this.#options.log.warn({ ...what, field, object: name, guarded }, sentences[what.outcome]);
  }
}

const sentences = {
  lost: "a field does not come back from the upstream",
  changed: "a field comes back from the upstream with another value",
  refused: "the upstream does not convert an object",
} as const;

/** The places of a version at which a value is gone or another one. */
function changedPlaces(
  before: JsonObject,
  after: JsonObject,
  schema: Json | undefined,
): ReadonlyMap<string, "lost" | "changed"> {
  return new Map(
    changesBetween(before, after, schema).flatMap(({ sort, path }) => {
      const outcome = outcomes[sort];
      return outcome === undefined ? [] : [[placeText(schema, path), outcome] as const];
    }),
  );
}

/** Values that appear, zero values and reprinted ones are no loss. */
const outcomes: Readonly<Partial<Record<string, "lost" | "changed">>> = {
  lost: "lost",
  moved: "lost",
  became: "changed",
  order: "changed",
};

function wholeOf(
  sent: JsonObject,
  apiVersion: string,
  { content, labels, annotations }: Converted,
): JsonObject {
  const metadata = { ...(isObject(sent.metadata) ? sent.metadata : {}), labels, annotations };
  return { apiVersion, kind: sent.kind ?? null, metadata, ...content };
}

function nameOf(object: JsonObject): string {
  const [namespace, name] = [textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name")];
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** Objects of one review that are looked at, and of all reviews that wait for it. */
const mostSampled = 4;
const mostWaiting = 32;

/** Milliseconds from one object to the next: callers must not wait for what is done beside them. */
const spacing = 50;

/** Milliseconds after which the same state of an object is looked at again. */
const lookAgain = 600_000;

/** Milliseconds for the questions about one object. */
const patience = 5_000;

/** Fields that are counted by themselves, and objects that are named for each. */
const mostFields = 300;
const mostNames = 3;
