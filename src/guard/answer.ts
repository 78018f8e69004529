import { get, isObject, type JsonObject, own } from "../json/json.ts";
import { faultOfConverted } from "../review/selfcheck.ts";

/** What the upstream made of one object. */
export type Answer = Converted | Refused;

/** What it shows of the object at the other version. */
export interface Converted {
  readonly state: "converted";
  /** Without apiVersion, kind and metadata. */
  readonly content: JsonObject;
  /** Where zero values were left out of the content. */
  readonly printed?: Printed;
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
}

/** An answer with the zero values of which is not known whether they say something. */
export interface Printed {
  /** The content as the upstream printed it, and the places of those zeros. */
  readonly content: JsonObject;
  readonly zeros: readonly string[];
}

/** Why it has no answer that could be used: its own words, or what is wrong with its answer. */
interface Refused {
  readonly state: "refused";
  readonly sentence: string;
}

/** Reads the answer for one object, as an API server would. It may have any number of annotations, since few are shown. */
export function answerFor(sent: JsonObject, answer: unknown, desired: string): Answer {
  if (!isObject(answer)) return refused("a converted object is not an object");
  const fault = faultOfConverted(sent, answer, desired, Number.POSITIVE_INFINITY);
  if (fault !== undefined) return refused(`${fault}, which an API server rejects`);
  const { apiVersion: _, kind: __, metadata, ...content } = answer;
  return {
    state: "converted",
    content,
    labels: objectAt(metadata, "labels"),
    annotations: objectAt(metadata, "annotations"),
  };
}

/** An object that was not converted. */
export function refused(sentence: string): Refused {
  return { state: "refused", sentence: sentence.slice(0, mostWords) };
}

/** Characters of the upstream's words that are kept, logged and shown. */
const mostWords = 500;

function objectAt(metadata: JsonObject[string] | undefined, name: string): JsonObject {
  const found = own(metadata, name);
  return isObject(found) ? found : {};
}

/** What an API server finds wrong with an answer before it reads the objects (getConvertedObjectsFromResponse). */
export function faultOfEnvelope(body: unknown, apiVersion: string, uid: string): string | undefined {
  if (!isObject(body)) return "the answer is not a JSON object";
  const expected = { kind: "ConversionReview", apiVersion };
  for (const [name, value] of Object.entries(expected))
    if (body[name] !== value) return `the answer's ${name} is not ${value}`;
  return get(body, "response", "uid") === uid ? undefined : "the answer's uid is not that of the request";
}
