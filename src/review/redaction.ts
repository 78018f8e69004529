import { parseJson, writeJson } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";

/** A review and its answer as they may be stored in files. */
export interface Recording {
  readonly review: JsonObject;
  /** With its patch as a list, which is base64 in a response. */
  readonly answer: JsonObject;
}

/**
 * A review and its answer without what must not be stored in a file: the user, the data of Secrets, the values of environment
 * variables; also where these appear again in strings, as in `last-applied-configuration` or a carrier. managedFields stay.
 * Undefined if there are more than 200 such values, too many to replace all of them reliably.
 */
export function withoutSecrets(review: JsonObject, answer: JsonObject): Recording | undefined {
  const found = new Set<string>();
  const first = {
    review: blank(withoutAuthor(review), found) as JsonObject,
    answer: blank(withReadablePatch(answer), found) as JsonObject,
  };
  // A value of less than six characters is not a secret, and appears in other words by chance.
  const secrets = [...found].filter((text) => text.length >= 6);
  if (secrets.length > 200) return undefined;
  if (secrets.length === 0) return first;
  const forms = new Set(secrets.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  const pattern = new RegExp([...forms].sort(longestFirst).map(escaped).join("|"), "g");
  return {
    review: mapTexts(first.review, (text) => text.replace(pattern, leftOut)) as JsonObject,
    answer: mapTexts(first.answer, (text) => text.replace(pattern, leftOut)) as JsonObject,
  };
}

/** The text in the place of a value that was left out. */
const leftOut = "left-out";

/** An answer with its patch as a list, for people to read. */
function withReadablePatch(answer: JsonObject): JsonObject {
  const { response } = answer;
  const patch = get(response, "patch");
  if (!isObject(response) || typeof patch !== "string") return answer;
  return set(answer, "response", set(response, "patch", parseJson(Buffer.from(patch, "base64").toString())));
}

function withoutAuthor(review: JsonObject): JsonObject {
  const { request } = review;
  if (!isObject(request) || !Object.hasOwn(request, "userInfo")) return review;
  return { ...review, request: { ...request, userInfo: { username: "recorded" } } };
}

/** The value with every secret replaced. Adds the replaced values to `found`. */
function blank(value: Json, found: Set<string>): Json {
  if (typeof value === "string") return blankText(value, found);
  if (isArray(value)) return value.map((item) => blank(item, found));
  if (!isObject(value)) return value;
  const isSecret = value.apiVersion === "v1" && value.kind === "Secret";
  const entries = Object.entries(withBlankPatch(value, found)).map(([key, inner]): [string, Json] => {
    if (key === "env") return [key, blank(blankVariables(inner, found), found)];
    if (isSecret && (key === "data" || key === "stringData")) return [key, blankValues(inner, found)];
    return [key, blank(inner, found)];
  });
  return Object.fromEntries(entries);
}

/** The same for a string that contains a JSON object or list: `last-applied-configuration`, a carrier. */
function blankText(text: string, found: Set<string>): string {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    const value = parseJson(text);
    const before = writeJson(value);
    const after = writeJson(blank(value, found));
    return before === after ? text : after;
  } catch {
    // Not JSON: an ordinary string.
    return text;
  }
}

/** The same for an operation of a patch on environment variables: a list of them, one, or the value of one. */
function withBlankPatch(operation: JsonObject, found: Set<string>): JsonObject {
  const { op, path, value } = operation;
  if (typeof op !== "string" || typeof path !== "string" || value === undefined) return operation;
  if (/\/env$/.test(path)) return { ...operation, value: blankVariables(value, found) };
  if (/\/env\/[^/]+$/.test(path)) return { ...operation, value: blankVariable(value, found) };
  if (/\/env\/[^/]+\/value$/.test(path)) return { ...operation, value: take(value, found) };
  return operation;
}

function blankVariables(variables: Json, found: Set<string>): Json {
  return isArray(variables) ? variables.map((variable) => blankVariable(variable, found)) : variables;
}

function blankVariable(variable: Json, found: Set<string>): Json {
  const value = get(variable, "value");
  return isObject(variable) && value !== undefined ? { ...variable, value: take(value, found) } : variable;
}

function blankValues(data: Json, found: Set<string>): Json {
  if (!isObject(data)) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, take(value, found)]));
}

function take(value: Json, found: Set<string>): Json {
  if (value === "") return value;
  if (typeof value === "string") {
    found.add(value);
    // Data of a Secret is base64; its plain text may appear elsewhere.
    if (/^[A-Za-z0-9+/]{8,}={0,2}$/.test(value)) found.add(Buffer.from(value, "base64").toString());
  }
  return leftOut;
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]));
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
