import type { KeysOf } from "../admission/patch.ts";
import type { Cause, Verdict } from "../admission/verdict.ts";
import { apiVersionOf } from "../apimachinery/resource.ts";
import { listKeysAt } from "../conversion/shape.ts";
import { equal } from "../json/equal.ts";
import { isObject, type JsonObject, textAt } from "../json/json.ts";
import type { Gate } from "../kind/gate.ts";
import { type Circumstances, type Kind, type Kinds, toHub, versionIndex } from "../kind/kind.ts";
import type { Lister, ListerNeed } from "../kind/lister.ts";
import type { MayWait } from "./waiting.ts";

/** What admission needs besides the review itself. */
export interface AdmissionContext {
  readonly kinds: Kinds;
  readonly now: () => Date;
  readonly random: () => number;
  /** A lister for each need, objects of a served kind in its hub version. */
  readonly listersOf: (needs?: Readonly<Record<string, ListerNeed>>) => Readonly<Record<string, Lister>>;
  readonly gatesOf: (gates?: Readonly<Record<string, Gate>>) => Readonly<Record<string, boolean>>;
  readonly mayWait: MayWait;
}

/** A request to create or update an object of a known kind and version. */
export interface Write {
  readonly kind: Kind;
  readonly version: number;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Whether the client wrote this version, and the API server did not convert the object (`requestKind` is `kind`). */
  readonly isOriginal: boolean;
  readonly circumstances: Circumstances;
}

/** Reads a request; a verdict if there is nothing to decide, or if the request is not for a version of this kind. */
export function readWrite(request: JsonObject, kind: Kind, context: AdmissionContext): Write | Verdict {
  const operation = textAt(request, "operation");
  if (operation !== "CREATE" && operation !== "UPDATE") return { outcome: "allow", warnings: [] };
  const apiVersion = apiVersionOf(kind.definition.group, textAt(request, "kind", "version"));
  const version = versionIndex(kind, apiVersion);
  if (version === undefined) {
    return deny([], "FieldValueNotSupported", `${kind.name} has no version ${apiVersion} here`);
  }
  const { object, oldObject } = request;
  if (!isObject(object)) return deny([], "FieldValueRequired", "request.object is not an object");
  if (object.apiVersion !== apiVersion || object.kind !== kind.definition.kind) {
    return deny(
      [],
      "FieldValueInvalid",
      `request.object is not the ${apiVersion} ${kind.definition.kind} that request.kind says`,
    );
  }
  const old = operation === "UPDATE" && isObject(oldObject) ? oldObject : undefined;
  const circumstances: Circumstances = {
    operation,
    ...(old === undefined ? {} : { oldObject: toHub(kind, old, version) }),
    namespace: textAt(request, "namespace"),
    now: context.now(),
    listers: context.listersOf(kind.definition.needs),
    gates: context.gatesOf(kind.definition.gates),
  };
  return {
    kind,
    version,
    object,
    ...(old === undefined ? {} : { oldObject: old }),
    subresource: textAt(request, "subResource"),
    isOriginal: request.requestKind === undefined || equal(request.requestKind, request.kind),
    circumstances,
  };
}

/** The keys that identify the items of a version's lists. */
export function keysOf(kind: Kind, version: number): KeysOf {
  const shape = kind.versions[version]?.shape;
  return (path) => shape && listKeysAt(shape, path);
}

/** A denial with one cause. */
export function deny(path: Cause["path"], reason: Cause["reason"], message: string): Verdict {
  return { outcome: "deny", causes: [{ path, reason, message }], warnings: [] };
}
