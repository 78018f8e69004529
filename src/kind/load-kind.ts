import { readdir } from "node:fs/promises";
import path from "node:path";
import { apiVersionOf, kindName } from "../apimachinery/resource.ts";
import { versionChainOf } from "../conversion/version-chain.ts";
import { get, type Json, type JsonObject } from "../json/json.ts";
import { once } from "../once.ts";
import { type CompiledSchema, compileCheckedVersion, compileVersion } from "../schema/crd/compile.ts";
import { versionModelOf } from "../schema/model/crd.ts";
import { fastPathOf } from "../schema/openapi/fast-path.ts";
import { faultsOfLenses } from "./check-lenses.ts";
import { type CrdFault, checkEntries } from "./crd-faults.ts";
import type { Fault } from "./fault.ts";
import { sourceOf } from "./import-fault.ts";
import type { Kind, KindDefinition, Version, VersionDefinition } from "./kind.ts";
import { checkedExamples, loadExamples } from "./load-examples.ts";
import { readVersionFile, type VersionFile } from "./load-version.ts";
import type { NativeDefinition, NativeKind } from "./native.ts";
import { preparedVersion } from "./prepare-version.ts";
import { readFolder } from "./read-documents.ts";
import { literalIn, propertyIn } from "./source.ts";
import { type DefinitionFault, validateDefinition, validateNativeDefinition } from "./validate-definition.ts";

/** Loads a kind's versions and examples and prepares everything that can be prepared at start; else all its faults. */
export async function loadCustomKind(
  definition: KindDefinition,
  folder: string,
  file: string,
): Promise<{ readonly kind?: Kind; readonly faults: readonly Fault[] }> {
  const { faults: invalid, isReadable } = validateDefinition(definition);
  const source = { file, text: await sourceOf(file) };
  const own = invalid.map((fault) => inDefinition(fault, source));
  if (!isReadable) return { faults: own };
  const files = definition.versions.map(({ name }) => readVersionFile(name, folder));
  const unlisted = await unlistedVersions(definition, folder, files, file);
  // What is wrong with a property of the definition is reported once.
  const reported = new Set(invalid.map(({ property }) => property));
  const { compiled, faults: ofCrd } = compileAll(definition, files, source, reported);
  const prepared = definition.versions.map((each, index) =>
    preparedVersion(definition, each, files[index]?.entry, compiled[index]),
  );
  const versions = prepared.map(({ version }) => version);
  const ofNames = prepared.flatMap(({ faults }) => faults.map((fault) => inDefinition(fault, source)));
  const ofRows = await faultsOfLenses(versions, file);
  const ofFiles = [...files.flatMap((each) => each.faults), ...unlisted];
  const faults = [...own, ...ofFiles, ...ofCrd, ...ofNames, ...ofRows];
  // Examples of a definition that is wrong itself would only repeat that.
  return own.length > 0 ? { faults } : withExamples({ definition, folder }, versions, faults);
}

/** Files named like versions that the definition does not list. Of a misspelt name, the missing file is fault enough. */
async function unlistedVersions(
  { versions }: KindDefinition,
  folder: string,
  files: readonly VersionFile[],
  definition: string,
): Promise<readonly Fault[]> {
  if (files.some(({ isMissing }) => isMissing)) return [];
  const listed = new Set(versions.map(({ name }) => name));
  const isUnlisted = (each: string) => {
    const [, name] = /^(v\d+(?:(?:alpha|beta)\d+)?)\.ya?ml$/.exec(each) ?? [];
    return name !== undefined && !listed.has(name);
  };
  return (await readdir(folder)).filter(isUnlisted).map((each) => ({
    file: path.join(folder, each),
    sentence: `is not a version of the kind; add it to versions in ${path.basename(definition)}, or remove the file`,
  }));
}

/** The kind with its examples, which are also looked at if there are faults: unless a version is missing altogether. */
async function withExamples(
  { definition, folder }: Pick<Kind, "definition" | "folder">,
  found: readonly (Version | undefined)[],
  before: readonly Fault[],
): Promise<{ readonly kind?: Kind; readonly faults: readonly Fault[] }> {
  const versions = found.flatMap((each) => each ?? []);
  const hub = versions.at(-1);
  if (hub === undefined || versions.length < found.length) return { faults: before };
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
  const { examples, faults } = await loadExamples(withoutExamples);
  const all = [...before, ...faults];
  return all.length > 0 ? { faults: all } : { kind: { ...withoutExamples, examples }, faults: [] };
}

/**
 * A kind that was checked before and has not changed since. Its schemas are read and compiled, and its examples read, when they
 * are first needed: most services see few of the kinds that they have, and most commands one.
 */
