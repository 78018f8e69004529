import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { apiVersionOf, kindName } from "../apimachinery/resource.ts";
import { carrierField } from "../conversion/carriers.ts";
import { resourceShapeOf, type Shape, withNamedItems } from "../conversion/shape.ts";
import { versionChainOf } from "../conversion/version-chain.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { readYaml } from "../json/yaml.ts";
import { compileVersion } from "../schema/compile.ts";
import { fastPathOf } from "../schema/openapi/fast-path.ts";
import {
  type Example,
  fromHub,
  type Kind,
  type KindDefinition,
  toHub,
  type Version,
  type VersionDefinition,
  versionIndex,
} from "./kind.ts";
import type { NativeDefinition, NativeKind } from "./native.ts";
import { show, validateDefinition, validateNativeDefinition } from "./validate-definition.ts";

/** A reason why a kind cannot be served: the file, and a sentence that continues its name. */
export interface Fault {
  readonly file: string;
  readonly sentence: string;
}

/** Loads a kind's versions and examples and prepares everything that can be prepared at start-up; else its faults. */
export async function loadCustomKind(
  definition: KindDefinition,
  folder: string,
  file: string,
): Promise<{ readonly kind?: Kind; readonly faults: readonly Fault[] }> {
  const invalid = validateDefinition(definition).map((sentence) => ({ file, sentence }));
  if (invalid.length > 0) return { faults: invalid };
  const read = await Promise.all(definition.versions.map((each) => readVersion(definition, each, folder)));
  const faults = read.flatMap((each) => each.faults);
  const versions = read.flatMap((each) => each.version ?? []);
  const hub = versions.at(-1);
  if (faults.length > 0 || hub === undefined) return { faults };
  const name = kindName(definition.group, definition.kind);
  const withoutExamples: Kind = {
    definition,
    folder,
    name,
    versions,
    hub,
    chain: versionChainOf(versions),
    examples: [],
  };
  const examples = await readExamples(withoutExamples);
  const kind = { ...withoutExamples, examples: examples.found };
  const more = [...examples.faults, ...faultsOfConversion(kind)];
  return more.length > 0 ? { faults: more } : { kind, faults: [] };
}

/** Loads a native kind with its examples; else its faults. */
export async function loadNativeKind(
  definition: NativeDefinition,
  folder: string,
  file: string,
): Promise<{ readonly native?: NativeKind; readonly faults: readonly Fault[] }> {
  const invalid = validateNativeDefinition(definition).map((sentence) => ({ file, sentence }));
  if (invalid.length > 0) return { faults: invalid };
  const { group, version, kind } = definition;
  const name = kindName(group, kind);
  const apiVersion = apiVersionOf(group, version);
  const { documents, faults } = await readObjects(path.join(folder, "examples"));
  const isOne = (value: Json) => get(value, "apiVersion") === apiVersion && get(value, "kind") === kind;
  const others = documents
    .filter(({ value }) => !isOne(value))
    .map((document) => ({ file: document.file, sentence: `is not a ${apiVersion} ${kind}` }));
  const all = [...faults, ...others];
  if (all.length > 0) return { faults: all };
  const examples = documents.map((document) => ({
    file: document.file,
    object: document.value as JsonObject,
  }));
  return { native: { definition, folder, name, examples }, faults: [] };
}

async function readVersion(
  definition: KindDefinition,
  { name, lens, retired = {}, listKeys = {} }: VersionDefinition,
  folder: string,
): Promise<{ version?: Version; faults: readonly Fault[] }> {
  const file = path.join(folder, `${name}.yaml`);
  const fault = (sentence: string) => ({ faults: [{ file, sentence }] });
  const text = await readText(file);
  if (text === undefined)
    return fault(`is missing; it holds version ${name} as one entry of a CRD's spec.versions`);
  const parsed = parseDocuments(text);
  if ("sentence" in parsed) return fault(parsed.sentence);
  const [entry, ...others] = parsed.values;
  if (!isObject(entry) || others.length > 0)
    return fault("does not hold exactly one entry of a CRD's spec.versions");
  const sentence = faultOfEntry(entry, name);
  if (sentence !== undefined) return fault(sentence);
  const withCarrier = withCarrierField(entry);
  const compiled = compileVersion(withCarrier, { scope: definition.scope, fastPath: fastPathOf });
  if ("faults" in compiled) {
    const faults = compiled.faults.map(({ field, message }) => `would be refused: ${field}: ${message}`);
    return { faults: faults.map((each) => ({ file, sentence: each })) };
  }
  let shape = resourceShapeOf(compiled.schema.model);
  for (const [list, fields] of Object.entries(listKeys)) {
    const named = withNamedItems(shape, list.split("."), fields);
    if (named === undefined) {
      const names = fields.join(", ");
      return fault(
        `has no list ${list} of objects with ${names} and without keys, which kind.ts names in listKeys`,
      );
    }
    shape = named;
  }
  const misnamed = Object.keys(retired).find((field) => !hasField(shape, field.split(".")));
  if (misnamed !== undefined) return fault(`has no field ${misnamed}, which kind.ts calls retired`);
  const version: Version = {
    name,
    apiVersion: apiVersionOf(definition.group, name),
    entry: withCarrier,
    served: entry.served === true,
    shape,
    schema: compiled.schema,
    defaulted: compiled.schema.fill,
    carriesStatus: hasField(shape, ["status", carrierField]),
    ...(lens === undefined ? {} : { lens }),
    retired: Object.entries(retired).map(([field, instead]) => ({ path: field.split("."), instead })),
  };
  return { version, faults: [] };
}

