import jsonpatch from "jsonpatch";
import { changesOf, shortened } from "../../checks/index.ts";
import { messageOf } from "../../errors.ts";
import { equal } from "../../json/equal.ts";
import { parseJson, writeJson } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";

/** The webhooks, as their endpoints and folders are called. */
export type Webhook = "convert" | "mutate" | "validate";

/** Where two answers differ. */
interface AnswerDifference {
  /** `response.convertedObjects[0].spec.color`; empty for the whole answer. */
  readonly field: string;
  readonly sentence: string;
}

/** The result of comparing two answers. */
export interface Compared {
  readonly differences: readonly AnswerDifference[];
  /** Set where two patches have the same effect in other words. */
  readonly patchText?: string;
}

/**
 * Compares the recorded answer to a review with the present one: as JSON, and patches by what they make of the object. A time
 * that the review does not hold came from the clock, and is ignored.
 */
export function differencesOf(
  webhook: Webhook,
  review: JsonObject,
  recorded: JsonObject,
  answer: JsonObject,
): Compared {
  const [before, after] = [recorded, answer].map((each) => timeless(readable(each), review));
  if (webhook !== "mutate") return { differences: sentencesOf(before, after) };
  const [first, second] = [before, after].map((each) => get(each, "response", "patch"));
  if (equal(first, second)) return { differences: sentencesOf(before, after) };
  const effects = [first, second].map((patch) => effectOf(patch, review));
  const differences = [
    ...sentencesOf(withoutPatch(before), withoutPatch(after)),
    ...sentencesOf(effects[0], effects[1], ["object"]),
  ];
  const patchText = `patch ${shortened(first, 300)} is now ${shortened(second, 300)}`;
  return { differences, ...(differences.length === 0 ? { patchText } : {}) };
}

/** An answer with its patch as a list: in a response it is base64. */
function readable(answer: JsonObject): JsonObject {
  const { response } = answer;
  const patch = get(response, "patch");
  if (!isObject(response) || typeof patch !== "string") return answer;
  return set(answer, "response", set(response, "patch", parsed(patch)));
}

function parsed(patch: string): Json {
  try {
    return parseJson(Buffer.from(patch, "base64").toString());
  } catch (error) {
    if (error instanceof SyntaxError) return patch;
    throw error;
  }
}

/** The answer with one word for all times that its review does not hold. */
function timeless(answer: JsonObject, review: JsonObject): Json {
  const known = new Set(writeJson(review).match(times));
  return parseJson(writeJson(answer).replaceAll(times, (time) => (known.has(time) ? time : "(now)")));
}

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)/g;

function withoutPatch(answer: Json | undefined): Json | undefined {
  const response = get(answer, "response");
  if (!isObject(answer) || !isObject(response)) return answer;
  const { patch: _, patchType: __, ...rest } = response;
  return set(answer, "response", rest);
}

/** The object of a review after a patch; the error's text where the patch does not fit it. */
function effectOf(patch: Json | undefined, review: JsonObject): Json {
  const object = get(review, "request", "object") ?? null;
  const operations = isArray(patch) ? patch.filter(isObject) : [];
  try {
    return jsonpatch.apply_patch(object, operations);
  } catch (error) {
    return `the patch cannot be applied: ${messageOf(error)}`;
  }
}

/** The most differences that are listed for one answer. */
const mostListed = 20;

function sentencesOf(
  before: Json | undefined,
  after: Json | undefined,
  path: Path = [],
): readonly AnswerDifference[] {
  return changesOf(before, after, path)
    .slice(0, mostListed)
    .map((change) => ({
      field: fieldOf(change.path),
      sentence: `${shortened(change.before, 200)} is now ${shortened(change.after, 200)}`,
    }));
}
