import path from "node:path";
import { faultsOfDNS1123Subdomain } from "../apimachinery/names.ts";
import { get, isObject, type JsonObject, set } from "../json/json.ts";
import { type Path, stepsOfField } from "../json/path.ts";
import { placesOf } from "../yaml/places.ts";
import { placeOfRow } from "./check-lenses.ts";
import { suggestion } from "./check-rows.ts";
import type { Fault } from "./fault.ts";
import { sourceOf, withFrame } from "./import-fault.ts";
import { type Example, fromHub, type Kind, toHub, type Version, versionIndex } from "./kind.ts";
import { type FileDocument, readFolder } from "./read-documents.ts";
import { literalIn } from "./source.ts";
import { authorFrames } from "./stack.ts";
import { BrokenLens, strictKind } from "./try-lens.ts";

/** An example with its place. */
interface PlacedExample extends Example {
  readonly document: FileDocument;
}

/** The kind's example objects: every document below its folder `examples`, each valid by its schema and converted to every version. */
export async function loadExamples(
  kind: Kind,
): Promise<{ readonly examples: readonly Example[]; readonly faults: readonly Fault[] }> {
  const folder = path.join(kind.folder, "examples");
  const { documents, examples, faults: unreadable } = readExamples(kind, folder);
  const faults: Fault[] = [
    ...unreadable,
    ...documents
      .filter((document) => exampleOf(kind, document) === undefined)
      .map((document) => unknownExample(kind, document)),
    ...examples.flatMap((example) => faultsOfExample(kind, example)),
    ...(await faultsOfConversion(kind, examples)),
  ];
  if (documents.length === 0 && faults.length === 0) {
    faults.push({ file: folder, sentence: "holds no example; one YAML file with an object will do" });
  }
  return { examples: examples.map(withoutDocument), faults };
}

/** The examples of a kind that was checked before. */
export function checkedExamples(kind: Kind): readonly Example[] {
  return readExamples(kind, path.join(kind.folder, "examples")).examples.map(withoutDocument);
}

function readExamples(kind: Kind, folder: string) {
  const { documents, faults } = readFolder(folder);
  return { documents, faults, examples: documents.flatMap((document) => exampleOf(kind, document) ?? []) };
}

function withoutDocument({ document: _, ...example }: PlacedExample): Example {
  return example;
}

function exampleOf(kind: Kind, document: FileDocument): PlacedExample | undefined {
  const { file, value } = document;
  const version = versionIndex(kind, get(value, "apiVersion"));
  if (!isObject(value) || value.kind !== kind.definition.kind || version === undefined) return undefined;
  return { file, object: value, version, document };
}

function unknownExample(kind: Kind, { file, value, line }: FileDocument): Fault {
  const [apiVersion, name] = [get(value, "apiVersion"), get(value, "kind")];
  const found =
    typeof apiVersion === "string" && typeof name === "string"
      ? `${apiVersion} ${name}`
      : "without apiVersion and kind";
  const versions = kind.versions.map((each) => each.apiVersion).join(", ");
  return {
    file,
    place: { line, column: 1 },
    sentence: `is not a ${kind.name} of one of its versions: it is ${found}; the versions are ${versions}`,
  };
}

/** What an API server would find wrong with an example on creating it at its version; its metadata are not of interest. */
function faultsOfExample(kind: Kind, { object, version, document }: PlacedExample): readonly Fault[] {
  const own = kind.versions[version];
  if (own === undefined) return [];
  const { file, text, index, line } = document;
  const places = placesOf(text);
  return [
    ...faultsOfName(object),
    ...problemsOf(object, own).filter(({ path: at }) => at[0] !== "metadata"),
  ].map(({ path: at, sentence }) => ({
    file,
    place: places.find(index, at, "") ?? { line, column: 1 },
    sentence,
  }));
}

