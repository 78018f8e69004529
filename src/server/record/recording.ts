import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { Answer } from "../../review/answer.ts";
import { type Recording, withoutSecrets } from "../../review/redaction.ts";

/** The contents of the files of a review and its answer. */
export interface Texts {
  readonly review: string;
  readonly answer: string;
}

/** A longer recording is too long to be an example. Carriers of objects of this size are compressed, too. */
const mostCharacters = 256 * 1024;

/** A review and its answer without secrets; undefined if that is too long, or not certain to be without them. */
export function textsOf(received: JsonObject, answered: JsonObject): Texts | undefined {
  const recording: Recording | undefined = withoutSecrets(received, answered);
  if (recording === undefined) return undefined;
  const { review, answer } = recording;
  const { apiVersion, kind, ...rest } = review;
  const described = { description: descriptionOf(review), kind, apiVersion, ...rest };
  const texts = {
    review: `${JSON.stringify(described, null, 2)}\n`,
    answer: `${JSON.stringify(answer, null, 2)}\n`,
  };
  return texts.review.length > mostCharacters || texts.answer.length > mostCharacters ? undefined : texts;
}

/** The name of a recording after its number: `room-v1beta1-v1`, `light-v1-update-status`. */
export function nameOf(review: JsonObject, { report }: Answer): string {
  const kind = report.kind.split(".", 1)[0] ?? "";
  const parts =
    report.review === "conversion"
      ? [kind, report.from, report.to]
      : [
          kind,
          get(review, "request", "kind", "version"),
          report.operation,
          ...[get(review, "request", "subResource")].filter((part) => part !== undefined && part !== ""),
        ];
  return parts.map(fileWord).join("-");
}

function fileWord(part: Json | undefined): string {
  const word = typeof part === "string" ? part.toLowerCase().replaceAll(/[^a-z0-9]/g, "") : "";
  return word === "" ? "other" : word.slice(0, 40);
}

/** Describes the object of a review. The keys of its metadata show at which step of a request the API server sent it. */
function descriptionOf({ request }: JsonObject): string {
  const objects = get(request, "objects");
  if (isArray(objects)) {
    const shown = objects.length === 1 ? shapeOf(objects[0]) : `${objects.length} objects`;
    return `recorded: to ${words(get(request, "desiredAPIVersion"))}: ${shown}`;
  }
  const subresource = get(request, "subResource");
  const place = typeof subresource === "string" && subresource !== "" ? ` of ${words(subresource)}` : "";
  return `recorded: ${words(get(request, "operation"))}${place}: ${shapeOf(get(request, "object"))}`;
}

function shapeOf(object: Json | undefined): string {
  if (!isObject(object)) return "no object";
  const { apiVersion, kind, metadata, ...rest } = object;
  const keys = isObject(metadata) ? Object.keys(metadata).sort().join(", ") : "none";
  const fields = Object.entries(rest).map(([key, value]) => (value === null ? `null ${key}` : key));
  const described = fields.length > 0 ? `, and ${fields.sort().join(", ")}` : ", and nothing else";
  return words(`${words(kind)} ${words(apiVersion)} with metadata ${keys}${described}`);
}

function words(value: Json | undefined): string {
  return typeof value === "string" ? value.slice(0, 300) : "?";
}
