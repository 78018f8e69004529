import { annotationLimit } from "../../apimachinery/limits.ts";
import { faultsOfLabelValue, faultsOfQualifiedName } from "../../apimachinery/names.ts";
import { equal } from "../../json/equal.ts";
import { jsonIn, writeJson } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import { fieldOf } from "../../json/path.ts";
import { counted } from "../../words.ts";
import type { Failure, Outcome, Reply } from "./ask.ts";

/** The versions of ConversionReview. */
export type ReviewVersion = "v1" | "v1beta1";

/** What is asked of a webhook at once. */
interface Question {
  readonly objects: readonly JsonObject[];
  /** `example.org/v1`. */
  readonly desired: string;
  readonly uid: string;
  readonly review: ReviewVersion;
}

/** A ConversionReview as an API server sends it. */
export function reviewOf({ objects, desired, uid, review }: Question): string {
  return writeJson({
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${review}`,
    request: { uid, desiredAPIVersion: desired, objects },
  });
}

/** What a reply says about each object, or about the review as a whole. */
export function outcomesOf(reply: Reply, question: Question): readonly Outcome[] | Outcome {
  if (reply.state !== "answered") return { state: "crashed", sentence: reply.sentence };
  const { status, text } = reply;
  if (status !== 200) return refused(`HTTP ${status}: ${text.trim().slice(0, 500)}`);
  const body = jsonIn(text);
  if (body === undefined) return refused(`the answer is not JSON: ${text.slice(0, 200)}`);
  const fault = faultOfEnvelope(body, question);
  if (fault !== undefined) return refused(fault);
  if (get(body, "response", "result", "status") !== "Success")
    return { ...refused(messageOf(body)), isDeliberate: true };
  const converted = get(body, "response", "convertedObjects");
  const objects = isArray(converted) ? converted : [];
  if (objects.length !== question.objects.length)
    return refused(
      `the answer has ${counted(objects.length, "object")} instead of ${question.objects.length}, which an API server rejects`,
    );
  return question.objects.map((sent, index) => outcomeOf(sent, objects[index], question.desired));
}

function refused(sentence: string): Failure & { readonly state: "refused" } {
  return { state: "refused", sentence };
}

/** What an API server finds wrong with an answer before it reads the objects (getConvertedObjectsFromResponse). */
function faultOfEnvelope(body: Json, { uid, review }: Question): string | undefined {
  const expected = { kind: "ConversionReview", apiVersion: `apiextensions.k8s.io/${review}` };
  for (const [name, value] of Object.entries(expected)) {
    if (get(body, name) !== value)
      return `the answer's ${name} is ${JSON.stringify(get(body, name))} instead of ${JSON.stringify(value)}`;
  }
  const response = get(body, "response");
  if (!isObject(response)) return "the answer has no response";
  if (response.uid !== uid)
    return `the answer's uid is ${JSON.stringify(response.uid)}, not that of the request`;
  return undefined;
}

function messageOf(body: Json): string {
  const message = get(body, "response", "result", "message");
  return typeof message === "string" && message !== ""
    ? message
    : "the result is not Success, without a message";
}

function outcomeOf(sent: JsonObject, answer: Json | undefined, desired: string): Outcome {
  if (!isObject(answer)) return refused("a converted object is not an object");
  const fault =
    faultOfIdentity(sent, answer, desired) ??
    faultOfMarks(sent, answer, "labels") ??
    faultOfMarks(sent, answer, "annotations");
  if (fault !== undefined) return refused(`${fault}; an API server rejects that`);
  return { state: "converted", answer, object: withMetadataOf(sent, answer) };
}

/** validateConvertedObject of apiextensions-apiserver (pkg/apiserver/conversion/webhook_converter.go). */
function faultOfIdentity(sent: JsonObject, answer: JsonObject, desired: string): string | undefined {
  if (answer.apiVersion !== desired)
    return `the converted object's apiVersion is ${JSON.stringify(answer.apiVersion)} instead of ${desired}`;
  if (answer.kind !== sent.kind) return `kind became ${JSON.stringify(answer.kind)}`;
  if (!isObject(answer.metadata)) return "the converted object has no metadata";
  for (const name of ["name", "namespace", "uid"]) {
    const [before, after] = [get(sent, "metadata", name) ?? "", get(answer, "metadata", name) ?? ""];
    if (before !== after)
      return `metadata.${name} became ${JSON.stringify(after)} instead of ${JSON.stringify(before)}`;
  }
  return undefined;
}

/** What an API server finds wrong with labels or annotations that differ from those it sent (restoreObjectMeta of the same file). */
function faultOfMarks(
  sent: JsonObject,
  answer: JsonObject,
  name: "labels" | "annotations",
): string | undefined {
  const [before, after] = [get(sent, "metadata", name), get(answer, "metadata", name)];
  if (after === undefined || after === null || equal(before, after)) return undefined;
  if (!isObject(after)) return `metadata.${name} became ${printed(after)}, not a map`;
  const isLabels = name === "labels";
  for (const [key, value] of Object.entries(after)) {
    const at = fieldOf(["metadata", name, key]);
    if (typeof value !== "string") return `${at} became ${printed(value)}, not a text`;
    const [fault] = faultsOfQualifiedName(isLabels ? key : key.toLowerCase());
    if (fault !== undefined) return `the key of ${at} is not valid: ${fault}`;
    const [ofValue] = isLabels ? faultsOfLabelValue(value) : [];
    if (ofValue !== undefined) return `${at} became ${printed(value)}: ${ofValue}`;
  }
  const bytes = isLabels
    ? 0
    : Object.entries(after).reduce((sum, [key, value]) => sum + sizeOf(key) + sizeOf(value), 0);
  return bytes > annotationLimit
    ? `metadata.annotations has ${bytes} bytes, more than the ${annotationLimit} that an object may have`
    : undefined;
}

function sizeOf(text: Json): number {
  return Buffer.byteLength(String(text));
}

/** A value in a sentence, cut where it is long. */
function printed(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

/**
 * The converted object with the metadata of the one sent, of which a webhook may change labels and annotations alone
 * (restoreObjectMeta of the same file).
 */
function withMetadataOf(sent: JsonObject, answer: JsonObject): JsonObject {
  const before = isObject(sent.metadata) ? sent.metadata : {};
  const metadata = ["labels", "annotations"].reduce((made, name) => {
    const marks = get(answer, "metadata", name);
    return set(made, name, isObject(marks) && Object.keys(marks).length > 0 ? marks : undefined);
  }, before);
  return { ...answer, metadata };
}
