import { groupVersionOf } from "../apimachinery/resource.ts";
import type { SerializedObject } from "../conversion/carriers.ts";
import { convertSerialized } from "../conversion/convert.ts";
import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Kind, type Kinds, versionIndex } from "../kind/kind.ts";
import type { Answer, ConversionReport } from "./answer.ts";
import { open, seal, show } from "./envelope.ts";
import { faultOfConverted } from "./selfcheck.ts";
import { sentenceOf } from "./text.ts";

/**
 * Answers a ConversionReview: `Success` with every object at the index that it had, or `Failure` with a message, which the
 * API server shows to its client (apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go).
 */
export function answerConversion(review: Json, kinds: Kinds, convert: Convert = convertSerialized): Answer {
  const opened = open(review, "ConversionReview");
  const { desiredAPIVersion: desired, objects } = opened.request;
  const scope = new ScopeTally();
  const converted: SerializedObject[] = [];
  let message = faultOfRequest(desired, objects);
  const isUnderstood = message === undefined;
  for (const [index, object] of (isUnderstood && isArray(objects) ? objects : []).entries()) {
    const kind = isObject(object) ? kindOf(object, kinds) : undefined;
    scope.add(object, kind);
    // After an object that cannot be converted the others are only counted.
    if (message !== undefined) continue;
    const result = convertOne(object, String(desired), kind, convert);
    if ("sentence" in result) message = `objects[${index}]: ${result.sentence}`;
    else converted.push(result);
  }
  const report = { review: "conversion" as const, uid: opened.uid, ...scope.summary(desired) };
  return message === undefined
    ? {
        review: seal(opened, { result: { status: "Success" }, convertedObjects: [] }),
        objects: converted,
        report: { ...report, outcome: "success" },
      }
    : {
        review: seal(opened, { result: { status: "Failure", message }, convertedObjects: [] }),
        report: { ...report, outcome: "failure", message },
      };
}

/** Converts an object. Benchmarks pass in a plain conversion to compare with. */
type Convert = typeof convertSerialized;

function faultOfRequest(desired: Json | undefined, objects: Json | undefined): string | undefined {
  if (typeof desired !== "string") return "request.desiredAPIVersion is missing";
  return isArray(objects) ? undefined : "request.objects is not a list";
}

function convertOne(
  object: Json,
  desired: string,
  kind: Kind | undefined,
  convert: Convert,
): SerializedObject | { sentence: string } {
  if (!isObject(object)) return { sentence: `${show(object)} is not an object` };
  if (object.apiVersion === desired) return { object, carrierText: undefined };
  if (kind === undefined) {
    return { sentence: `kind ${show(object.kind)} of ${show(object.apiVersion)} is not served here` };
  }
  const [from, to] = [versionIndex(kind, object.apiVersion), versionIndex(kind, desired)];
  if (from === undefined) return { sentence: `${kind.name} has no version ${show(object.apiVersion)}` };
  if (to === undefined) return { sentence: `${kind.name} has no version ${show(desired)}` };
  try {
    const converted = convert(object, kind.chain, from, to);
    const fault = faultOfConverted(object, converted.object, desired);
    return fault === undefined ? converted : { sentence: fault };
  } catch (error) {
    // A lens that throws still gets a response with the uid.
    return {
      sentence: `${kind.name} cannot be converted: ${sentenceOf(error)}`,
    };
  }
}

function kindOf(object: JsonObject, kinds: Kinds): Kind | undefined {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  return kinds.find(groupVersionOf(apiVersion).group, kind);
}

type Scope = Pick<ConversionReport, "kind" | "from" | "to" | "objects">;

/** Collects labels for metrics: only names of kinds and versions that are served, so that no client can make up series. */
class ScopeTally {
  #objects = 0;
  #kind: Kind | undefined;
  #hasKind = false;
  #source: Json | undefined;
  #isMixed = false;

  add(object: Json, kind: Kind | undefined): void {
    const source = isObject(object) ? object.apiVersion : undefined;
    if (this.#objects++ === 0) this.#source = source;
    else if (source !== this.#source) this.#isMixed = true;
    if (this.#hasKind || !isObject(object)) return;
    this.#hasKind = true;
    this.#kind = kind;
  }

  summary(desired: Json | undefined): Scope {
    const kind = this.#kind;
    if (kind === undefined) return { kind: "other", from: "other", to: "other", objects: this.#objects };
    return {
      kind: kind.name,
      from: this.#isMixed ? "mixed" : versionName(kind, this.#source),
      to: versionName(kind, desired),
      objects: this.#objects,
    };
  }
}

function versionName(kind: Kind, apiVersion: Json | undefined): string {
  return kind.versions.find((each) => each.apiVersion === apiVersion)?.name ?? "other";
}