/** The name is the part of metadata that an example must have: without it, it cannot be created. */
function faultsOfName(object: JsonObject): readonly { path: Path; sentence: string }[] {
  const [name, prefix] = [get(object, "metadata", "name"), get(object, "metadata", "generateName")];
  if (name === undefined && typeof prefix === "string") return [];
  if (name === undefined) return [{ path: ["metadata"], sentence: "has no metadata.name" }];
  const message = typeof name === "string" ? faultsOfDNS1123Subdomain(name)[0] : "must be a string";
  if (message === undefined) return [];
  const sentence = `metadata.name: Invalid value: ${JSON.stringify(name)}: ${message}`;
  return [{ path: ["metadata", "name"], sentence: `the API server would reject it: ${sentence}` }];
}

function problemsOf(
  object: JsonObject,
  { schema, shape, name }: Version,
): readonly { path: Path; sentence: string }[] {
  const placed = set(object, "metadata", { name: "example", namespace: "default" });
  const pruned = schema.prune(placed);
  const { faults } = schema.validate(schema.defaulted(pruned.object));
  return [
    ...pruned.unknown.map((field) => ({
      path: stepsOfField(field),
      sentence: `${name} has no field ${field}${suggestion(field.replaceAll(/\[\d+\]/g, ""), shape)}`,
    })),
    ...faults
      .filter(({ because }) => because !== "rules skipped")
      .map(({ path: at, field, message }) => ({
        path: at ?? stepsOfField(field),
        sentence: `${name} forbids it: ${field}: ${message}`,
      })),
  ];
}

/** Converts every example to every version, so that a lens that throws is found at start and not by a user's object. */
async function faultsOfConversion(kind: Kind, examples: readonly PlacedExample[]): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const strict = strictKind(kind);
  for (const example of examples) {
    const thrown = errorOfConversion(strict, example);
    if (thrown instanceof BrokenLens) faults.push(await faultOfBrokenLens(kind, thrown, example));
    else if (thrown !== undefined) faults.push(await faultOfLens(thrown, example));
  }
  return faults;
}

function errorOfConversion(kind: Kind, { object, version }: Example): Error | undefined {
  try {
    const hub = toHub(kind, object, version);
    for (const index of kind.versions.keys()) fromHub(kind, hub, index);
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error;
    // The stack of what is made here would name the caller of this function.
    return Object.assign(new Error(`${String(error)} (throw an Error, so that its line is known)`), {
      stack: "",
    });
  }
}

/** A function of a lens that breaks its contract, at its row; else where the version is defined. */
async function faultOfBrokenLens(
  kind: Kind,
  { message, version, lens, row }: BrokenLens,
  example: PlacedExample,
): Promise<Fault> {
  const sentence = `${message} (on the example ${nameOf(example)})`;
  const [field] = Object.values(row?.older ?? {});
  if (field !== undefined) {
    const literal = typeof field === "string" ? field : (field.at(-1) ?? "");
    const place = await placeOfRow({ literal, nth: 0, madeAt: lens.madeAt ?? "" }, kind.folder);
    return { ...place, sentence };
  }
  const [frame] = authorFrames(lens.madeAt ?? "");
  if (frame !== undefined) return { ...frame, sentence };
  const file = path.join(kind.folder, "kind.ts");
  const place = literalIn(await sourceOf(file), version);
  return { file, sentence, ...(place === undefined ? {} : { place }) };
}

function nameOf({ file, document }: PlacedExample): string {
  return `${path.basename(file)}:${document.line}`;
}

/** A lens that threw, at the first frame of its author's files; without one, at the example. */
async function faultOfLens({ message, stack = "" }: Error, example: PlacedExample): Promise<Fault> {
  const { file, document } = example;
  const [frame] = authorFrames(stack);
  if (frame === undefined) {
    return { file, place: { line: document.line, column: 1 }, sentence: `cannot be converted: ${message}` };
  }
  const isChange = /read only property|not extensible|Cannot delete property/.test(message);
  const advice = isChange ? "; a lens must not change its argument: return a new object" : "";
  const sentence = `throws on the example ${nameOf(example)}: ${message}${advice}`;
  return { ...(await withFrame(frame)), sentence };
}