function faultOfEntry(entry: JsonObject, name: string): string | undefined {
  if (entry.name !== name) return `is named ${show(entry.name)} inside; the file's name says ${name}`;
  if (typeof entry.served !== "boolean") return "does not say served: true or false";
  return isObject(get(entry, "schema", "openAPIV3Schema")) ? undefined : "has no schema.openAPIV3Schema";
}

/** The entry with the reserved status field declared, where the version has a status subresource to hold it. */
function withCarrierField(entry: JsonObject): JsonObject {
  const schema = get(entry, "schema", "openAPIV3Schema");
  if (!isObject(schema) || get(entry, "subresources", "status") === undefined) return entry;
  const status = get(schema, "properties", "status") ?? { type: "object" };
  const field = {
    description: "Reserved for the conversion webhook: what this version cannot express of another one.",
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const inner = asObject(get(status, "properties"));
  const complete = set(asObject(status), "properties", set(inner, carrierField, field));
  const properties = set(asObject(schema.properties), "status", complete);
  return set(
    entry,
    "schema",
    set(asObject(entry.schema), "openAPIV3Schema", set(schema, "properties", properties)),
  );
}

/** The kind's example objects: every document below its folder `examples`. */
async function readExamples(kind: Kind): Promise<{ found: readonly Example[]; faults: readonly Fault[] }> {
  const folder = path.join(kind.folder, "examples");
  const { documents, faults: unreadable } = await readObjects(folder);
  const found: Example[] = [];
  const faults: Fault[] = [...unreadable];
  for (const { file, value } of documents) {
    const version = versionIndex(kind, get(value, "apiVersion"));
    if (isObject(value) && value.kind === kind.definition.kind && version !== undefined) {
      found.push({ file, object: value, version });
    } else faults.push({ file, sentence: `is not a ${kind.name} of one of its versions` });
  }
  if (found.length === 0 && faults.length === 0) {
    faults.push({ file: folder, sentence: "holds no example; one YAML file with an object will do" });
  }
  return { found, faults };
}

/** Every document below a folder, file by file. */
async function readObjects(
  folder: string,
): Promise<{ documents: readonly { file: string; value: Json }[]; faults: readonly Fault[] }> {
  const read = await Promise.all(
    (await filesBelow(folder)).map(async (file) => ({
      file,
      parsed: parseDocuments((await readText(file)) ?? ""),
    })),
  );
  return {
    documents: read.flatMap(({ file, parsed }) =>
      "values" in parsed ? parsed.values.map((value) => ({ file, value })) : [],
    ),
    faults: read.flatMap(({ file, parsed }) =>
      "sentence" in parsed ? [{ file, sentence: parsed.sentence }] : [],
    ),
  };
}

/** Converts every example to every version, so that a lens that throws is found at start-up and not by a user's object. */
function faultsOfConversion(kind: Kind): readonly Fault[] {
  return kind.examples.flatMap(({ file, object, version }) => {
    try {
      const hub = toHub(kind, object, version);
      for (const index of kind.versions.keys()) fromHub(kind, hub, index);
      return [];
    } catch (error) {
      return [
        { file, sentence: `cannot be converted: ${error instanceof Error ? error.message : String(error)}` },
      ];
    }
  });
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

async function readText(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() ? readFile(file, "utf8") : undefined;
}

function parseDocuments(text: string): { values: readonly Json[] } | { sentence: string } {
  try {
    return { values: readYaml(text).map(({ value }) => value) };
  } catch (error) {
    return { sentence: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function hasField(shape: Shape, keys: readonly string[]): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  const below = shape.properties.get(key);
  return below !== undefined && hasField(below, rest);
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
