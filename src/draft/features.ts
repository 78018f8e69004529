import { units } from "./change.ts";
import { elementOf, type Field, fieldsOf, hasFields } from "./fields.ts";
import {
  likeness,
  singular,
  type Vector,
  vectorOf,
  type Weights,
  weightsOf,
  wordsOfName,
  wordsOfText,
} from "./words.ts";

/** What two fields have in common, each from 0 to 1 unless it says otherwise. */
export interface Features {
  /** How many names at the end of both paths are equal. */
  readonly tail: number;
  /** How many names of one path must be replaced, added or removed to get the other. */
  readonly edits: number;
  /** The last names, as words without units and the like. */
  readonly name: number;
  /** The whole paths, as words. */
  readonly path: number;
  /** The paths without the last names; undefined if a path is only one name. */
  readonly context: number | undefined;
  /** The descriptions; undefined if a field has none. */
  readonly description: number | undefined;
  /** The names of the fields of objects in lists and maps; undefined for other fields. */
  readonly content: number | undefined;
}

/** Compares two fields. */
export type Measure = (older: Field, newer: Field) => Features;

/** Measures pairs of fields by the words of all fields of both versions. */
export function measureOf(all: readonly Field[]): Measure {
  const byPath = weightsOf(all.map(({ path }) => path.flatMap(wordsOfName)));
  const byText = weightsOf(all.map((field) => wordsOfText(descriptionOf(field))));
  const vectors = new Map(all.map((field) => [field, vectorsOf(field, byPath, byText)]));
  return (older, newer) => {
    const [a, b] = [vectors.get(older), vectors.get(newer)];
    if (a === undefined || b === undefined) throw new Error("a field is compared that was not weighed");
    const tail = tailOf(older.path, newer.path);
    // A reference's name stands for the reference, unless there is a name on both sides.
    const [from, to] = tail > 0 ? [a.whole, b.whole] : [a.reference, b.reference];
    return {
      tail,
      edits: editsOf(older.path, newer.path),
      name: likeness(from.name, to.name),
      path: likeness(from.path, to.path),
      context: knownLikeness(from.context, to.context),
      description: knownLikeness(a.description, b.description),
      content: contentLikeness(a.content, b.content),
    };
  };
}

/** How alike two texts are; undefined if one has no words. */
function knownLikeness(a: Vector, b: Vector): number | undefined {
  return a.size === 0 || b.size === 0 ? undefined : likeness(a, b);
}

function vectorsOf(field: Field, byPath: Weights, byText: Weights) {
  const element = elementOf(field);
  return {
    whole: pathVectorsOf(field.path, byPath),
    reference: pathVectorsOf(withoutName(field.path), byPath),
    description: vectorOf(wordsOfText(descriptionOf(field)), byText),
    content: hasFields(element) ? new Set(fieldsOf(element).map(({ path }) => path.join("."))) : undefined,
  };
}

function pathVectorsOf(path: readonly string[], weights: Weights) {
  const name = wordsOfName(path.at(-1) ?? "");
  return {
    name: vectorOf(nameOnly(name), weights),
    // The last name says most.
    path: vectorOf([...words(path), ...words(path.slice(-1))], weights),
    context: vectorOf(words(path.slice(0, -1)), weights),
  };
}

/** The path of a reference's name is that of the reference: `classRef.name` is compared as `classRef`. */
function withoutName(path: readonly string[]): readonly string[] {
  return path.at(-1) === "name" && /^ref$|Ref(erence)?$/.test(path.at(-2) ?? "") ? path.slice(0, -1) : path;
}

/** The words of a path. What only says that a name is a reference does not count: `class` and `classRef` have the same words. */
function words(path: readonly string[]): readonly string[] {
  return path.flatMap(wordsOfName).filter((word) => word !== "ref" && word !== "reference");
}

/** The words of a name without what only says how a value is written: `timeoutSeconds` is timeout. */
function nameOnly(words: readonly string[]): readonly string[] {
  const rest = words.filter((word) => !units.has(word) && word !== "ref" && word !== "reference");
  return rest.length > 0 ? rest : words;
}

function descriptionOf({ schema }: Field): string {
  return typeof schema.description === "string" ? schema.description : "";
}

function tailOf(older: readonly string[], newer: readonly string[]): number {
  let tail = 0;
  const nameAt = (path: readonly string[]) => singular((path.at(-1 - tail) ?? "").toLowerCase());
  while (tail < older.length && tail < newer.length && nameAt(older) === nameAt(newer)) tail += 1;
  return tail;
}

/** The distance between two paths, name by name (Levenshtein). */
function editsOf(older: readonly string[], newer: readonly string[]): number {
  let row = newer.map((_, index) => index + 1);
  older.forEach((name, at) => {
    let [left, diagonal] = [at + 1, at];
    row = row.map((above, index) => {
      left = Math.min(above + 1, left + 1, diagonal + (name === newer[index] ? 0 : 1));
      diagonal = above;
      return left;
    });
  });
  return row.at(-1) ?? older.length;
}

/** The share of the fields of two objects that both have (Jaccard). */
function contentLikeness(
  a: ReadonlySet<string> | undefined,
  b: ReadonlySet<string> | undefined,
): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  const common = [...a].filter((each) => b.has(each)).length;
  return common / (a.size + b.size - common);
}
