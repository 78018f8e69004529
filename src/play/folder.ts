import { kindName } from "../apimachinery/resource.ts";
import { versionChainOf } from "../conversion/version-chain.ts";
import { SyntaxFault } from "../json/document.ts";
import { isObject, type JsonObject, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { faultsOfRows } from "../kind/check-rows.ts";
import { checkEntries, crdOf } from "../kind/crd-faults.ts";
import type { Kind, KindDefinition, Version } from "../kind/kind.ts";
import { preparedVersion } from "../kind/prepare-version.ts";
import { literalIn, propertyIn } from "../kind/source.ts";
import { unknownKeys } from "../kind/unknown-keys.ts";
import { type DefinitionFault, validateDefinition } from "../kind/validate-definition.ts";
import { faultsOfEntry, withCarrierField } from "../kind/version-entry.ts";
import { type Crd, compileCheckedCrd } from "../schema/index.ts";
import { placesOf } from "../yaml/places.ts";
import { readYaml } from "../yaml/yaml.ts";
import { entry, type FileFault, type Packages, type RunCode, runModules } from "./modules.ts";
import { type Rename, renamesIn } from "./proposals.ts";
import type { Files } from "./state.ts";

/** A kind without faults, and its CRD as an API server reads it. */
export interface LoadedKind {
  readonly kind: Kind;
  readonly crd: Crd;
  /** Fields that the draft of a lens takes for the same by another name. */
  readonly renames: readonly Rename[];
}

/** Loads a kind from the texts of its folder, as a start of the service does; else all its faults. */
export function loadFiles(
  files: Files,
  packages: Packages,
  run: RunCode,
): LoadedKind | { readonly faults: readonly FileFault[] } {
  const code = runModules(files, packages, run);
  if ("faults" in code) return code;
  const definition: unknown = own(code.exports as JsonObject, "default");
  if (!isObject(definition))
    return { faults: [{ file: entry, sentence: "exports no kind; write export default defineKind({ … })" }] };
  return kindOf(definition as unknown as KindDefinition, files);
}

function kindOf(
  definition: KindDefinition,
  files: Files,
): LoadedKind | { readonly faults: readonly FileFault[] } {
  const { faults, isReadable } = validateDefinition(definition);
  const own = faults.map((each) => inDefinition(each, files));
  if (!isReadable) return { faults: own };
  const read = definition.versions.map(({ name }) => versionIn(name, files));
  const ofFiles = [...own, ...read.flatMap((each) => ("faults" in each ? each.faults : []))];
  const entries = read.flatMap((each) => ("entry" in each ? [each.entry] : []));
  if (ofFiles.length > 0) return { faults: ofFiles };
  const checked = checkEntries(definition, entries, {});
  if ("faults" in checked)
    return {
      faults: checked.faults.map((fault) =>
        "property" in fault
          ? inDefinition(fault, files)
          : inVersion(definition.versions[fault.version]?.name ?? "", files, fault.path, fault.sentence),
      ),
    };
  const prepared = definition.versions.map((each, index) =>
    preparedVersion(definition, each, entries[index], checked.schemas[index]),
  );
  const versions = prepared.flatMap(({ version }) => version ?? []);
  const later = [
    ...prepared.flatMap((each) => each.faults.map((fault) => inDefinition(fault, files))),
    ...faultsOfLenses(versions, files),
  ];
  const hub = versions.at(-1);
  if (later.length > 0 || hub === undefined) return { faults: later };
  const name = kindName(definition.group, definition.kind);
  const chain = versionChainOf(versions);
  const kind = { definition, folder: "", name, versions, hub, chain, examples: [] };
  const compiled = compileCheckedCrd(crdOf(definition, entries));
  if ("causes" in compiled) throw new Error("the CRD of a checked kind has a fault");
  const renames = renamesIn(
    versions.map((each) => each.name),
    files,
  );
  return { kind, crd: compiled.crd, renames };
}

function versionIn(
  name: string,
  files: Files,
): { readonly entry: JsonObject } | { readonly faults: readonly FileFault[] } {
  const file = `${name}.yaml`;
  const text = files[file];
  if (text === undefined)
    return { faults: [{ file: entry, sentence: `there is no ${file}, with the schema of version ${name}` }] };
  const value = documentIn(text);
  if (value instanceof SyntaxFault)
    return { faults: [{ file, line: value.line, column: value.column, sentence: value.message }] };
  if (!isObject(value))
    return { faults: [{ file, line: 1, column: 1, sentence: "holds no entry of a CRD's spec.versions" }] };
  const faults = [...faultsOfEntry(value, name), ...unknownKeys(value)];
  if (faults.length === 0) return { entry: withCarrierField({ ...value, name }) };
  return { faults: faults.map(({ path, sentence }) => inVersion(name, files, path, sentence)) };
}

function documentIn(text: string) {
  try {
    return readYaml(text)[0]?.value;
  } catch (error) {
    if (error instanceof SyntaxFault) return error;
    throw error;
  }
}

function inVersion(name: string, files: Files, path: Path, sentence: string): FileFault {
  const file = `${name}.yaml`;
  return { file, ...placesOf(files[file] ?? "").find(0, path, ""), sentence };
}

function inDefinition({ sentence, property, literal }: DefinitionFault, files: Files): FileFault {
  const text = files[entry] ?? "";
  const found = literal === undefined ? undefined : literalIn(text, literal);
  return { file: entry, ...(found ?? propertyIn(text, property ?? "")), sentence };
}

/** What is wrong with the rows of lenses, in the file that writes the path. */
function faultsOfLenses(versions: readonly Version[], files: Files): readonly FileFault[] {
  return versions.flatMap(({ lens, ...version }, index) => {
    const newer = versions[index + 1];
    if (lens === undefined || newer === undefined) return [];
    return faultsOfRows(lens, version, newer).map(({ literal, nth, sentence }) => ({
      ...placeOfRow(files, version.name, literal, nth),
      sentence,
    }));
  });
}

/** Lenses most often have a file with the name of their version; else any file that writes the path. */
function placeOfRow(
  files: Files,
  version: string,
  literal: string,
  nth: number,
): Omit<FileFault, "sentence"> {
  const code = Object.keys(files).filter((file) => file.endsWith(".ts"));
  const ranked = code.toSorted((a, b) => rank(a) - rank(b));
  function rank(file: string): number {
    return file === `${version}.ts` ? 0 : file === entry ? 1 : 2;
  }
  for (const file of ranked) {
    const place = literalIn(files[file] ?? "", literal, 1, nth);
    if (place !== undefined) return { file, ...place };
  }
  return { file: entry };
}
