import { groupVersionOf } from "../apimachinery/resource.ts";
import { UsageError } from "../errors.ts";
import { parseJson } from "../json/exact.ts";
import { get, isArray, isObject, type JsonObject } from "../json/json.ts";
import type { InputObject } from "./input.ts";

/** The AdmissionReview that an API server would send for the creation or update of an object. */
export function reviewOf(
  object: JsonObject,
  old: JsonObject | undefined,
  subresource?: "status",
): JsonObject & { readonly request: JsonObject } {
  const { apiVersion, kind } = object;
  const { group, version } = groupVersionOf(String(apiVersion));
  const [name, namespace] = [get(object, "metadata", "name"), get(object, "metadata", "namespace")];
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "offline",
      kind: { group, version, kind: String(kind) },
      ...(subresource === undefined ? {} : { subResource: subresource }),
      ...(typeof name === "string" ? { name } : {}),
      namespace: typeof namespace === "string" ? namespace : "default",
      operation: old === undefined ? "CREATE" : "UPDATE",
      object,
      ...(old === undefined ? {} : { oldObject: old }),
    },
  };
}

/** The response of a review, its patch as a list of operations. */
export function responseOf(review: JsonObject) {
  const { response } = review;
  const [patch, warnings, status] = ["patch", "warnings", "status"].map((key) => get(response, key));
  const operations = typeof patch === "string" ? parseJson(fromBase64(patch)) : [];
  return {
    allowed: get(response, "allowed") === true,
    patch: isArray(operations) ? operations.filter(isObject) : [],
    warnings: isArray(warnings) ? warnings.filter((each) => typeof each === "string") : [],
    ...(isObject(status) ? { status } : {}),
  };
}

function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)));
}

/** The previous object of the same name, if previous objects were given. Throws UsageError if it is not among them. */
export function oldOf(
  { source, value }: InputObject,
  olds: readonly InputObject[] | undefined,
): JsonObject | undefined {
  const old = olds?.find((each) => isSame(each.value, value));
  if (olds === undefined || old !== undefined) return old?.value;
  const name = JSON.stringify(get(value, "metadata", "name"));
  throw new UsageError(`${source}: --old holds no ${value.kind} ${name} of ${value.apiVersion}`);
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  const identity = [["apiVersion"], ["kind"], ["metadata", "namespace"], ["metadata", "name"]] as const;
  return identity.every((path) => get(a, ...path) === get(b, ...path));
}
