import { describe, expect, it } from "vitest";
import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { toHub, versionIndex } from "../../../src/kind/kind.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { admit } from "../../support/admit.ts";
import { type BrokenRecord, brokenRecords } from "./broken.ts";
import { type GoldenCase, goldenCases } from "./cases.ts";
import { isDecodeError, isUnreadable, kruiseField } from "./differences.ts";
import { type ExpectedError, expectedErrors, type RecordedError } from "./expected.ts";

const kinds = await loadKinds(["webhooks"]);
const kind = kinds.find("apps.kruise.io", "SidecarSet");
if (kind === undefined) throw new Error("there is no kind SidecarSet");
const cases = goldenCases("validate").map((each) => [each.name, each] as const);

describe("validation of SidecarSets is OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    expect(disagreement(golden, answersTo(golden))).toBeUndefined();
  });

  it.each(cases)("%s: no other record would pass", (_name, golden) => {
    const answers = answersTo(golden);
    const passing = [...brokenRecords(golden.output), ...otherRecords(golden.output)].filter(
      ({ output }) => disagreement({ ...golden, output }, answers) === undefined,
    );
    expect(passing.map(({ change }) => change)).toEqual([]);
  });
});

/** Our answers to a case: to the write itself, and to one that changes spec where it does not. */
interface Answers {
  readonly answer: Answer;
  readonly ofChange?: Answer;
}

function answersTo({ input }: GoldenCase): Answers {
  const answer = answerTo({ input });
  return leavesSpec(input) ? { answer, ofChange: answerTo({ input: withOtherOldSpec(input) }) } : { answer };
}

/** How our answers differ from what the record asks for; undefined if they do not. */
function disagreement(golden: GoldenCase, { answer, ofChange }: Answers): unknown {
  const { input, output } = golden;
  const contradiction = contradictionIn(output);
  if (contradiction !== undefined) return contradiction;
  if (output.code === 400 || isUnreadable(hubOf(input.object as JsonObject))) {
    // OpenKruise cannot decode it. We name the fields, or the schema rejects it before any webhook.
    const isNamed =
      !answer.allowed && answer.causes.every(({ reason }) => reason === "FieldValueTypeInvalid");
    return isNamed && output.code === 400 ? undefined : answer;
  }
  if (ofChange === undefined) return disagreementOf(golden, answer);
  // We do not validate a write that leaves spec unchanged. If it changed spec, we would agree.
  return answer.allowed ? disagreementOf(golden, ofChange) : answer;
}

/** Where the members of a record do not fit each other; undefined if they do. */
function contradictionIn(output: JsonObject): string | undefined {
  const { allowed, code, message } = output;
  const errors = recordedErrors(output);
  if (code === 400) {
    const isRejection = allowed === false && errors.length === 0 && isDecodeError(message);
    return isRejection ? undefined : "an object that cannot be decoded has no errors";
  }
  if (allowed !== (errors.length === 0) || code !== (allowed ? 200 : 500))
    return "allowed, but with errors, or not";
  const strange = errors.find(({ text, ...error }) => !isTextOf(String(text), error));
  if (strange !== undefined) return `${strange.text} is not the text of ${JSON.stringify(strange)}`;
  const texts = [...new Set(errors.map(({ text }) => text))];
  const whole = texts.length > 1 ? `[${texts.join(", ")}]` : (texts[0] ?? "allowed to be admitted");
  return message === whole ? undefined : `the message must be ${whole}`;
}

/** Whether Go prints an error so (k8s.io/apimachinery/pkg/util/validation/field, Error); the value in between may be anything. */
function isTextOf(text: string, { type, field, detail }: ExpectedError): boolean {
  const end = detail === "" ? "" : `: ${detail}`;
  return text.startsWith(`${field}: ${phrases[type]}`) && text.endsWith(end);
}

const phrases: Readonly<Record<string, string>> = {
  FieldValueDuplicate: "Duplicate value: ",
  FieldValueForbidden: "Forbidden: ",
  FieldValueInvalid: "Invalid value: ",
  FieldValueNotFound: "Not found: ",
  FieldValueNotSupported: "Unsupported value: ",
  FieldValueRequired: "Required value",
};

function disagreementOf({ input, output, reason }: GoldenCase, { allowed, causes }: Answer): unknown {
  const others = isArray(input.others) ? input.others.filter(isObject) : [];
  const expected = expectedErrors(hubOf(input.object as JsonObject), others, recordedErrors(output));
  if ("broken" in expected) return expected;
  const { errors } = expected;
  const recorded: readonly ExpectedError[] = recordedErrors(output);
  const isInOrder = reason === "" && errors.every((each) => recorded.includes(each));
  const areSame =
    errors.length === causes.length &&
    errors.every((error, index) =>
      isInOrder ? isSame(causes[index], error) : causes.some((cause) => isSame(cause, error)),
    );
  return allowed === (errors.length === 0) && areSame ? undefined : { allowed, causes, errors };
}

