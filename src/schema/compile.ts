import { get, isObject, type Json, type JsonObject } from "../json/json.ts";
import { defaultingOf } from "./defaults.ts";
import type { SchemaFault } from "./fault.ts";
import { type Judge, judgeOf } from "./judge.ts";
import type { Scope } from "./metadata/check.ts";
import { type Embedding, embeddingOf } from "./metadata/embedded.ts";
import { readSchema, type Schema } from "./model.ts";
import { nullDropOf } from "./nulls.ts";
import { type Pruned, prunerOf } from "./prune.ts";
import { rulesOf } from "./rules.ts";
import { scaleOf } from "./scale.ts";

/** A schema, compiled once: what an API server of v1.36 does with objects by it. */
export interface CompiledSchema {
  /** The object without what the schema does not know; its metadata stays as it is. */
  readonly prune: (object: JsonObject) => Pruned;
  /** Nulls that say nothing are dropped first, then what is missing takes its default. */
  readonly defaulted: (object: JsonObject) => JsonObject;
  /** What is wrong with an object, pruned and defaulted before, and what the server warns of. */
  readonly validate: Judge;
}

/** What the entry of a version does not say of its kind. */
export interface Circumstances {
  readonly scope?: Scope;
}

/** A schema with what only the answer to a write needs. */
export interface WholeSchema extends CompiledSchema {
  readonly dropped: (object: JsonObject) => JsonObject;
  readonly embedding: Embedding | undefined;
}

/** Compiles one entry of a CRD's `spec.versions`; the faults are those that the API server would find in its schema. */
export function compileVersion(
  entry: JsonObject,
  circumstances: Circumstances = {},
): { readonly schema: WholeSchema } | { readonly faults: readonly SchemaFault[] } {
  const json = get(entry, "schema", "openAPIV3Schema");
  const schema = readSchema(isObject(json) ? json : {});
  const rules = rulesOf(json ?? {});
  if ("faults" in rules) return rules;
  return { schema: compiled(schema, json ?? {}, entry, rules.rules, circumstances) };
}

function compiled(
  schema: Schema,
  json: Json,
  entry: JsonObject,
  rules: Parameters<typeof judgeOf>[1]["rules"],
  { scope }: Circumstances,
): WholeSchema {
  const fill = defaultingOf(json);
  const drop = nullDropOf(schema);
  const embedding = embeddingOf(schema);
  return {
    prune: prunerOf(schema),
    defaulted: (object) => fill(drop(object)),
    validate: judgeOf(schema, {
      rules,
      scope,
      embedding,
      scale: scaleOf(get(entry, "subresources", "scale")),
    }),
    dropped: drop,
    embedding,
  };
}
