import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import type { Client } from "../../cluster/client.ts";
import { establishCrd } from "../../cluster/crd.ts";
import { type Case, type Cases, resource, settled, tellingRule, withRules } from "./cases.ts";

type Server = Omit<Client, "close">;

const group = "cel.antechamber.dev";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What an API server says: a cause's reason, its field, its words. */
export interface Cause {
  readonly type: string;
  readonly field: string;
  readonly message: string;
}

/** A CRD with a schema. */
export function crdOf(name: string, schema: JsonObject): JsonObject {
  const kind = name.charAt(0).toUpperCase() + name.slice(1);
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.${group}` },
    spec: { group, scope: "Namespaced", names: { kind, plural: `${name}s` }, versions: [version] },
  };
}

/** Where a server says that the only version's schema is. */
export const schemaField = "spec.validation.openAPIV3Schema";

/** What the server says of a schema when a CRD has it, the fields below the schema. */
export async function askSchema(server: Server, schema: JsonObject): Promise<readonly Cause[]> {
  const { body } = await server.request("POST", `${crds}?dryRun=All`, { body: crdOf("asking", schema) });
  return causesOf(body).map((cause) => ({
    ...cause,
    field: cause.field.replace(/^[\w.[\]]*?openAPIV3Schema\.?/, ""),
  }));
}

/** What the server makes of each expression. */
export async function askValues(server: Server, { schema, object, cases }: Cases): Promise<readonly Case[]> {
  const told: Case[] = [];
  for (let from = 0; from < cases.length; from += 40) {
    told.push(...(await askChunk(server, schema, object, cases.slice(from, from + 40), `chunk${from}`)));
  }
  return told;
}

/** What the server says of each rule when a CRD has it. */
export async function askRefusals(server: Server, { schema, cases }: Cases): Promise<readonly Case[]> {
  const told: Case[] = [];
  for (let from = 0; from < cases.length; from += 60) {
    const part = cases.slice(from, from + 60);
    const rules = part.map(({ says }) => ({ rule: says, message: "m" }));
    const refused = refusalsOf(await askSchema(server, resource(withRules(schema, rules))));
    told.push(...part.map(({ says }, index) => ({ says, tells: refused.get(index) ?? ["accepted"] })));
  }
  return told;
}

async function askChunk(
  server: Server,
  schema: JsonObject,
  object: JsonObject,
  cases: readonly Case[],
  name: string,
) {
  const rules = cases.map(({ says }, index) => tellingRule(says, `e${index}`));
  const refused = refusalsOf(await askSchema(server, resource(withRules(schema, rules))), "rule");
  const kept = rules.filter((_, index) => !refused.has(index));
  await establishCrd(server, crdOf(name, resource(withRules(schema, kept))));
  const told = await askObject(server, name, object);
  return cases.map(({ says }, index) => ({ says, tells: refused.get(index) ?? toldOf(told, `e${index}`) }));
}

/** Writes an object to a kind and gives the causes of its refusal. */
export async function askObject(server: Server, name: string, spec: JsonObject): Promise<readonly Cause[]> {
  const path = `/apis/${group}/v1/namespaces/default/${name}s`;
  const kind = name.charAt(0).toUpperCase() + name.slice(1);
  const body = { apiVersion: `${group}/v1`, kind, metadata: { name: "one" }, spec };
  const answer = await server.request("POST", path, { body });
  return causesOf(answer.body);
}

/** What is said of each rule of `spec`, by its index. */
export function refusalsOf(causes: readonly Cause[], only?: string): ReadonlyMap<number, readonly string[]> {
  const refused = new Map<number, string[]>();
  for (const { field, message } of causes) {
    const [, index, part = ""] =
      /^properties\[spec\]\.x-kubernetes-validations\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
    if (index === undefined) continue;
    // Of all rules together: which are named depends on the others.
    if (message.includes("contributed to estimated rule cost total")) continue;
    const [, told = message] =
      /^Invalid value: \{"Rule":.*?"OptionalOldSelf":(?:null|true|false)\}: (.*)$/s.exec(message) ?? [];
    const said = refused.get(Number(index)) ?? [];
    if (only === undefined || only === part)
      refused.set(Number(index), [...said, `${part}: ${settled(told)}`]);
  }
  return refused;
}

/** What the causes say of an expression by the name of its rule: its value, or its error. */
export function toldOf(causes: readonly { readonly message: string }[], name: string): readonly string[] {
  const told = causes.flatMap(({ message }) => {
    const text = message.replace(/^Invalid value: (?:"object": )?/, "");
    if (text.startsWith(`${name}: <`)) return [text.slice(name.length + 3, -1)];
    if (text === name) return ["no value that can be printed"];
    const [, error] = new RegExp(`^(.*?) evaluating rule: ${name}$`, "s").exec(text) ?? [];
    if (error !== undefined) return [`error: ${error}`];
    const [, overload] =
      new RegExp(`^'(.*)': call arguments did not .* for rule: ${name}$`, "s").exec(text) ?? [];
    return overload === undefined ? [] : [`error: ${overload}`];
  });
  return told.length === 0 ? ["nothing"] : told.map(settled);
}

/** The causes in an answer of the server. */
export function causesOf(body: Json | undefined): readonly Cause[] {
  const causes = get(body, "details", "causes");
  const found = isArray(causes) ? causes.filter(isObject) : [];
  return found.map((cause) => ({
    type: String(cause.reason),
    field: String(cause.field),
    message: String(cause.message),
  }));
}