/** Records that fit together, with one error more, one less, or one that is another. */
function* otherRecords(output: JsonObject): Generator<BrokenRecord> {
  const errors = recordedErrors(output);
  const another = withText({ type: "FieldValueInvalid", field: "spec", detail: "another" });
  yield { output: recordOf([...errors, another]), change: "one more error" };
  for (const [index, error] of errors.entries()) {
    const { type, field, detail } = error;
    yield { output: recordOf(errors.toSpliced(index, 1)), change: `without ${error.text}` };
    for (const changed of [
      { type: type === "FieldValueRequired" ? "FieldValueInvalid" : "FieldValueRequired", field, detail },
      { type, field: `${field}.other`, detail },
      { type, field, detail: `${detail} or another` },
    ]) {
      yield {
        output: recordOf(errors.with(index, withText(changed))),
        change: `${JSON.stringify(changed)} instead of ${error.text}`,
      };
    }
  }
}

function withText(error: ExpectedError): RecordedError {
  return { ...error, text: `${error.field}: ${phrases[error.type]}x: ${error.detail}` };
}

function recordOf(errors: readonly RecordedError[]): JsonObject {
  const texts = [...new Set(errors.map(({ text }) => text))];
  const message = texts.length > 1 ? `[${texts.join(", ")}]` : (texts[0] ?? "allowed to be admitted");
  const allowed = errors.length === 0;
  return { allowed, code: allowed ? 200 : 500, message, errors: errors.map((each) => ({ ...each })) };
}

function recordedErrors({ errors }: JsonObject): readonly RecordedError[] {
  return isArray(errors) ? (errors as unknown as readonly RecordedError[]) : [];
}

const decoderWords =
  /(?:unexpected end of JSON input|invalid character .+ (?:looking for beginning of|after|in) [a-z: ]+)$/;

function isSame(cause: JsonObject | undefined, error: ExpectedError): boolean {
  const message = String(cause?.message);
  const isText =
    get(cause, "reason") === error.type &&
    kruiseField(String(cause?.field), error.detail).includes(error.field);
  if (!isText) return false;
  // The words of Go's JSON decoder are not ours.
  if (decoderWords.test(error.detail)) return /is not JSON/.test(message);
  return error.detail === ""
    ? !/: [a-z]/.test(message) || /^(?:Duplicate|Not)/.test(message)
    : message.endsWith(`: ${error.detail}`);
}

interface Answer {
  readonly allowed: boolean;
  readonly causes: readonly JsonObject[];
}

function answerTo({ input }: Pick<GoldenCase, "input">): Answer {
  const {
    operation = null,
    version = null,
    oldObject,
    others,
    controllerRevisions,
    patchMetadataWhitelist,
  } = input;
  const lists = [others, controllerRevisions].flatMap((list) => (isArray(list) ? list.filter(isObject) : []));
  const configuration = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kruise-configuration", namespace: "kruise-system" },
    data: { SidecarSet_PatchPodMetadata_WhiteList: patchMetadataWhitelist ?? "" },
  };
  const { response } = admit("validate", kinds, {
    operation,
    version,
    object: input.object as JsonObject,
    ...(isObject(oldObject) ? { oldObject } : {}),
    cluster: [...lists, ...(typeof patchMetadataWhitelist === "string" ? [configuration] : [])],
    gates: gatesOf(input.featureGates),
  });
  return { allowed: response.allowed === true, causes: causesOf(response) };
}

function gatesOf(gates: Json | undefined): readonly string[] {
  if (isArray(gates)) return gates.map(String);
  return Object.entries(gates ?? {}).flatMap(([name, isOpen]) => (isOpen === true ? [name] : []));
}

function causesOf(response: JsonObject): readonly JsonObject[] {
  const causes = get(response, "status", "details", "causes");
  return isArray(causes) ? causes.filter(isObject) : [];
}

function hubOf(object: JsonObject): JsonObject {
  if (kind === undefined) return object;
  return toHub(kind, object, versionIndex(kind, object.apiVersion) ?? 0);
}

function leavesSpec({ operation, object, oldObject }: JsonObject): boolean {
  if (operation !== "UPDATE" || !isObject(object) || !isObject(oldObject)) return false;
  return equal(hubOf(object).spec, hubOf(oldObject).spec);
}

/** The update, from a spec that differs in a field that no rule compares. */
function withOtherOldSpec(input: JsonObject): JsonObject {
  const { oldObject } = input;
  if (!isObject(oldObject) || !isObject(oldObject.spec)) return input;
  const spec = { ...oldObject.spec, revisionHistoryLimit: 7 };
  return { ...input, oldObject: { ...oldObject, spec } };
}
