import { type KeysOf, noKeys } from "../admission/patch.ts";
import type { Verdict } from "../admission/verdict.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { NativeKind } from "../native.ts";
import { apiVersionOf } from "../resource.ts";
import { textAt } from "./text.ts";
import { refuse, type Surroundings } from "./write.ts";

/** What a native kind says of a request to write one of its objects. */
export function judgeNative(request: JsonObject, native: NativeKind, surroundings: Surroundings): Verdict {
  const { definition } = native;
  const operation = definition.operations.find((each) => each === request.operation);
  if (operation === undefined) return { outcome: "allow", warnings: [] };
  const apiVersion = apiVersionOf(definition.group, textAt(request, "kind", "version"));
  if (apiVersion !== apiVersionOf(definition.group, definition.version)) {
    return refuse([], "FieldValueNotSupported", `${native.name} has no version ${apiVersion} here`);
  }
  const { object, oldObject } = request;
  if (!isObject(object)) return refuse([], "FieldValueRequired", "request.object is no object");
  const verdict: unknown = definition.mutate(object, {
    operation,
    subresource: textAt(request, "subResource"),
    namespace: textAt(request, "namespace"),
    dryRun: request.dryRun === true,
    ...(operation === "UPDATE" && isObject(oldObject) ? { oldObject } : {}),
    now: surroundings.now(),
    random: surroundings.random,
    listers: surroundings.listersOf(definition.needs),
    gates: surroundings.gatesOf(definition.gates),
  });
  if (!isObject(verdict) || typeof verdict.outcome !== "string") {
    throw new Error(`mutate of ${native.name} gave no verdict back`);
  }
  return verdict as unknown as Verdict;
}

/** By which keys the items of a native kind's lists are told apart. */
export function nativeKeysOf({ definition: { listKeys } }: NativeKind): KeysOf {
  if (listKeys === undefined) return noKeys;
  return (path) => {
    const field = listFieldOf(path);
    return Object.hasOwn(listKeys, field) ? listKeys[field] : undefined;
  };
}

/** A path without its places in lists, as `listKeys` has it. */
function listFieldOf(path: Path): string {
  let field = "";
  for (const step of path) if (typeof step === "string") field += field === "" ? step : `.${step}`;
  return field;
}
