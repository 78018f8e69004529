import { describe, expect, it } from "vitest";
import { equal } from "../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../src/json/json.ts";
import { toHub, versionIndex } from "../src/kind/kind.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { isExpressionDisputed, isOverlapDisputed, isUnreadable, kruiseField } from "./golden-differences.ts";
import { admit } from "./support/admit.ts";
import { type GoldenCase, goldenCases } from "./support/golden.ts";

const kinds = await loadKinds(["webhooks"]);
const kind = kinds.find("apps.kruise.io", "SidecarSet");
if (kind === undefined) throw new Error("there is no kind SidecarSet");
const cases = goldenCases("validate").map((each) => [each.name, each] as const);

interface Told {
  readonly type: string;
  readonly field: string;
  readonly detail: string;
}

describe("validation of SidecarSets is OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    const { input, output } = golden;
    const response = validated(golden);
    const causes = causesOf(response);
    const difference = differenceOf(golden);
    if (difference !== undefined) {
      expect({ because: difference.because, allowed: response.allowed }).toEqual(difference);
      return;
    }
    expect({ allowed: response.allowed, causes: isAgreed(causes, golden) ? [] : causes }).toEqual({
      allowed: output.allowed,
      causes: [],
    });
    expect(input.operation).toMatch(/CREATE|UPDATE/);
  });
});

/** Where we are meant to say something else, and what. */
function differenceOf({ input, output }: GoldenCase): { because: string; allowed: boolean } | undefined {
  const object = input.object as JsonObject;
  const hub = hubOf(object);
  const others = isArray(input.others) ? input.others.filter(isObject) : [];
  if (isUnreadable(hub)) return { because: "we name what cannot be read", allowed: false };
  if (output.code === 400) return { because: "the schema refuses what else cannot be read", allowed: true };
  if (input.operation === "UPDATE" && sameSpec(hub, hubOf(input.oldObject as JsonObject))) {
    return { because: "nothing stands in the way of a write that leaves spec as it is", allowed: true };
  }
  const selectors = ["selector", "namespaceSelector"];
  const isDisputed = others.some((other) =>
    selectors.some((name) => {
      const [ours, theirs] = [get(hub, "spec", name), get(other, "spec", name)];
      return isObject(ours) && isObject(theirs) && isOverlapDisputed(ours, theirs);
    }),
  );
  const errors = isArray(output.errors) ? output.errors : [];
  const isAboutOthers = errors.every((each) =>
    /already exist in|in conflict with/.test(String(get(each, "detail"))),
  );
  if (isDisputed && isAboutOthers) {
    const isAllowed = causesOf(validated({ input })).length === 0;
    return { because: "two SidecarSets clash where some pod matches both", allowed: isAllowed };
  }
  if (isExpressionDisputed(hub)) {
    const isAllowed = causesOf(validated({ input })).length === 0;
    return { because: "expressions are tried as they are used", allowed: isAllowed };
  }
  return undefined;
}

function isAgreed(causes: readonly JsonObject[], { output, reason }: GoldenCase): boolean {
  const wanted = (isArray(output.errors) ? output.errors : []).filter(
    (each) => !isEcho(each as JsonObject),
  ) as Json[];
  if (wanted.length !== causes.length) return false;
  return reason === ""
    ? wanted.every((each, index) => isSame(causes[index], each as never))
    : wanted.every((each) => causes.some((cause) => isSame(cause, each as never)));
}

/**
 * Kruise says of a selector that is wrong once more that it is, without a word why; and of a volume's name that is wrong
 * that it would be wrong after the name of its own sample pod.
 */
function isEcho(error: JsonObject): boolean {
  if (String(error.detail).startsWith('PVC name "test-')) return true;
  return (
    error.detail === "" &&
    error.type === "FieldValueInvalid" &&
    /elector\.selector$/.test(String(error.field))
  );
}

function isSame(cause: JsonObject | undefined, error: Told): boolean {
  const message = String(cause?.message);
  const isText =
    get(cause, "reason") === error.type &&
    kruiseField(String(cause?.field), error.detail).includes(error.field);
  if (!isText) return false;
  // The words of a JSON decoder are everybody's own.
  if (/JSON input|invalid character/.test(error.detail)) return /is not JSON/.test(message);
  return error.detail === ""
    ? !/: [a-z]/.test(message) || /^(?:Duplicate|Not)/.test(message)
    : message.endsWith(`: ${error.detail}`);
}

function validated({ input }: Pick<GoldenCase, "input">): JsonObject {
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
  return admit("validate", kinds, {
    operation,
    version,
    object: input.object as JsonObject,
    ...(isObject(oldObject) ? { oldObject } : {}),
    cluster: [...lists, ...(typeof patchMetadataWhitelist === "string" ? [configuration] : [])],
    gates: gatesOf(input.featureGates),
  }).response;
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

function sameSpec(a: JsonObject, b: JsonObject): boolean {
  return equal(a.spec, b.spec);
}
