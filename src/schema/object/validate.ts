import { type Json, type JsonObject, objectAt, own } from "../../json/json.ts";
import { once } from "../../once.ts";
import type { CompiledRules } from "../cel/rules/rules.ts";
import {
  asReported,
  faultsOfMetadata,
  faultsOfMetadataUpdate,
  type NameCheck,
  pathNames,
  type Scope,
  subdomainNames,
} from "../metadata/check.ts";
import type { Embedding } from "../metadata/embedded.ts";
import type { Scale } from "../model/crd.ts";
import { invalid, type SchemaFault } from "../model/fault.ts";
import type { KubernetesVersion } from "../model/kubernetes-version.ts";
import { child, root } from "../model/place.ts";
import { Correlation } from "../model/ratcheting.ts";
import { hasRules, type Schema } from "../model/schema.ts";
import { locationAt, onceEach } from "../openapi/outcome.ts";
import { schemaValidatorOf } from "../openapi/validate.ts";
import { listCheckOf } from "./lists.ts";
import { faultsOfScale } from "./scale.ts";

/** What an API server finds wrong with a write, in its order: metadata, the schema, scale, embedded resources, lists, rules. */
export type ObjectValidator = (
  object: JsonObject,
  old?: JsonObject,
  subresource?: "status",
) => { readonly faults: readonly SchemaFault[]; readonly warnings: readonly string[] };

/** A validator, which compiles its checks when they are needed first, unless they were prepared. */
interface PreparedValidator {
  readonly validate: ObjectValidator;
  readonly prepare: () => void;
}

/** What is checked beside the schema. */
interface Beside {
  readonly rules: CompiledRules | undefined;
  readonly scope: Scope;
  readonly kubernetes: KubernetesVersion;
  readonly scale: Scale | undefined;
  readonly embedding: Embedding | undefined;
  readonly fastPath: FastPathCompiler | undefined;
  /** How many objects are validated without the fast path, if it is not prepared. */
  readonly fastPathAfter: number;
}

/** Compiles a test that only valid objects pass, though not all of them. */
export type FastPathCompiler = (schema: Schema) => (object: Json) => boolean;

const statusPlace = child(root, "status");
const metadataPlace = child(root, "metadata");

/** Compiles the validator of a schema (registry/customresource/strategy.go and status_strategy.go). */
export function objectValidatorOf(
  schema: Schema,
  { rules, scope, kubernetes, scale, embedding, fastPath, fastPathAfter }: Beside,
): PreparedValidator {
  // Compiled when the first object comes: the schema itself was checked before, and this takes longest.
  const walk = once(() => schemaValidatorOf(schema));
  const certainty = once(() => fastPath?.(schema) ?? (() => false));
  let withoutFastPath = fastPathAfter;
  const statusSchema = schema.properties.get("status");
  const statusWalk = once(() => (statusSchema === undefined ? undefined : schemaValidatorOf(statusSchema)));
  const lists = listCheckOf(schema);
  const ruled = hasRules(schema);

  const faultsOfSchema = (object: JsonObject, old: JsonObject | undefined): readonly SchemaFault[] => {
    if (withoutFastPath > 0) withoutFastPath -= 1;
    else if (certainty()(object)) return [];
    const correlation = old === undefined ? undefined : new Correlation(object, old, schema);
    return onceEach(walk()(object, locationAt(root), correlation));
  };

  const faultsOfStatus = (object: JsonObject, old: JsonObject | undefined): readonly SchemaFault[] => {
    const [after, before] = [own(object, "status"), own(old, "status")];
    if (after === undefined || statusSchema === undefined) return [];
    const correlation = new Correlation(after, before ?? null, statusSchema);
    const outcome = statusWalk()?.(after, locationAt(statusPlace), correlation);
    return outcome === undefined ? [] : onceEach(outcome);
  };

  const faultsOfLists = (object: JsonObject, old: JsonObject | undefined): readonly SchemaFault[] => {
    if (lists === undefined || lists.holds(object)) return [];
    // One old duplicate anywhere permits new ones everywhere (customResourceStrategy.ValidateUpdate).
    return old !== undefined && !lists.holds(old) ? [] : lists.faults(object, root);
  };

  const faultsOfNames = (object: JsonObject, names: NameCheck) =>
    faultsOfMetadata(objectAt(object, "metadata"), scope, names, metadataPlace, kubernetes);
  const faultsOfUpdate = (object: JsonObject, old: JsonObject) =>
    faultsOfMetadataUpdate(
      objectAt(object, "metadata"),
      objectAt(old, "metadata"),
      metadataPlace,
      kubernetes,
    );
  // On an update the API server checks metadata twice, once for any resource: such causes come twice (rest.BeforeUpdate, and
  // the strategy).
  const commonFaults = (object: JsonObject, old: JsonObject | undefined) =>
    old === undefined ? [] : [...faultsOfNames(object, pathNames), ...faultsOfUpdate(object, old)];

  const validate: ObjectValidator = (object, old, subresource) => {
    const isStatus = subresource === "status";
    const common = commonFaults(object, old);
    const faults = [
      ...asReported(
        old === undefined ? faultsOfNames(object, subdomainNames) : faultsOfUpdate(object, old),
        kubernetes,
      ),
      ...(isStatus ? faultsOfStatus(object, old) : faultsOfSchema(object, old)),
      ...(scale === undefined ? [] : faultsOfScale(object, scale, isStatus ? "status" : "whole")),
      ...(isStatus ? [] : (embedding?.check(object, kubernetes) ?? [])),
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
  const prepare = () => {
    withoutFastPath = 0;
    for (const compile of [certainty, walk, statusWalk]) compile();
    rules?.prepare?.();
  };
  return { validate, prepare };
}

const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Reported instead of running rules on values of the wrong type. */
const unchecked: SchemaFault = {
  ...invalid(
    root,
    null,
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  ),
  because: "rules skipped",
};
