import { describe, expect, it } from "vitest";
import { equal } from "../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../src/json/json.ts";
import { toHub, versionIndex } from "../src/kind/kind.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { isUnreadable, kruiseField } from "./golden-differences.ts";
import { expectedErrors, type RecordedError } from "./golden-expected.ts";
import { admit } from "./support/admit.ts";
import { type GoldenCase, goldenCases } from "./support/golden.ts";

const kinds = await loadKinds(["webhooks"]);
const kind = kinds.find("apps.kruise.io", "SidecarSet");
if (kind === undefined) throw new Error("there is no kind SidecarSet");
const cases = goldenCases("validate").map((each) => [each.name, each] as const);

describe("validation of SidecarSets is OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    expect(disagreement(golden)).toBeUndefined();
  });

  it.each(cases)("%s: no other record would pass", (_name, golden) => {
    for (const broken of brokenRecords(golden)) {
      expect({ ...broken.output, found: disagreement(broken) !== undefined }).toMatchObject({ found: true });
    }
  });
});

/** How our answer differs from what the record asks for; undefined if it does not. */
function disagreement(golden: GoldenCase): unknown {
  const { input, output } = golden;
  const errors = recordedErrors(output);
  const answer = answerTo(golden);
  if (output.code === 400 || isUnreadable(hubOf(input.object as JsonObject))) {
    // OpenKruise cannot decode it. We name the fields, or the schema rejects it before any webhook.
    const isRecord = output.code === 400 && output.allowed === false && errors.length === 0;
    const isNamed =
      !answer.allowed && answer.causes.every(({ reason }) => reason === "FieldValueTypeInvalid");
    return isRecord && isNamed ? undefined : answer;
  }
  if (output.allowed !== (errors.length === 0) || (output.code === 200) !== output.allowed) return output;
  if (!leavesSpec(input)) return disagreementOf(golden, answer);
  // We do not validate a write that leaves spec unchanged. If it changed spec, we would agree.
  return answer.allowed ? disagreementOf(golden, answerTo({ input: withOtherOldSpec(input) })) : answer;
}

function disagreementOf({ input, output, reason }: GoldenCase, { allowed, causes }: Answer): unknown {
  const others = isArray(input.others) ? input.others.filter(isObject) : [];
  const expected = expectedErrors(hubOf(input.object as JsonObject), others, recordedErrors(output));
  if ("broken" in expected) return expected;
  const { errors } = expected;
  const isInOrder = reason === "" && errors.every((each) => recordedErrors(output).includes(each));
  const areSame =
    errors.length === causes.length &&
    errors.every((error, index) =>
      isInOrder ? isSame(causes[index], error) : causes.some((cause) => isSame(cause, error)),
    );
  return allowed === (errors.length === 0) && areSame ? undefined : { allowed, causes, errors };
}

/** The case with every single part of its record changed. */
function brokenRecords(golden: GoldenCase): readonly GoldenCase[] {
  const { output } = golden;
  const errors = recordedErrors(output);
  const changed = (index: number, change: Partial<RecordedError>) =>
    errors.map((each, at) => (at === index ? { ...each, ...change } : each));
  const outputs = [
    { ...output, allowed: output.allowed !== true },
    {
      ...output,
      allowed: false,
      errors: [...errors, { type: "FieldValueInvalid", field: "spec", detail: "another" }],
    },
    ...errors.flatMap((error, index) => [
      {
        ...output,
        allowed: errors.length === 1,
        code: errors.length === 1 ? 200 : output.code,
        errors: errors.filter((_, at) => at !== index),
      },
      { ...output, errors: changed(index, { type: "FieldValueTooMany" }) },
      { ...output, errors: changed(index, { field: `${error.field}.other` }) },
      { ...output, errors: changed(index, { detail: `${error.detail} or another` }) },
    ]),
  ];
  return outputs.map((each) => ({ ...golden, output: each as unknown as JsonObject }));
}

function recordedErrors({ errors }: JsonObject): readonly RecordedError[] {
  return isArray(errors) ? (errors as unknown as readonly RecordedError[]) : [];
}

const decoderWords =
  /(?:unexpected end of JSON input|invalid character .+ (?:looking for beginning of|after|in) [a-z: ]+)$/;

function isSame(cause: JsonObject | undefined, error: RecordedError): boolean {
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
