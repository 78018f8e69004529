import { firstItem, toKeys } from "../conversion/field-path.ts";
import type { FieldPath } from "../conversion/field-types.ts";
import type { AnyRow, Inner, Lens } from "../conversion/lens.ts";
import { anything, below, differentTypes, type Shape, text } from "../conversion/shape.ts";
import { mostAlike } from "../json/alike.ts";

/** A fault of a row. */
export interface RowFault {
  /** The path as its author wrote it. */
  readonly literal: string;
  /** Which of the occurrences of the path it is, from 0. */
  readonly nth: number;
  readonly sentence: string;
  /** The stack of the call that made the row's lens. */
  readonly madeAt: string;
}

/** The objects of a version that the rows of a lens map: whole objects, or those below a field. */
interface Side {
  /** The name of the version. */
  readonly name: string;
  readonly shape: Shape;
  /** What leads to these objects, as `spec.rules[].`; empty for whole objects. */
  readonly prefix?: string;
}

/** What is wrong with the paths of a lens, by the schemas of its two versions. */
export function faultsOfRows(lens: Lens, older: Side, newer: Side): readonly RowFault[] {
  const { shared = [], spread = [], madeAt = "" } = lens;
  const named = [
    ...shared.flatMap((path) => faultOfNamed(path, newer, "shared") ?? []),
    ...spread.flatMap((path) => faultOfNamed(path, older, "spread") ?? []),
  ];
  // What rows share by themselves are paths of their own, of which a fault was found before.
  const ofRows = rowFaults(lens, older, newer);
  const known = new Set(ofRows.map(({ literal }) => literal));
  return [
    ...ofRows,
    ...named.filter(({ literal }) => !known.has(literal)).map((each) => ({ ...each, madeAt })),
  ];
}

/** The faults of the rows of a lens, and of the rows below them. */
function rowFaults({ rows = [], madeAt = "" }: Lens, older: Side, newer: Side): readonly RowFault[] {
  const own = [
    ...faultsOfSide(
      rows.map((row) => row.older),
      older,
    ),
    ...faultsOfSide(
      rows.map((row) => row.newer),
      newer,
    ),
  ];
  return [
    ...own.map((each) => ({ ...each, madeAt })),
    ...rows.flatMap((row) => faultOfTypes(row, older, newer) ?? []).map((each) => ({ ...each, madeAt })),
    ...rows.flatMap((row) => faultsBelow(row, older, newer)),
  ];
}

/** A row without a codec between fields of different types maps nothing, ever. */
function faultOfTypes(
  { older: from, newer: to, isSame }: AnyRow,
  older: Side,
  newer: Side,
): PathFault | undefined {
  if (isSame !== true || from.value === undefined || to.value === undefined) return undefined;
  const [below, above] = [fieldAt(from.value, older), fieldAt(to.value, newer)];
  const types = below && above && differentTypes(below, above);
  if (types === undefined) return undefined;
  const [ofOlder, ofNewer] = types;
  const [path, other] = [writtenOf(from.value), writtenOf(to.value)];
  const sentence =
    `${older.prefix ?? ""}${path} is ${ofOlder} in ${older.name}, ` +
    `${newer.prefix ?? ""}${other} ${ofNewer} in ${newer.name}: the row needs a codec`;
  return { literal: literalOf(from.value), nth: 0, sentence };
}

/** The shape of a field, if the path leads to one whose types are known. */
function fieldAt(path: FieldPath, { shape }: Side): Shape | undefined {
  if (isMetadata(path)) return text;
  const found = follow(shape, toKeys(path));
  return typeof found === "string" || found.takes === 0 ? undefined : found;
}

function faultsBelow(
  { older: from, newer: to, inner }: AnyRow,
  older: Side,
  newer: Side,
): readonly RowFault[] {
  if (inner === undefined) return [];
  const [below, above] = [sideBelow(from.value, inner, older), sideBelow(to.value, inner, newer)];
  // A path that leads nowhere is a fault of its own.
  if (below === undefined || above === undefined) return [];
  const wrong = [below, above].find((side) => "sentence" in side);
  const { madeAt = "" } = inner.lens;
  if (wrong !== undefined && "sentence" in wrong) return [{ ...wrong, nth: 0, madeAt }];
  return "shape" in below && "shape" in above ? rowFaults(inner.lens, below, above) : [];
}

/** The objects that the rows below a row map; why there are none; undefined if the path leads nowhere. */
function sideBelow(
  path: FieldPath | undefined,
  { of }: Inner,
  { name, shape, prefix = "" }: Side,
): Side | { readonly literal: string; readonly sentence: string } | undefined {
  const literal = writtenOf(path ?? "");
  const found = follow(shape, toKeys(path ?? ""));
  if (typeof found === "string") return undefined;
  if (found === anything) return undefined;
  if (of === "object") return { name, shape: found, prefix: `${prefix}${literal}.` };
  const items = found.items ?? found.additional;
  if (items !== undefined) return { name, shape: items, prefix: `${prefix}${literal}[].` };
  return {
    literal,
    sentence: `${prefix}${literal} of ${name} is neither a list nor a map, so it has no items for each`,
  };
}

