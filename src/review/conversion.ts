import { convert } from "../conversion/convert.ts";
import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Kind, type Kinds, versionIndex } from "../kind.ts";
import { apiVersionOf, groupVersionOf } from "../resource.ts";
import type { Answer, ConversionReport } from "./answer.ts";
import { type Opened, open, seal, show } from "./envelope.ts";
import { faultOfConverted } from "./selfcheck.ts";
import { sentenceOf } from "./text.ts";

/** Answers a ConversionReview: `Success` with every object in its place, or `Failure` with a sentence (kubernetes.md 1.2). */
export function answerConversion(review: Json, kinds: Kinds): Answer {
  const opened = open(review, "ConversionReview");
  const { desiredAPIVersion: desired, objects } = opened.request;
  if (typeof desired !== "string") return failure(opened, unknown, "request.desiredAPIVersion is missing");
  if (!isArray(objects)) return failure(opened, unknown, "request.objects is no list");
  const scope = scopeOf(objects, desired, kinds);
  const converted: JsonObject[] = [];
  for (const [index, object] of objects.entries()) {
    const result = convertOne(object, desired, kinds);
    if ("sentence" in result) return failure(opened, scope, `objects[${index}]: ${result.sentence}`);
    converted.push(result.object);
  }
  return {
    review: seal(opened, { result: { status: "Success" }, convertedObjects: converted }),
    report: { review: "conversion", uid: opened.uid, ...scope, outcome: "success" },
  };
}

type Scope = Pick<ConversionReport, "kind" | "from" | "to" | "objects">;

const unknown: Scope = { kind: "other", from: "other", to: "other", objects: 0 };

function convertOne(
  object: Json,
  desired: string,
  kinds: Kinds,
): { object: JsonObject } | { sentence: string } {
  if (!isObject(object)) return { sentence: `${show(object)} is no object` };
  if (object.apiVersion === desired) return { object };
  const kind = kindOf(object, kinds);
  if (kind === undefined) {
    return { sentence: `kind ${show(object.kind)} of ${show(object.apiVersion)} is not served here` };
  }
  const [from, to] = [versionIndex(kind, object.apiVersion), versionIndex(kind, desired)];
  if (from === undefined) return { sentence: `${kind.name} has no version ${show(object.apiVersion)}` };
  if (to === undefined) return { sentence: `${kind.name} has no version ${show(desired)}` };
  try {
    const converted = convert(object, kind.ladder, from, to);
    const fault = faultOfConverted(object, converted, desired);
    return fault === undefined ? { object: converted } : { sentence: fault };
  } catch (error) {
    // A lens that throws, or an object nested deeper than the stack: still an answer, with the uid.
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

/** What metrics are told: only names of kinds and versions that are served, so that nobody can make up series. */
function scopeOf(objects: readonly Json[], desired: string, kinds: Kinds): Scope {
  const first = objects.find(isObject);
  const kind = first === undefined ? undefined : kindOf(first, kinds);
  if (kind === undefined) return { ...unknown, objects: objects.length };
  const sources = new Set(objects.map((object) => (isObject(object) ? object.apiVersion : undefined)));
  const [source] = sources;
  return {
    kind: kind.name,
    from: sources.size > 1 ? "mixed" : versionName(kind, source),
    to: versionName(kind, desired),
    objects: objects.length,
  };
}

function versionName(kind: Kind, apiVersion: Json | undefined): string {
  const version = kind.versions.find(({ name }) => apiVersionOf(kind.definition.group, name) === apiVersion);
  return version?.name ?? "other";
}

function failure(opened: Opened, scope: Scope, message: string): Answer {
  return {
    review: seal(opened, { result: { status: "Failure", message }, convertedObjects: [] }),
    report: { review: "conversion", uid: opened.uid, ...scope, outcome: "failure", message },
  };
}
