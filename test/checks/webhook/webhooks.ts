import { readFileSync } from "node:fs";
import { type Ask, type Reply, subjectOf } from "../../../src/checks/index.ts";
import { isNumber, parseJson, toDouble, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";

const [document] = readYaml(readFileSync("test/checks/webhook/widget.yaml", "utf8"));
const read = subjectOf(isObject(document?.value) ? document.value : {});
if ("causes" in read) throw new Error(JSON.stringify(read.causes));
/** The CRD of Widgets, as the checks read it. */
export const { subject } = read;

/** A conversion webhook for Widgets, as a function of an object; what it throws is its refusal. */
export type Conversion = (object: JsonObject, desired: string) => JsonObject;

/** The connection closes without an answer. */
export class Panic extends Error {}

/** The process ends. */
export class Death extends Error {}

const key = "example.com/secret";

/** Changes the spec of an object. */
export function withSpec(object: JsonObject, change: (spec: JsonObject) => JsonObject): JsonObject {
  return isObject(object.spec) ? { ...object, spec: change(object.spec) } : object;
}

/** The conversion without a fault: `spec.secret` travels in an annotation, and the field wins over it. */
export const faultless: Conversion = (object, desired) => {
  const made = { ...object, apiVersion: desired };
  const secret = get(object, "spec", "secret");
  if (desired.endsWith("/v1")) {
    const open = withSpec(made, (spec) => set(spec, "secret", undefined));
    return typeof secret === "string" ? annotated(open, secret) : open;
  }
  const stored = get(object, "metadata", "annotations", key);
  const bare = annotated(made, undefined);
  if (secret !== undefined || typeof stored !== "string") return bare;
  return withSpec(bare, (spec) => ({ ...spec, secret: stored }));
};

/** An object with the annotation, or without it. */
export function annotated(object: JsonObject, value: string | undefined, name = key): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return object;
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  const changed = set(annotations, name, value);
  const isEmpty = Object.keys(changed).length === 0;
  return { ...object, metadata: set(metadata, "annotations", isEmpty ? undefined : changed) };
}

/** A value whose numbers are doubles, as `map[string]any` of Go reads them. */
export function throughDoubles(value: Json): Json {
  if (isNumber(value)) return toDouble(value);
  if (isArray(value)) return value.map(throughDoubles);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, throughDoubles(inner)]));
}

/** A webhook that answers as controller-runtime's does: one object that fails refuses the whole review. */
export function webhookOf(convert: Conversion): Ask {
  let isDead = false;
  return async (review): Promise<Reply> => {
    if (isDead) return { state: "unreachable", sentence: "connect ECONNREFUSED" };
    try {
      return { state: "answered", status: 200, text: answerTo(review, convert) };
    } catch (error) {
      if (error instanceof Death) isDead = true;
      if (error instanceof Death || error instanceof Panic) return { state: "closed", sentence: "closed" };
      throw error;
    }
  };
}

/** The answer to one review. */
export function answerTo(review: string, convert: Conversion): string {
  const asked = parseJson(review);
  const request = get(asked, "request");
  const objects = get(request, "objects");
  const desired = String(get(request, "desiredAPIVersion"));
  const respond = (response: JsonObject) =>
    writeJson({
      apiVersion: get(asked, "apiVersion") ?? null,
      kind: "ConversionReview",
      response: { uid: get(request, "uid") ?? null, ...response },
    });
  try {
    const convertedObjects = isArray(objects)
      ? objects.filter(isObject).map((object) => convert(object, desired))
      : [];
    return respond({ result: { status: "Success" }, convertedObjects });
  } catch (error) {
    if (error instanceof Death || error instanceof Panic || !(error instanceof Error)) throw error;
    return respond({ result: { status: "Failure", message: error.message } });
  }
}