type PathFault = Omit<RowFault, "madeAt">;

function faultsOfSide(paths: readonly AnyRow["older"][], side: Side): readonly PathFault[] {
  const all = paths.flatMap((each) => Object.values(each));
  const texts = all.map(writtenOf);
  const twice = new Set(texts.filter((path, index) => texts.indexOf(path) !== index));
  const unknown = all.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
  return [
    ...unknown.flatMap((path) => faultOfPath(path, side) ?? []),
    ...[...twice].map((path) => ({
      literal: path,
      nth: 1,
      sentence: `two rows map ${side.prefix ?? ""}${path} of ${side.name}; one of them would win: make them one group`,
    })),
  ];
}

function faultOfPath(given: FieldPath, { name, shape, prefix = "" }: Side): PathFault | undefined {
  const [steps, path] = [toKeys(given), writtenOf(given)];
  const fault = (sentence: string) => ({ literal: path, nth: 0, sentence });
  if (isMetadata(given)) return undefined;
  if (steps.includes("") || (typeof given === "string" && /[[\]/]/.test(path.replaceAll(firstItem, ""))))
    return fault(`"${path}" is not a path; write field names separated by dots, like spec.floor`);
  if (prefix === "" && ["apiVersion", "kind", "metadata"].includes(steps[0] ?? ""))
    return fault(
      `${path} is not for a lens, which sees spec, status and other fields of the schema; for metadata use label or annotation`,
    );
  const found = follow(shape, steps);
  if (found === "list")
    return fault(
      `${prefix}${path} leads into a list of ${name}; a path leads through objects: use each for its items, or [0] for the first`,
    );
  if (found === "no list")
    return fault(`${prefix}${path} leads to the first item of what is not a list in ${name}.yaml`);
  if (found !== "missing") return undefined;
  return fault(`${name}.yaml has no field ${prefix}${path}${suggestion(path, shape)}`);
}

/** A path in `shared` or `spread`, which leads through lists and maps. */
function faultOfNamed(path: string, { name, shape }: Side, which: string): PathFault | undefined {
  if (shapeAt(shape, path.split(".")) !== undefined) return undefined;
  const sentence = `${name}.yaml has no field ${path}, which ${which} names${suggestion(path, shape)}`;
  return { literal: path, nth: 0, sentence };
}

/** How a path stands in its author's source. */
export function literalOf(path: FieldPath): string {
  return typeof path === "string" ? path : (path.at(-1) ?? "");
}

/** Whether a path is that of a label or an annotation: written name by name, as `label` returns it. */
function isMetadata(path: FieldPath): boolean {
  return typeof path !== "string" && path[0] === "metadata";
}

/** A path as its author wrote it. */
function writtenOf(path: FieldPath): string {
  return typeof path === "string" ? path : path.join(".");
}

/** The shape at a path through objects and first items; `list` if the path leads into a list, `no list` if what has items is none. */
function follow(shape: Shape, steps: readonly string[]): Shape | "missing" | "list" | "no list" {
  let here = shape;
  for (const step of steps) {
    if (step === firstItem) {
      if (here.items === undefined && !here.preserved) return "no list";
      here = here.items ?? anything;
      continue;
    }
    if (here.items !== undefined) return "list";
    const next = below(here, step);
    if (next === undefined) return here.preserved ? anything : "missing";
    here = next;
  }
  return here;
}

/** Whether a shape has a field, below objects. */
export function hasField(shape: Shape, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  const below = shape.properties.get(step);
  return below !== undefined && hasField(below, rest);
}

/** The shape at a path, which leads through lists and the values of maps. */
export function shapeAt(shape: Shape, steps: readonly string[]): Shape | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return shape;
  const here = shape.items ?? shape;
  const next = here.properties.get(step) ?? here.additional?.properties.get(step) ?? here.additional;
  if (next === undefined) return here.preserved ? anything : undefined;
  return shapeAt(next, rest);
}

/** `; did you mean spec.motor?`: the path most alike, else one that ends in the same name. */
export function suggestion(path: string, shape: Shape): string {
  const known = pathsOf(shape);
  const [alike] = mostAlike(path, known);
  const last = path.split(".").at(-1);
  const elsewhere = known.filter((each) => each.split(".").at(-1) === last);
  const best = alike ?? (elsewhere.length === 1 ? elsewhere[0] : undefined);
  return best === undefined ? "" : `; did you mean ${best}?`;
}

// Schemas of Pods have thousands of fields; more are not worth the search.
const mostPaths = 20_000;

/** All paths of a shape, through lists. */
function pathsOf(shape: Shape): readonly string[] {
  const paths: string[] = [];
  const visit = (here: Shape, prefix: string) => {
    for (const [name, below] of (here.items ?? here).properties) {
      if (paths.length >= mostPaths || (prefix === "" && name === "metadata")) continue;
      paths.push(prefix + name);
      visit(below, `${prefix}${name}.`);
    }
  };
  visit(shape, "");
  return paths;
}
