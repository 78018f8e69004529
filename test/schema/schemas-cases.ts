import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { parseJson } from "../../src/schema/index.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { palette } from "./schemas-palette.ts";

// The schemas and writes under test/schema/schemas, which docs/evidence/validation.md describes.

/** A write to a kind: a creation, an update where there is an old object, a write to /status where it says so. */
export interface Write {
  readonly object: JsonObject;
  /** What is stored before, by way of a version that checks nothing where the kind has one. */
  readonly old?: JsonObject;
  readonly subresource?: "status";
}

/** A CRD, and writes to its kind. */
export interface Case {
  readonly name: string;
  /** Where the answers to its writes are recorded. */
  readonly answers: string;
  readonly crd: JsonObject;
  readonly writes: readonly Write[];
}

export const group = "schemas.antechamber.dev";
export const folder = path.join(import.meta.dirname, "./schemas");

/** The cases of a folder under test/schema/schemas, by name; of a kind with several versions one for each. */
export function readCases(below: "accepted" | "projects"): readonly Case[] {
  const here = path.join(folder, below);
  const files = readdirSync(here).filter((file) => file.endsWith(".yaml"));
  return files.toSorted().flatMap((file) => toCases(here, path.basename(file, ".yaml")));
}

/** Identifies a write: responses are recorded under it. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(writeJson(value as Json))
    .digest("hex")
    .slice(0, 12);
}

/** A CRD of one version v1 with a schema, and one that takes anything, through which invalid objects get in. */
export function crdOf(name: string, schema: Json, details: JsonObject = {}): JsonObject {
  const plural = name.toLowerCase().replaceAll("-", "");
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1);
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: plural, listKind: `${kind}List` },
      versions: [
        { name: "v1", served: true, storage: true, ...details, schema: { openAPIV3Schema: schema } },
        { name: "anything", served: true, storage: false, schema: { openAPIV3Schema: anything } },
      ],
    },
  };
}

/** The object whole: with apiVersion, kind, name and namespace, where it does not say its own. */
export function wholeObject(crd: JsonObject, version: string, part: JsonObject): JsonObject {
  const { metadata } = part;
  return {
    apiVersion: `${String(get(crd, "spec", "group"))}/${version}`,
    kind: get(crd, "spec", "names", "kind") ?? null,
    ...part,
    metadata:
      metadata === undefined || isObject(metadata)
        ? { name: "thing", namespace: "default", ...metadata }
        : metadata,
  };
}

function toCases(here: string, name: string): readonly Case[] {
  const text = readFileSync(path.join(here, `${name}.yaml`), "utf8");
  const [head, ...rest] = readYaml(text).map(({ value }) => value);
  if (!isObject(head)) throw new Error(`${name}.yaml: the first document should be a CRD, or have a schema`);
  const caseOf = (of: string, crd: JsonObject, version: string, entries: readonly Json[]): Case => ({
    name: of,
    answers: path.join(here, `${of}.answers.json`),
    crd,
    writes: entries.flatMap((entry) => writesOf(crd, version, entry)),
  });
  if (head.kind !== "CustomResourceDefinition") {
    const { schema = null, writes = [], ...details } = head;
    return [caseOf(name, crdOf(name, schema, details), "v1", entriesOf(writes))];
  }
  const versions = versionNames(head);
  const entries = rest.flatMap(entriesOf);
  const written = (entry: Json) => String(get(entry, "version") ?? versions[0]);
  return versions.map((version) => {
    const own = entries.filter((entry) => written(entry) === version);
    return caseOf(`${name}-${version}`, storedAt(head, version), version, own);
  });
}

/**
 * The CRD with another version that is stored, under a group of its own: what is stored at another version than it was
 * written at is pruned once more, as that version's schema has it, which is conversion's affair.
 */
function storedAt(crd: JsonObject, version: string): JsonObject {
  const { spec, metadata } = crd;
  const group = `${version}.${String(get(spec, "group"))}`;
  const name = `${String(get(spec, "names", "plural"))}.${group}`;
  const versions = get(spec, "versions");
  const moved = (isArray(versions) ? versions : [])
    .filter(isObject)
    .map((each) => ({ ...each, storage: each.name === version }));
  return {
    ...crd,
    metadata: { ...(isObject(metadata) ? metadata : {}), name },
    spec: { ...(isObject(spec) ? spec : {}), group, versions: moved },
  };
}

function versionNames(crd: JsonObject): readonly string[] {
  const versions = get(crd, "spec", "versions");
  return (isArray(versions) ? versions : []).map((version) => String(get(version, "name")));
}

function entriesOf(document: Json): readonly Json[] {
  return isArray(document) ? document : [document];
}

/** The writes that one entry stands for. */
function writesOf(crd: JsonObject, version: string, entry: Json): readonly Write[] {
  // A text is JSON, in which it counts how a number is written.
  const partOf = (part: Json | undefined) => (typeof part === "string" ? parseJson(part) : part);
  const whole = (part: Json | undefined) => {
    const read = partOf(part);
    return wholeObject(crd, version, isObject(read) ? read : {});
  };
  const { create, update, status, each } = isObject(entry) ? entry : {};
  if (create !== undefined) return [{ object: whole(create) }];
  if (isArray(update)) return [{ old: whole(update[0]), object: whole(update[1]) }];
  if (isArray(status)) return [{ old: whole(status[0]), object: whole(status[1]), subresource: "status" }];
  if (each !== undefined) return eachOf(each, entry).map((part) => ({ object: whole(part) }));
  throw new Error(`neither create nor update, status or each: ${writeJson(entry)}`);
}

/** One object for each path and each value of an entry: `each: spec.a, of: [1, 2], with: {spec: {b: 1}}`. */
function eachOf(each: Json, entry: Json): readonly JsonObject[] {
  const of = get(entry, "of");
  const extra = get(entry, "with") ?? {};
  const values = isArray(of) ? of : of === "anything" ? palette : undefined;
  if (values === undefined) throw new Error(`of must be a list: ${writeJson(entry)}`);
  return [each].flat().flatMap((place) =>
    values.map((value) => {
      const put = putAt(extra, String(place).split("."), value);
      return isObject(put) ? put : {};
    }),
  );
}

function putAt(into: Json | undefined, keys: readonly string[], value: Json): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const object = isObject(into) ? into : {};
  return { ...object, [key]: putAt(get(object, key), rest, value) };
}
