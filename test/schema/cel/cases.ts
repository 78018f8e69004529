import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import type { SchemaFault } from "../../../src/schema/model/fault.ts";
import { type KubernetesVersion, kubernetesVersions } from "../../../src/schema/model/kubernetes-version.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";

/**
 * An expression over the object of its file, and what the API server makes of it: a value, an error, or refusals. A newer
 * release that makes something else of it has an entry of its own.
 */
export interface Case extends Later<readonly string[]> {
  readonly says: string;
  readonly tells?: readonly string[];
}

type Later<T> = { readonly [version in Exclude<KubernetesVersion, (typeof kubernetesVersions)[0]>]?: T };

/** What a release makes of an expression. */
export function toldBy(version: KubernetesVersion, { tells, ...later }: Case): readonly string[] | undefined {
  return ofRelease(version, tells, later);
}

/** What a release says of a schema. */
export function faultsBy(version: KubernetesVersion, { faults, ...later }: SchemaCase): readonly Told[] {
  return ofRelease(version, faults, later) ?? [];
}

function ofRelease<T>(version: KubernetesVersion, first: T | undefined, later: Later<T>): T | undefined {
  const releases = kubernetesVersions.slice(1, kubernetesVersions.indexOf(version) + 1);
  return releases.reduce<T | undefined>((told, release) => later[release as keyof Later<T>] ?? told, first);
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

/** A schema of a CRD, and what the API server says of it. */
export interface SchemaCase extends Later<readonly Told[]> {
  readonly why: string;
  readonly schema: JsonObject;
  readonly faults: readonly Told[];
}

type Told = Pick<SchemaFault, "field" | "message"> & { readonly type: string };

/** Reads schemas.yaml. */
export function readSchemaCases(): readonly SchemaCase[] {
  const [document] = readYaml(readFileSync(join(folder, "schemas.yaml"), "utf8"));
  const cases = get(document?.value ?? null, "cases");
  if (!isArray(cases)) throw new Error("schemas.yaml holds no cases");
  return cases as unknown as readonly SchemaCase[];
}

/** What is said of a schema, in an order of its own. */
export function settledFaults(faults: readonly Told[]): readonly Told[] {
  const told = faults.map(({ type, field, message }) => ({ type, field, message: settled(message) }));
  return told.sort((a, b) => compareCode(JSON.stringify(a), JSON.stringify(b)));
}

function compareCode(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Writes what was recorded: the head of the file stays as it is, each case is a line. */
export function writeCases(file: string, cases: readonly (Case | SchemaCase)[]): void {
  const path = join(folder, file);
  const [head = ""] = readFileSync(path, "utf8").split(/^cases:$/m);
  const lines = cases.map((each) => `  - ${JSON.stringify(each)}\n`);
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
