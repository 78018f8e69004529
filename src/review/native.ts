import { type KeysOf, noKeys } from "../admission/patch.ts";
import type { Verdict } from "../admission/verdict.ts";
import { apiVersionOf } from "../apimachinery/resource.ts";
import { isObject, type JsonObject, textAt } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { NativeKind } from "../kind/native.ts";
import { type AdmissionContext, deny } from "./write.ts";

/** The verdict of a native kind on a request to create or update one of its objects. */
export function mutateNative(request: JsonObject, native: NativeKind, context: AdmissionContext): Verdict {
  const { definition } = native;
  const operation = definition.operations.find((each) => each === request.operation);
  if (operation === undefined) return { outcome: "allow", warnings: [] };
  const apiVersion = apiVersionOf(definition.group, textAt(request, "kind", "version"));
  if (apiVersion !== apiVersionOf(definition.group, definition.version)) {
    return deny([], "FieldValueNotSupported", `${native.name} has no version ${apiVersion} here`);
  }
  const { object, oldObject } = request;
  if (!isObject(object)) return deny([], "FieldValueRequired", "request.object is not an object");
  const verdict: unknown = definition.mutate(object, {
    operation,
    subresource: textAt(request, "subResource"),
    namespace: textAt(request, "namespace"),
    dryRun: request.dryRun === true,
    ...(operation === "UPDATE" && isObject(oldObject) ? { oldObject } : {}),
    now: context.now(),
    random: context.random,
    listers: context.listersOf(definition.needs),
    gates: context.gatesOf(definition.gates),
  });
  if (!isObject(verdict) || typeof verdict.outcome !== "string") {
    throw new Error(`mutate of ${native.name} returned no verdict`);
  }
  return verdict as unknown as Verdict;
}

/** The keys that identify the items of a native kind's lists. */
export function nativeKeysOf({ definition: { listKeys } }: NativeKind): KeysOf {
  if (listKeys === undefined) return noKeys;
  return (path) => {
    const field = listFieldOf(path);
    return Object.hasOwn(listKeys, field) ? listKeys[field] : undefined;
  };
}

/** A path without indexes, as in `listKeys`. */
function listFieldOf(path: Path): string {
  let field = "";
  for (const step of path) if (typeof step === "string") field += field === "" ? step : `.${step}`;
  return field;
}
