import { readFileSync } from "node:fs";
import { pino } from "pino";
import type { Ask } from "../../src/checks/index.ts";
import type { WebhookClient } from "../../src/cluster/api/webhook-client.ts";
import { AnswerCache } from "../../src/guard/answer-cache.ts";
import { Guard } from "../../src/guard/guard.ts";
import { type GuardedOptions, guardedKindOf } from "../../src/guard/guarded-kind.ts";
import { Upstream } from "../../src/guard/upstream.ts";
import { parseJson } from "../../src/json/exact.ts";
import { get, isObject, type Json, type JsonObject, listAt, set, textAt } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { kindsOf } from "../../src/kind/load-kinds.ts";
import { handlersOf } from "../../src/offline/review-context.ts";
import { writeAnswer } from "../../src/review/answer.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

const [document] = readYaml(readFileSync("test/checks/webhook/widget.yaml", "utf8"));

/** The CRD of Widgets: objects are stored as v2, and some from before as v1. */
export const widgets = withStored(isObject(document?.value) ? document.value : {});

/** A CRD whose objects may be stored in these versions, in all by default. */
export function withStored(crd: JsonObject, versions?: readonly string[]): JsonObject {
  const all = listAt(crd, "spec", "versions").map((each) => textAt(each, "name"));
  return set(crd, "status", { storedVersions: versions ?? all });
}

/** How a guard is made. */
interface Making extends Partial<Omit<GuardedOptions, "upstream">> {
  readonly crd?: JsonObject;
  /** Bytes; none by default, so that what is asked shows in the counts. */
  readonly cache?: number;
  /** What keeps answers, in place of so many bytes. */
  readonly answers?: AnswerCache;
  readonly clock?: () => number;
}

/** A guard in front of a webhook, in this process. */
export interface Guarded {
  /** As an API server asks it. */
  readonly ask: Ask;
  /** The converted objects, or the message of the failure. */
  readonly convert: (
    objects: readonly JsonObject[],
    to: string,
    call?: Partial<Call>,
  ) => Promise<readonly Json[] | string>;
  readonly mutate: (request: JsonObject) => Promise<JsonObject>;
  readonly validate: (request: JsonObject) => Promise<JsonObject>;
  readonly log: readonly JsonObject[];
  readonly guard: Guard;
  readonly kinds: readonly Kind[];
  readonly upstream: Upstream;
  /** The objects of each request to the webhook. */
  readonly asked: readonly (readonly Json[])[];
}

interface Call {
  readonly caller: string;
  readonly milliseconds: number;
}

const whole: Call = { caller: "api-server", milliseconds: 10_000 };

/** Puts a guard in front of a webhook, which is a function or a client of a real one. */
export function guarded(webhook: Ask | WebhookClient, making: Making = {}): Guarded {
  const {
    crd = widgets,
    cache = 0,
    clock = () => performance.now(),
    answers = new AnswerCache(cache, clock),
    refused = "schema",
    carried = [],
    sameFields = false,
    ...chosen
  } = making;
  const log: JsonObject[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void log.push(JSON.parse(line)) });
  const asked: (readonly Json[])[] = [];
  const inner = typeof webhook === "function" ? { post: webhook, close: () => {} } : webhook;
  const client: WebhookClient = {
    ...inner,
    post: (review, timeout) => {
      asked.push(listAt(parseJson(review), "request", "objects"));
      return inner.post(review, timeout);
    },
  };
  const upstream = new Upstream({ url: "https://upstream/convert", client, reviews: "v1", clock });
  const kinds = [
    guardedKindOf(crd, "widget.yaml", {
      upstream,
      refused,
      carried,
      sameFields,
      ...chosen,
    }),
  ];
  const guard = new Guard({ cache: answers, log: logger, clock });
  const all = kindsOf(kinds);
  const none = () => {
    throw new Error("there are no listers");
  };
  const io = { now: () => new Date(0), random: () => 0 };
  const handlers = guard.handlers(all, handlersOf(all, none, new Map(), io));
  const answer = async (name: "convert" | "mutate" | "validate", review: Json, call: Call) =>
    writeAnswer(await handlers[name](review, call)).join("");
  const admit = async (name: "mutate" | "validate", request: JsonObject) => {
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "u", ...request },
    };
    const response = get(parseJson(await answer(name, review, whole)), "response");
    return isObject(response) ? response : {};
  };
  return {
    log,
    guard,
    kinds,
    upstream,
    asked,
    ask: async (review) => ({
      state: "answered",
      status: 200,
      text: await answer("convert", parseJson(review), whole),
    }),
    convert: async (objects, desiredAPIVersion, call = {}) => {
      const review = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        request: { uid: "u", desiredAPIVersion, objects },
      };
      const read = parseJson(await answer("convert", review, { ...whole, ...call }));
      const message = get(read, "response", "result", "message");
      return typeof message === "string" ? message : listAt(read, "response", "convertedObjects");
    },
    mutate: (request) => admit("mutate", request),
    validate: (request) => admit("validate", request),
  };
}

/** A Widget. */
export function widget(version: "v1" | "v2", spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: `example.com/${version}`,
    kind: "Widget",
    metadata: { name: "a", namespace: "default", ...more },
    spec: { image: "a", ...spec },
  };
}

/** An object without the annotations of the engine. */
export function bare(object: Json | undefined): JsonObject {
  if (!isObject(object)) throw new Error(`no object: ${JSON.stringify(object)}`);
  const annotations = Object.entries(get(object, "metadata", "annotations") ?? {}).filter(
    ([name]) => !name.startsWith("antechamber.dev/"),
  );
  const kept = annotations.length === 0 ? undefined : (Object.fromEntries(annotations) as JsonObject);
  return set(object, "metadata", "annotations", kept);
}
