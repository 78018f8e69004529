import { get, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import type { CompiledRules } from "./cel/rules/rules.ts";
import { Correlation } from "./correlation.ts";
import { invalid, type SchemaFault } from "./fault.ts";
import { listCheckOf } from "./list-type.ts";
import {
  faultsOfMetadata,
  faultsOfMetadataUpdate,
  pathNames,
  type Scope,
  subdomainNames,
} from "./metadata/check.ts";
import type { Embedding } from "./metadata/embedded.ts";
import { hasRules, type Schema } from "./model.ts";
import { gateOf } from "./openapi/gate.ts";
import { onceEach, spotAt } from "./openapi/outcome.ts";
import { walkOf } from "./openapi/walk.ts";
import { child, root } from "./place.ts";
import { faultsOfScale, type Scale } from "./scale.ts";

/** What an API server says of a write, in its order: metadata, the schema, scale, embedded resources, lists, rules. */
export type Judge = (
  object: JsonObject,
  old?: JsonObject,
  subresource?: "status",
) => { readonly faults: readonly SchemaFault[]; readonly warnings: readonly string[] };

/** What is checked beside the schema. */
export interface Beside {
  readonly rules: CompiledRules | undefined;
  readonly scope: Scope;
  readonly scale: Scale | undefined;
  readonly embedding: Embedding | undefined;
}

const statusPlace = child(root, "status");
const metadataPlace = child(root, "metadata");

/** Compiles the judge of a schema (registry/customresource/strategy.go and status_strategy.go). */
export function judgeOf(schema: Schema, { rules, scope, scale, embedding }: Beside): Judge {
  // Made ready when the first object comes: what could be wrong with the schema was found before, and this takes longest.
  const walk = once(() => walkOf(schema));
  const gate = once(() => gateOf(schema));
  const statusSchema = schema.properties.get("status");
  const statusWalk = once(() => (statusSchema === undefined ? undefined : walkOf(statusSchema)));
  const lists = listCheckOf(schema);
  const ruled = hasRules(schema);

  const faultsOfSchema = (object: JsonObject, old: JsonObject | undefined): readonly SchemaFault[] => {
    if (gate()(object)) return [];
    const correlation = old === undefined ? undefined : new Correlation(object, old, schema);
    return onceEach(walk()(object, spotAt(root), correlation));
  };

  const faultsOfStatus = (object: JsonObject, old: JsonObject | undefined): readonly SchemaFault[] => {
    const [after, before] = [own(object, "status"), own(old, "status")];
    if (after === undefined || statusSchema === undefined) return [];
    const correlation = new Correlation(after, before ?? null, statusSchema);
    const outcome = statusWalk()?.(after, spotAt(statusPlace), correlation);
    return outcome === undefined ? [] : onceEach(outcome);
  };

  const faultsOfLists = (object: JsonObject, old: JsonObject | undefined): readonly SchemaFault[] => {
    if (lists === undefined || lists.holds(object)) return [];
    // One old duplicate anywhere permits new ones everywhere (customResourceStrategy.ValidateUpdate).
    return old !== undefined && !lists.holds(old) ? [] : lists.faults(object, root);
  };

  return (object, old, subresource) => {
    const isStatus = subresource === "status";
    const common = old === undefined ? [] : commonFaults(object, old, scope);
    const faults = [
      ...(old === undefined ? createFaults(object, scope) : updateFaults(object, old)),
      ...(isStatus ? faultsOfStatus(object, old) : faultsOfSchema(object, old)),
      ...(scale === undefined ? [] : faultsOfScale(object, scale, isStatus ? "status" : "whole")),
      ...(isStatus ? [] : (embedding?.check(object) ?? [])),
      ...faultsOfLists(object, old),
    ];
    if (!ruled) return { faults: [...common, ...faults], warnings: [] };
    if (faults.some(({ type }) => blocking.has(type))) {
      return { faults: [...common, ...faults, unchecked], warnings: [] };
    }
    const { faults: broken, ratcheted } = rules?.check(object, old, []) ?? { faults: [], ratcheted: [] };
    return {
      faults: [...common, ...faults, ...broken],
      warnings: ratcheted.map(({ field, message }) => `${field}: ${message}`),
    };
  };
}

/** What is worked out when it is first asked for, and kept. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** What is said instead of rules that would have met values of the wrong type. */
const unchecked: SchemaFault = {
  ...invalid(
    root,
    null,
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  ),
  because: "rules skipped",
};

function createFaults(object: JsonObject, scope: Scope): readonly SchemaFault[] {
  return faultsOfMetadata(metadataOf(object), scope, subdomainNames, metadataPlace);
}

function updateFaults(object: JsonObject, old: JsonObject): readonly SchemaFault[] {
  return faultsOfMetadataUpdate(metadataOf(object), metadataOf(old), metadataPlace);
}

/** On an update the API server checks metadata twice, once for any resource: such causes come twice (rest.BeforeUpdate, and the strategy). */
function commonFaults(object: JsonObject, old: JsonObject, scope: Scope): readonly SchemaFault[] {
  return [
    ...faultsOfMetadata(metadataOf(object), scope, pathNames, metadataPlace),
    ...updateFaults(object, old),
  ];
}

function metadataOf(object: Json): JsonObject {
  const metadata = get(object, "metadata");
  return isObject(metadata) ? metadata : {};
}