export function checkedKind(definition: KindDefinition, folder: string): Kind {
  const versions = once(() => definition.versions.map((each) => checkedVersion(definition, each, folder)));
  const hub = once(() => lastOf(versions(), folder));
  const chain = once(() => versionChainOf(versions()));
  const examples = once(() => checkedExamples(kind));
  const kind: Kind = {
    definition,
    folder,
    name: kindName(definition.group, definition.kind),
    get versions() {
      return versions();
    },
    get hub() {
      return hub();
    },
    get chain() {
      return chain();
    },
    get examples() {
      return examples();
    },
  };
  return kind;
}

function checkedVersion(definition: KindDefinition, own: VersionDefinition, folder: string): Version {
  const file = readVersionFile(own.name, folder);
  const { scope } = definition;
  const schema = file.entry && compileCheckedVersion(versionModelOf(file.entry), { scope, ...fastPath });
  const { version } = preparedVersion(definition, own, file.entry, schema);
  if (version === undefined) throw new Error(`${file.file} was changed or removed while this process runs`);
  return version;
}

function lastOf(versions: readonly Version[], folder: string): Version {
  const last = versions.at(-1);
  if (last === undefined) throw new Error(`the kind in ${folder} has no version`);
  return last;
}

/** Loads a native kind with its examples; else its faults. */
export async function loadNativeKind(
  definition: NativeDefinition,
  folder: string,
  file: string,
): Promise<{ readonly native?: NativeKind; readonly faults: readonly Fault[] }> {
  const source = { file, text: await sourceOf(file) };
  const invalid = validateNativeDefinition(definition).map((fault) => inDefinition(fault, source));
  if (invalid.length > 0) return { faults: invalid };
  const { group, version, kind } = definition;
  const name = kindName(group, kind);
  const apiVersion = apiVersionOf(group, version);
  const { documents, faults } = readFolder(path.join(folder, "examples"));
  const isOne = (value: Json) => get(value, "apiVersion") === apiVersion && get(value, "kind") === kind;
  const others = documents
    .filter(({ value }) => !isOne(value))
    .map(({ file: example, line }) => ({
      file: example,
      place: { line, column: 1 },
      sentence: `is not a ${apiVersion} ${kind}`,
    }));
  const all = [...faults, ...others];
  if (all.length > 0) return { faults: all };
  const examples = documents.map((document) => ({
    file: document.file,
    object: document.value as JsonObject,
  }));
  return { native: { definition, folder, name, examples }, faults: [] };
}

/** The file of a definition. */
interface Source {
  readonly file: string;
  readonly text: string;
}

/** A fault of the definition at the line that sets the property, or that writes the text. */
function inDefinition({ sentence, property, literal }: DefinitionFault, { file, text }: Source): Fault {
  const place =
    (literal === undefined ? undefined : literalIn(text, literal)) ?? propertyIn(text, property ?? "");
  return { file, sentence, ...(place === undefined ? {} : { place }) };
}

/** Compiles the schemas of all versions together, as an API server would; of faulty ones those that can be compiled. */
function compileAll(
  definition: KindDefinition,
  files: readonly VersionFile[],
  source: Source,
  reported: ReadonlySet<string | undefined>,
): { readonly compiled: readonly (CompiledSchema | undefined)[]; readonly faults: readonly Fault[] } {
  const usable = files.flatMap((each) => (each.entry === undefined ? [] : [{ ...each, entry: each.entry }]));
  if (usable.length === 0) return { compiled: [], faults: [] };
  const checked = checkEntries(
    definition,
    usable.map(({ entry }) => entry),
    fastPath,
  );
  if ("schemas" in checked) {
    const compiled = files.map(({ file }) => checked.schemas[usable.findIndex((each) => each.file === file)]);
    return { compiled, faults: [] };
  }
  const isNew = (fault: CrdFault) => !("property" in fault && reported.has(fault.property));
  return {
    compiled: files.map(({ entry }) => entry && schemaOf(entry, definition)),
    faults: checked.faults.filter(isNew).map((fault) => placedFault(fault, usable, source)),
  };
}

function placedFault(fault: CrdFault, files: readonly VersionFile[], source: Source): Fault {
  const file = "version" in fault ? files[fault.version] : undefined;
  if ("property" in fault || file === undefined) return inDefinition(fault, source);
  return { file: file.file, place: file.placeOf(fault.path), sentence: fault.sentence };
}

function schemaOf(entry: JsonObject, { scope }: KindDefinition): CompiledSchema | undefined {
  const compiled = compileVersion(entry, { scope });
  return "schema" in compiled ? compiled.schema : undefined;
}

/**
 * A command that reads a few examples and objects ends sooner without the fast path, which loads ajv and compiles code; `serve`
 * prepares it.
 */
const fastPath = { fastPath: fastPathOf, fastPathAfter: 100 };
