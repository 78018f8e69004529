import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { WebhookReply } from "../../src/cluster/api/webhook-client.ts";
import type { Converter } from "../../src/conversion/lens.ts";
import { equal } from "../../src/json/equal.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, listAt, set } from "../../src/json/json.ts";
import type { Version } from "../../src/kind/kind.ts";
import type { Schema } from "../../src/schema/model/schema.ts";

// What the judge of guarded kinds knows of their conversion: what the webhook alone answers. It shares nothing with the guard, and
// waits for each answer, so that all that judges by a lens can judge by it.

/** What is asked of a version. */
type AskedVersion = Pick<Version, "apiVersion" | "schema">;

/** What a webhook of another project makes of content, asked anew by the judge. */
export class AskedLens implements Converter {
  readonly mapped = { labels: [], annotations: [] };
  readonly #kind: string;
  readonly #versions: readonly AskedVersion[];
  readonly #asker: Asker;
  readonly #answers = new Map<string, JsonObject | undefined>();

  constructor(kind: string, versions: readonly AskedVersion[], asker: Asker) {
    this.#kind = kind;
    this.#versions = versions;
    this.#asker = asker;
  }

  /** Without the zeros that Go prints; what the webhook refuses or empties is shown by the schemas, as docs/guides/guard.md says. */
  readonly image = (content: JsonObject, from: number, to: number): JsonObject => {
    const printed = this.#answerTo(content, from, to);
    return printed === undefined ? content : withoutZeros(printed, content, this.#schemaOf(to));
  };

  /** The same with the zeros that are printed and that a reader sees: they count as neither lost nor gained. */
  readonly imageBeside = (content: JsonObject, from: number, to: number, seen: JsonObject): JsonObject => {
    const printed = this.#answerTo(content, from, to);
    return printed === undefined
      ? content
      : withSeen(withoutZeros(printed, content, this.#schemaOf(to)), printed, seen);
  };

  #schemaOf(version: number): Schema | undefined {
    return this.#versions[version]?.schema.model;
  }

  /** Whether the webhook converts it. */
  converts(content: JsonObject, from: number, to: number): boolean {
    return this.#answerTo(content, from, to) !== undefined;
  }

  #answerTo(content: JsonObject, from: number, to: number): JsonObject | undefined {
    const [source, target] = [this.#versions[from]?.apiVersion ?? "", this.#versions[to]?.apiVersion ?? ""];
    const { metadata: _, ...said } = content;
    const object = { apiVersion: source, kind: this.#kind, metadata, ...said };
    const request = { uid: "judge", desiredAPIVersion: target, objects: [object] };
    const review = writeJson({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
    if (!this.#answers.has(review)) {
      if (this.#answers.size >= mostAnswers) this.#answers.clear();
      const answer = contentIn(this.#asker.ask(review), target);
      const isEmptied =
        answer !== undefined &&
        !says(withoutZeros(answer, said, this.#schemaOf(to))) &&
        says(declared(declared(said, this.#schemaOf(from)), this.#schemaOf(to)));
      this.#answers.set(review, isEmptied ? undefined : answer);
    }
    return this.#answers.get(review);
  }
}

const metadata = { name: "one", namespace: "soak" };

const mostAnswers = 5_000;

function contentIn(reply: WebhookReply, desired: string): JsonObject | undefined {
  // A panic closes the connection; a webhook that is gone says nothing of it.
  if (reply.state === "closed") return undefined;
  if (reply.state !== "answered") throw new Error(`the webhook does not answer: ${reply.sentence}`);
  const [answer] = listAt(parseJson(reply.text), "response", "convertedObjects");
  if (!isObject(answer) || answer.apiVersion !== desired) return undefined;
  const { apiVersion: _, kind: __, metadata: ___, ...content } = answer;
  return content;
}

/**
 * What Go prints of fields that were never set says nothing, unless the source says it in its place. Entries of maps are not
 * printed unless they were set.
 */
function withoutZeros(answer: JsonObject, source: JsonObject, schema: Schema | undefined): JsonObject {
  const content = cleaned(answer, source, schema);
  const { status } = content;
  // A controller that has not reported anything has not reported `ready: false`.
  return source.status === undefined && status !== undefined && !says(status)
    ? set(content, "status", undefined)
    : content;
}

function cleaned(answer: JsonObject, source: Json | undefined, schema: Schema | undefined): JsonObject {
  const parts = Object.entries(answer).map(([name, value]) => {
    const said = get(source, name);
    const field = schema?.properties.get(name);
    const isEntry = field === undefined && schema?.additional !== undefined;
    return [name, cleanedValue(value, said, field ?? schema?.additional), said, isEntry] as const;
  });
  const kept = parts.filter(
    ([, value, said, isEntry]) => isEntry || !isZero(value) || (isZero(said) && equal(value, said)),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value]));
}

function cleanedValue(value: Json, said: Json | undefined, schema: Schema | undefined): Json {
  if (isArray(value))
    return value.map((item, at) => cleanedValue(item, isArray(said) ? said[at] : undefined, schema?.items));
  return isObject(value) ? cleaned(value, said, schema) : value;
}

/**
 * What the webhook must know of content: not what is in open objects within others, such as a template of pods. A spec that is open
 * as a whole is all that there is.
 */
function declared(content: JsonObject, schema: Schema | undefined, isRoot = true): JsonObject {
  const known = Object.entries(content).flatMap(([name, value]): (readonly [string, Json])[] => {
    const field = schema?.properties.get(name);
    if (field === undefined) return [];
    if (!isObject(value)) return [[name, value]];
    if (field.properties.size > 0) return [[name, declared(value, field, false)]];
    return field.preserved === true && !isRoot ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}

function isZero(value: Json | undefined): boolean {
  return (
    value === null || value === "" || value === 0 || (isObject(value) && Object.keys(value).length === 0)
  );
}

function says(value: Json): boolean {
  if (isArray(value)) return value.length > 0;
  if (typeof value !== "object" || value === null) return !isZero(value) && value !== false;
  return Object.values(value).some(says);
}

/** Content with what is in its place as printed, and as seen. */
function withSeen(content: JsonObject, printed: JsonObject, seen: Json | undefined): JsonObject {
  const added = Object.entries(printed).flatMap(([name, value]) => {
    const [here, there] = [get(content, name), get(seen, name)];
    if (here === undefined)
      return equal(value, there)
        ? [[name, value] as const]
        : isObject(value) && isObject(there)
          ? [[name, withSeen({}, value, there)] as const]
          : [];
    return [[name, withSeenIn(here, value, there)] as const];
  });
  return { ...content, ...Object.fromEntries(added) };
}

function withSeenIn(here: Json, printed: Json, seen: Json | undefined): Json {
  if (isArray(here) && isArray(printed))
    return here.map((item, at) =>
      withSeenIn(item, printed[at] ?? null, isArray(seen) ? seen[at] : undefined),
    );
  return isObject(here) && isObject(printed) ? withSeen(here, printed, seen) : here;
}

/** Asks a webhook, and waits. */
export interface Asker {
  readonly ask: (review: string) => WebhookReply;
  readonly stop: () => Promise<unknown>;
}

/** Starts what asks a webhook, in a thread of its own. */
export function startAsker({ url, ca }: { readonly url: string; readonly ca: string }): Asker {
  const { port1, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const workerData: AskerData = { url, ca, flag, port: port2 };
  const worker = new Worker(new URL("./asker-thread.ts", import.meta.url), {
    workerData,
    transferList: [port2],
  });
  return {
    ask: (review) => {
      Atomics.store(flag, 0, 0);
      port1.postMessage(review);
      // The thread may wake this for the answer before, which was taken already.
      while (Atomics.load(flag, 0) === 0)
        if (Atomics.wait(flag, 0, 0, 60_000) === "timed-out") throw new Error("the webhook took a minute");
      return receiveMessageOnPort(port1)?.message as WebhookReply;
    },
    stop: () => worker.terminate(),
  };
}

/** What the thread of an asker gets. */
export interface AskerData {
  readonly url: string;
  readonly ca: string;
  /** Set to one when the answer is there. */
  readonly flag: Int32Array;
  readonly port: MessagePort;
}
