import { describe, expect, it } from "vitest";
import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { type Injection, inject } from "../../../webhooks/core/pod/inject.ts";
import { creation } from "../../webhooks/pod/listers.ts";
import { brokenRecords } from "./broken.ts";
import { type GoldenCase, goldenCases, normal } from "./cases.ts";
import { differenceOf, recordedPod, updateRejection, withAnnotation } from "./differences-inject.ts";

const cases = goldenCases("inject").map((each) => [each.name, each] as const);

describe("the injector answers as OpenKruise does", () => {
  it.each(cases)("%s", (_name, golden) => {
    expect(disagreement(golden, answersTo(golden))).toBeUndefined();
  });

  it.each(cases)("%s: no other record would pass", (_name, golden) => {
    const answers = answersTo(golden);
    const passing = [...brokenRecords(golden.output)].filter(
      ({ output }) => disagreement({ ...golden, output }, answers) === undefined,
    );
    expect(passing.map(({ change }) => change)).toEqual([]);
  });
});

/** Our answers: one, or one for each of several random numbers where OpenKruise draws. */
interface Answers {
  readonly given: readonly Injection[];
  /** What the record must be: our answers to the case as OpenKruise reads it. */
  readonly recorded: readonly Recorded[];
}

/** An answer in the members of a record. */
type Recorded =
  | { readonly outcome: "denied"; readonly messages: readonly string[] }
  | { readonly outcome: "allowed"; readonly pod: Json | undefined };

function answersTo(golden: GoldenCase): Answers {
  const { input, unstable } = golden;
  const draws = unstable ? [0, 0.25, 0.5, 0.999] : [0.5];
  const given = draws.map((draw) => answerTo(input, draw));
  if (input.operation === "UPDATE") return { given, recorded: [recordedUpdate(input)] };
  const difference = differenceOf(input);
  if (difference === undefined) return { given, recorded: given.map((each) => recordedOf(each, input)) };
  const read = difference.asOpenKruise(input);
  return { given, recorded: draws.map((draw) => recordedOf(answerTo(read, draw), input)) };
}

function recordedUpdate(input: JsonObject): Recorded {
  const rejection = updateRejection(input);
  return rejection === undefined
    ? { outcome: "allowed", pod: undefined }
    : { outcome: "denied", messages: [`: ${rejection}`] };
}

function recordedOf(answer: Injection, input: JsonObject): Recorded {
  switch (answer.outcome) {
    case "allow":
      return { outcome: "allowed", pod: undefined };
    case "change":
      return {
        outcome: "allowed",
        pod: normal(recordedPod(withHidden(answer.object, input), input.pod ?? null)),
      };
    case "deny":
      return { outcome: "denied", messages: answer.causes.map(({ message }) => `: ${message}`) };
    case "wait":
      throw new Error(answer.reason);
  }
}

/** A pod with the annotation that was kept from the injector. */
function withHidden(pod: JsonObject, input: JsonObject): JsonObject {
  const key = differenceOf(input)?.hidden;
  const value = key && get(input.pod, "metadata", "annotations", key);
  return key === undefined ? pod : (withAnnotation(pod, key, value) as JsonObject);
}

/** How the answers differ from what the record asks for; undefined if they do not. */
function disagreement({ input, output }: GoldenCase, { given, recorded }: Answers): unknown {
  const difference = differenceOf(input);
  if (difference !== undefined && given.some(({ outcome }) => outcome !== difference.outcome)) return given;
  const records = (isArray(output.anyOf) ? output.anyOf : [output]).map((each) =>
    isObject(each) ? each : {},
  );
  const unexpected = recorded.find((answer) => !records.some((record) => agrees(answer, record)));
  if (unexpected !== undefined) return unexpected;
  return records.find((record) => !recorded.some((answer) => agrees(answer, record)));
}

function agrees(answer: Recorded, record: JsonObject): boolean {
  const { allowed, code, changed, pod, message } = record;
  if (answer.outcome === "denied") {
    const isRecord = allowed === false && code === 500 && changed === false && pod === undefined;
    return isRecord && answer.messages.some((each) => isSentence(each, String(message)));
  }
  if (allowed !== true || code !== 200 || message !== undefined) return false;
  if (answer.pod === undefined) return changed === false && pod === undefined;
  return changed === true && pod !== undefined && equal(answer.pod, normal(pod));
}

// Where OpenKruise goes on in the words of Go's JSON decoder, we say what would do.
const decoderWords =
  /^unmarshal failed: (?:invalid character '.' in literal null \(expecting 'u'\)|json: cannot unmarshal object into Go value of type string)$/;

const recordedBy = "OpenKruise's controller records revisions, in namespace kruise-system";

/** Whether one of our messages ends with OpenKruise's sentence. */
function isSentence(message: string, recorded: string): boolean {
  const at = recorded.indexOf("unmarshal failed:");
  if (at < 0) return message.endsWith(`: ${recorded}`) || message.endsWith(`: ${recorded}: ${recordedBy}`);
  return message.includes(`: ${recorded.slice(0, at)}`) && decoderWords.test(recorded.slice(at));
}

function answerTo(input: JsonObject, draw: number): Injection {
  const { pod, operation, subResource, namespace, now, featureGates } = input;
  const circumstances = {
    operation: String(operation),
    subresource: typeof subResource === "string" ? subResource : "",
    namespace: typeof namespace === "string" ? namespace : "",
    now: new Date(String(now)),
    random: () => draw,
    gates: gatesOf(featureGates),
  };
  const { sidecarSets, namespaces, controllerRevisions } = input;
  const object: JsonObject = isObject(pod) ? pod : {};
  return inject(object, creation({ sidecarSets, namespaces, controllerRevisions, circumstances }));
}

function gatesOf(gates: Json | undefined): Readonly<Record<string, boolean>> {
  const names = isArray(gates)
    ? gates
    : Object.entries(gates ?? {}).flatMap(([key, on]) => (on ? [key] : []));
  return Object.fromEntries(names.map((name) => [String(name), true]));
}
