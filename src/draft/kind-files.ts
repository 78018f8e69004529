import { apiVersionOf } from "../apimachinery/resource.ts";
import { get, type JsonObject } from "../json/json.ts";
import { contentSchemaOf } from "../laws/content-schema.ts";
import { type CompiledSchema, compileVersion } from "../schema/crd/compile.ts";
import { writeYaml } from "../yaml/yaml.ts";
import { exampleOf } from "./example.ts";
import { type KindNames, kindText, lensFile } from "./kind-text.ts";
import { draftLens } from "./lens-text.ts";
import type { Tally } from "./tally.ts";

/** A version of a CRD: its entry of `spec.versions`, and the YAML that it is to be written as. */
export interface VersionSource {
  readonly name: string;
  readonly entry: JsonObject;
  readonly yaml: string;
}

/** A file of a kind's folder, relative to it. */
interface KindFile {
  readonly file: string;
  readonly content: string;
}

/** The files of a kind, and what its author should know about them. */
export interface DraftKind {
  readonly files: readonly KindFile[];
  /** For each lens from a version to the next newer one. */
  readonly lenses: readonly {
    readonly older: string;
    readonly newer: string;
    readonly tally: Tally;
    readonly warnings: readonly string[];
  }[];
  /** Versions for which no example was found that their schema admits. */
  readonly withoutExample: readonly string[];
}

/** Drafts the folder of a kind. The versions are in order, oldest first, and an API server accepts their schemas. */
export function draftKind(names: KindNames, versions: readonly VersionSource[]): DraftKind {
  const lenses = versions
    .slice(1)
    .map((newer, index) => lensBetween(versions[index] ?? newer, newer, newer === versions.at(-1)));
  const examples = versions.map((version, at) => {
    const changed = new Set([...(lenses[at]?.changed.older ?? []), ...(lenses[at - 1]?.changed.newer ?? [])]);
    return { version, object: exampleFor(names, version, changed) };
  });
  const files = [
    {
      file: "kind.ts",
      content: kindText(
        names,
        versions.map(({ name }) => name),
      ),
    },
    ...versions.map(({ name, yaml }) => ({ file: `${name}.yaml`, content: yaml })),
    ...lenses.map(({ older, text }) => ({ file: lensFile(older), content: text })),
    ...examples.map(({ version, object }) => ({
      file: `examples/${version.name}.yaml`,
      content: object === undefined ? "" : writeYaml(object),
    })),
  ];
  return {
    files: files.filter(({ content }) => content !== ""),
    lenses: lenses.map(({ text: _, changed: __, ...lens }) => lens),
    withoutExample: examples.filter(({ object }) => object === undefined).map(({ version }) => version.name),
  };
}

function lensBetween(older: VersionSource, newer: VersionSource, isHub: boolean) {
  const names = { older: older.name, newer: newer.name };
  const [from, to] = [contentSchemaOf(older.entry), contentSchemaOf(newer.entry)];
  return { ...names, ...draftLens(from, to, names, isHub) };
}

function exampleFor(
  { group, kind, scope }: KindNames,
  { name, entry }: VersionSource,
  changed: ReadonlySet<string>,
): JsonObject | undefined {
  const schema = schemaOf(entry, scope);
  const isNamespaced = scope === "Namespaced";
  return exampleOf({ entry, schema, apiVersion: apiVersionOf(group, name), kind, isNamespaced, changed });
}

function schemaOf(entry: JsonObject, scope: KindNames["scope"]): CompiledSchema {
  const compiled = compileVersion(entry, { scope });
  if ("schema" in compiled) return compiled.schema;
  const [fault] = compiled.faults;
  throw new Error(
    `version ${String(get(entry, "name"))} was accepted before: ${fault?.field} ${fault?.message}`,
  );
}
