import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/json/yaml.ts";

/** An expression over the object of its file, and what the API server makes of it: a value, an error, or refusals. */
export interface Case {
  readonly says: string;
  readonly tells?: readonly string[];
}

/** A file of expressions: the schema of `spec`, an object, and the cases. */
export interface Cases {
  readonly schema: JsonObject;
  readonly object: JsonObject;
  readonly cases: readonly Case[];
}

const folder = import.meta.dirname;

/** Reads a file of cases. */
export function readCases(file: string): Cases {
  const [document] = readYaml(readFileSync(join(folder, file), "utf8"));
  const value = document?.value ?? null;
  const [schema, object, cases] = [get(value, "schema"), get(value, "object"), get(value, "cases")];
  if (!isObject(schema) || !isObject(object) || !isArray(cases)) throw new Error(`${file} holds no cases`);
  return { schema, object, cases: cases as unknown as readonly Case[] };
}

/** Writes what was recorded: the head of the file stays as it is, each case is a line. */
export function writeCases(file: string, cases: readonly Case[]): void {
  const path = join(folder, file);
  const [head = ""] = readFileSync(path, "utf8").split(/^cases:$/m);
  const lines = cases.map(({ says, tells }) => `  - ${JSON.stringify({ says, tells })}\n`);
  writeFileSync(path, `${head}cases:\n${lines.join("")}`);
}

/**
 * The rule that makes the API server tell what an expression gives: it fails, unless an error comes first, and its
 * message is the value. `name` finds the answer again.
 */
export function tellingRule(says: string, name: string): JsonObject {
  return {
    rule: `[${says}].size() == 0`,
    message: name,
    messageExpression: `"${name}: <%s>".format([dyn(${says})])`,
  };
}

/** The schema with rules on it. */
export function withRules(schema: JsonObject, rules: readonly Json[]): JsonObject {
  return set(schema, "x-kubernetes-validations", rules);
}

/** A resource whose spec has a schema. */
export function resource(spec: JsonObject): JsonObject {
  return { type: "object", properties: { spec } };
}

/** A message without what the server makes up anew each time: the name of the type of self. */
export function settled(message: string): string {
  return message.replaceAll(/selfType\d+/g, "selfType");
}
