import { describe, expect, it } from "vitest";
import { detach } from "../../../src/conversion/carriers.ts";
import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { wholeReview } from "../../../src/review/answer.ts";
import { answerConversion } from "../../../src/review/conversion.ts";
import { brokenRecords } from "./broken.ts";
import { type GoldenCase, goldenCases, normalObject } from "./cases.ts";
import { isDecodeError, isUnreadable, knownPart } from "./differences.ts";

const kinds = await loadKinds(["webhooks"]);
const cases = goldenCases("convert").map((each) => [each.name, each] as const);

/*
 * What agreeing means. Our answer carries what the other version cannot say in an annotation and a field of status that
 * are the engine's own: without them it is OpenKruise's answer, but for members that its Go types do not know, which
 * it loses and we keep. Where OpenKruise loses what it knows (a namespaceSelector beside a namespace, an empty version
 * label), both show the same, and only ours comes back.
 */
describe("conversion of SidecarSets is OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    expect(disagreement(golden, answerTo(golden))).toBeUndefined();
  });

  it.each(cases)("%s: no other record would pass", (_name, golden) => {
    const answer = answerTo(golden);
    const passing = [...brokenRecords(golden.output)].filter(
      ({ output }) => disagreement({ ...golden, output }, answer) === undefined,
    );
    expect(passing.map(({ change }) => change)).toEqual([]);
  });

  it.each(cases)("%s comes back whole", (_name, golden) => {
    const { object, status } = converted(golden, golden.input.desiredAPIVersion);
    if (status !== "Success") return;
    const { input } = golden;
    const back = converted({ input: { ...input, object } }, get(input, "object", "apiVersion"));
    expect(detach(back.object).object).toEqual(input.object);
  });
});

interface Answer {
  readonly status: Json | undefined;
  readonly object: JsonObject;
}

/** An answer with what is compared of it, and the record that OpenKruise must have if it does not convert the object. */
interface Answered extends Answer {
  readonly shown: Json;
  readonly exception: Exception | undefined;
}

function answerTo(golden: GoldenCase): Answered {
  const answer = converted(golden, golden.input.desiredAPIVersion);
  const shown = normalObject(knownPart(detach(answer.object).object));
  return { ...answer, shown, exception: exceptionOf(golden.input) };
}

/** How the answer differs from what the record asks for; undefined if it does not. */
function disagreement({ output }: GoldenCase, { status, object, shown, exception }: Answered): unknown {
  if (exception !== undefined) {
    const isRecord =
      output.status === "Failure" && output.object === undefined && exception.isMessage(output.message);
    return isRecord && status === exception.ours ? undefined : { status, object };
  }
  const isRecord = output.status === "Success" && output.message === undefined && isObject(output.object);
  return isRecord && status === "Success" && equal(shown, normalObject(output.object as JsonObject))
    ? undefined
    : { status, object };
}

interface Exception {
  readonly ours: "Success" | "Failure";
  readonly isMessage: (message: Json | undefined) => boolean;
}

/** A conversion that OpenKruise refuses, with its message and with our answer. */
function exceptionOf({ desiredAPIVersion, object = null }: JsonObject): Exception | undefined {
  const desired = String(desiredAPIVersion);
  if (!/^apps\.kruise\.io\/v1(?:alpha1|beta1)$/.test(desired)) {
    const words = `no kind "SidecarSet" is registered for version "${desired}" in scheme "pkg/runtime/scheme.go:100"`;
    return { ours: "Failure", isMessage: (message) => message === words };
  }
  // The API server never asks for this; the answer is the object as it is.
  if (desired === get(object, "apiVersion")) {
    const words = `conversion is not allowed between same type *${desired.split("/")[1]}.SidecarSet`;
    return { ours: "Success", isMessage: (message) => message === words };
  }
  // A list must not fail for one object that cannot be decoded; no schema admits such an object.
  return isUnreadable(object as JsonObject) ? { ours: "Success", isMessage: isDecodeError } : undefined;
}

function converted({ input }: Pick<GoldenCase, "input">, desiredAPIVersion: unknown): Answer {
  const request = { uid: "golden", desiredAPIVersion, objects: [input.object] };
  const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request } as JsonObject;
  const { response } = wholeReview(answerConversion(review, kinds));
  const objects = get(response, "convertedObjects");
  return {
    status: get(response, "result", "status"),
    object: (isArray(objects) ? (objects[0] ?? {}) : {}) as JsonObject,
  };
}
