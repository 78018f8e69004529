import { placeBeyond } from "../json/depth.ts";
import { mostDepth } from "../json/document.ts";
import { isArray, isObject, type Json, textAt } from "../json/json.ts";
import { fieldOf, type Path } from "../json/path.ts";
import type { Answer } from "./answer.ts";
import { type Opened, open, seal } from "./envelope.ts";

/**
 * The answer to a review of a kind with an object that is nested too deeply: a Failure or a denial. Undefined if there is no
 * such object. Throws UnreadableReview if there is no envelope to answer in, or it is one of the other kind.
 */
export function answerTooDeep(
  review: Json,
  kind: "ConversionReview" | "AdmissionReview",
): Answer | undefined {
  return kind === "ConversionReview" ? failureOfDepth(open(review, kind)) : denialOfDepth(open(review, kind));
}

function failureOfDepth(opened: Opened): Answer | undefined {
  const { objects } = opened.request;
  if (!isArray(objects)) return undefined;
  for (const [index, object] of objects.entries()) {
    const place = placeBeyond(object, mostDepth);
    if (place === undefined) continue;
    const message = `objects[${index}]: ${tooDeepSentence(place)}`;
    const unknown = { kind: "other", from: "other", to: "other", objects: objects.length };
    return {
      review: seal(opened, { result: { status: "Failure", message }, convertedObjects: [] }),
      report: { review: "conversion", uid: opened.uid, ...unknown, outcome: "failure", message },
    };
  }
  return undefined;
}

function denialOfDepth(opened: Opened): Answer | undefined {
  const { request, uid } = opened;
  for (const key of ["object", "oldObject"]) {
    const object = request[key];
    const place = isObject(object) ? placeBeyond(object, mostDepth) : undefined;
    if (place === undefined) continue;
    const message = `request.${key}: ${tooDeepSentence(place)}`;
    const [namespace, name] = [textAt(request, "namespace"), textAt(request, "name")];
    const status = { status: "Failure", message, reason: "Invalid", code: 422 };
    return {
      review: seal(opened, { allowed: false, status }),
      report: {
        ...{ review: "admission", uid, kind: "other", namespace, name, operation: "other" },
        ...{ outcome: "deny", message },
      },
    };
  }
  return undefined;
}

/** The message for an object that is nested too deeply, with the beginning of the path: all of its steps help no reader. */
function tooDeepSentence(place: Path): string {
  const field = fieldOf(place.slice(0, 12)).slice(0, 100);
  return `${field}… is nested more than ${mostDepth} levels deep, which is the limit; make it flatter`;
}
