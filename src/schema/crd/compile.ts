import type { JsonObject } from "../../json/json.ts";
import { once } from "../../once.ts";
import { type CompiledRules, compileRules } from "../cel/rules/rules.ts";
import type { Scope } from "../metadata/check.ts";
import { type Embedding, embeddingOf } from "../metadata/embedded.ts";
import { hasStatus, schemaIn, type VersionModel, versionModelOf } from "../model/crd.ts";
import type { SchemaFault } from "../model/fault.ts";
import { type KubernetesVersion, newestKubernetes } from "../model/kubernetes-version.ts";
import { hasRules, readSchema, type Schema } from "../model/schema.ts";
import { type FastPathCompiler, type ObjectValidator, objectValidatorOf } from "../object/validate.ts";
import { checkSchema } from "../structural/schema.ts";
import { defaultingOf, nullDropOf, type Pruned, prunerOf, type Transform } from "../structural/transform.ts";

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

/** How schemas are compiled. */
export interface EngineOptions {
  /** The release of the API server that is followed; by default the newest. */
  readonly kubernetes?: KubernetesVersion;
  /** What recognises most valid objects faster than the validator does. */
  readonly fastPath?: FastPathCompiler;
  /** How many objects are validated without it, unless it is prepared: none by default. */
  readonly fastPathAfter?: number;
}

/** The same, and what the entry of a version does not contain. */
interface VersionOptions extends EngineOptions {
  readonly scope?: Scope;
}

/** Compiles one entry of a CRD's `spec.versions`; the faults are those that the API server would find in its schema. */
export function compileVersion(
  entry: JsonObject,
  options: VersionOptions = {},
): { readonly schema: WritableSchema } | { readonly faults: readonly SchemaFault[] } {
  const version = versionModelOf(entry);
  const { kubernetes = newestKubernetes } = options;
  const json = schemaIn(version);
  const { schema, rules, faults } = checkSchema(json, "schema", hasStatus(version), kubernetes);
  return schema === undefined || faults.length > 0
    ? { faults }
    : { schema: compiledSchema(schema, rules, version, options) };
}

/**
 * The same for a version that had no fault before, without looking for faults again; undefined if it has no schema. Its rules
 * are compiled when they are first asked: most commands do not ask any.
 */
export function compileCheckedVersion(
  version: VersionModel,
  options: VersionOptions = {},
): WritableSchema | undefined {
  const json = schemaIn(version);
  if (json === undefined) return undefined;
  const schema = readSchema(json);
  const rules = hasRules(schema) ? rulesOnDemand(schema, options) : undefined;
  return compiledSchema(schema, rules, version, options);
}

function rulesOnDemand(schema: Schema, { kubernetes }: EngineOptions): CompiledRules {
  const rules = once(() => compileRules(schema, { kubernetes }).rules);
  return {
    check: (value, old, path) => rules().check(value, old, path),
    prepare: () => void rules(),
  };
}

/** A schema that has no fault, with its rules, compiled. */
export function compiledSchema(
  schema: Schema,
  rules: CompiledRules | undefined,
  { subresources }: VersionModel,
  { scope, kubernetes = newestKubernetes, fastPath, fastPathAfter = 0 }: VersionOptions,
): WritableSchema {
  const fill = defaultingOf(schema);
  const dropNulls = nullDropOf(schema);
  const embedding = embeddingOf(schema);
  const scale = subresources?.scale;
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
