import { get, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type CompiledRules, compileRules } from "./cel/rules/rules.ts";
import { required, type SchemaFault } from "./fault.ts";
import { type KubernetesVersion, newestKubernetes } from "./kubernetes-version.ts";
import type { Scope } from "./metadata/check.ts";
import { type Embedding, embeddingOf } from "./metadata/embedded.ts";
import { hasRules, readSchema, type Schema, Unreadable } from "./model.ts";
import { scaleOf } from "./scale.ts";
import { checkSchema } from "./structural/schema.ts";
import { defaultingOf, nullDropOf, type Pruned, prunerOf, type Transform } from "./transform.ts";
import { type FastPathCompiler, type ObjectValidator, objectValidatorOf } from "./validate.ts";

/** A schema, compiled once: what an API server does with objects by it. */
export interface CompiledSchema {
  /** The schema as it was read. */
  readonly model: Schema;
  /** The object without what the schema does not know; its metadata stays as it is. */
  readonly prune: (object: JsonObject) => Pruned;
  /** The object with meaningless nulls dropped and defaults filled in. */
  readonly defaulted: Transform;
  /** The defaults alone, where nulls were dropped before. */
  readonly fill: Transform;
  /** What is wrong with an object, pruned and defaulted before, and the warnings of the server. */
  readonly validate: ObjectValidator;
  /** Compiles what `validate` would compile for its first objects, so that no request waits for it. */
  readonly prepare: () => void;
}

/** A schema with what only answering a write needs. */
export interface WritableSchema extends CompiledSchema {
  readonly dropNulls: (object: JsonObject) => JsonObject;
  readonly embedding: Embedding | undefined;
}

/** What the entry of a version does not contain. */
interface VersionOptions extends EngineOptions {
  readonly scope?: Scope;
  /** Where its schema stands in the CRD, as faults name it. */
  readonly at?: string;
  /** Whether the version counts as having a status subresource, which a schema that all versions share has if any of them has one. */
  readonly endpoint?: "status" | "none";
}

/** How schemas are compiled, whatever they are. */
export interface EngineOptions {
  /** The release of the API server that is followed; by default the newest. */
  readonly kubernetes?: KubernetesVersion;
  /** What recognises most valid objects faster than the validator does. */
  readonly fastPath?: FastPathCompiler;
  /** How many objects are validated without it, unless it is prepared: none by default. */
  readonly fastPathAfter?: number;
}

/** Compiles one entry of a CRD's `spec.versions`; the faults are those that the API server would find in its schema. */
export function compileVersion(
  entry: JsonObject,
  options: VersionOptions = {},
): { readonly schema: WritableSchema } | { readonly faults: readonly SchemaFault[] } {
  const found = checkVersion(entry, options);
  if ("faults" in found) return found;
  return { schema: compiled(found.schema, entry, found.rules, options) };
}

/**
 * The same for an entry that had no fault before, without looking for faults again; undefined if it has no schema. Its rules
 * are compiled when they are first asked: most commands do not ask any.
 */
export function compileCheckedVersion(
  entry: JsonObject,
  options: VersionOptions = {},
): WritableSchema | undefined {
  const json = get(entry, "schema", "openAPIV3Schema");
  if (!isObject(json)) return undefined;
  const schema = readSchema(json);
  return compiled(schema, entry, hasRules(schema) ? rulesOnDemand(schema, options) : undefined, options);
}

function rulesOnDemand(schema: Schema, { kubernetes }: EngineOptions): CompiledRules {
  let rules: CompiledRules | undefined;
  const compiledRules = () => {
    rules ??= compileRules(schema, { kubernetes }).rules;
    return rules;
  };
  return {
    check: (value, old, path) => compiledRules().check(value, old, path),
    prepare: () => void compiledRules(),
  };
}

function checkVersion(
  entry: JsonObject,
  { at = "schema", endpoint = endpointOf(entry), kubernetes = newestKubernetes }: VersionOptions,
) {
  const json = get(entry, "schema", "openAPIV3Schema");
  if (!isObject(json)) return { faults: [required(`${at}.openAPIV3Schema`)] };
  try {
    const schema = readSchema(json);
    const checked = checkSchema(schema, at, endpoint, kubernetes);
    return "faults" in checked ? checked : { schema, rules: checked.rules };
  } catch (error) {
    if (error instanceof Unreadable) return { faults: [unreadableDefinition(error)] };
    throw error;
  }
}

/** Whether a version has an endpoint for its status. */
export function endpointOf(entry: Json): "status" | "none" {
  return (get(entry, "subresources", "status") ?? null) === null ? "none" : "status";
}

/** What the API server answers to a CRD that it cannot read. */
function unreadableDefinition({ message }: Unreadable): SchemaFault {
  const name = "CustomResourceDefinition";
  const detail = `${name} in version "v1" cannot be handled as a ${name}: ${message}`;
  return { type: "", field: "", message: detail, detail };
}

function compiled(
  schema: Schema,
  entry: JsonObject,
  rules: CompiledRules | undefined,
  { scope, kubernetes = newestKubernetes, fastPath, fastPathAfter = 0 }: VersionOptions,
): WritableSchema {
  const fill = defaultingOf(schema);
  const dropNulls = nullDropOf(schema);
  const embedding = embeddingOf(schema);
  const scale = scaleOf(get(entry, "subresources", "scale"));
  return {
    model: schema,
    fill,
    prune: prunerOf(schema),
    defaulted: (object) => fill(dropNulls(object)),
    ...objectValidatorOf(schema, { rules, scope, kubernetes, embedding, scale, fastPath, fastPathAfter }),
    dropNulls,
    embedding,
  };
}
