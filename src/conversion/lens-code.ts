import {
  get,
  hasNoFields,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  ownField,
  set,
} from "../json/json.ts";
import { compiled, isFieldName } from "./code.ts";
import type { Lens } from "./lens.ts";
import {
  type Branch,
  type Convert,
  type Mapping,
  type OneToOne,
  oneToOne,
  type Part,
  partAt,
  put,
  remaining,
  type ValueMap,
  wayOf,
} from "./lens-way.ts";
import { isMappable } from "./marks.ts";
import {
  below,
  fitInto,
  fittedValue,
  isList,
  isStruct,
  isWithin,
  type Shape,
  withRequired,
} from "./shape.ts";

// A second way to run a lens that is made of rows, beside lens-way.ts, because most of what a conversion costs is lenses: that one
// reads and writes fields by names that are known only at run time, and what it returns must then be fitted into the other
// version's shape, although most of it is only passed on. Here each object that rows lead through gets a function of its own,
// compiled once for the shapes of both versions, that reads and writes fields by constant names, and fits only what passes
// between different shapes.
//
// It covers what nearly all objects look like; for all else a function returns undefined, and lens-way.ts and shape.ts decide.
// Both give equal objects, which test/conversion/lens-code.test.ts checks.

/** The two ways of a lens between fitted objects: each takes content that fits its version's shape, and returns such. */
export interface FittedLens {
  readonly up: Convert;
  readonly down: Convert;
}

/** Compiles a lens for the shapes of its versions. A lens written by hand runs as it is. */
export function fittedLens({ up, down }: Lens, older: Shape, newer: Shape): FittedLens {
  return { up: fittedWay(up, older, newer), down: fittedWay(down, newer, older) };
}

function fittedWay(convert: Convert, from: Shape, to: Shape): Convert {
  const usual = new Compiler().compile(convert, from, to);
  if (usual === undefined) return (content) => withRequired(fitInto(convert(content), to), content, to);
  return (content) => withRequired(usual(content) ?? fitInto(convert(content), to), content, to);
}

/** Maps an object; undefined for one that only lens-way.ts can map. */
type MapObject = (source: JsonObject) => JsonObject | undefined;

/** The shapes of an object in both versions. */
interface Shapes {
  readonly from: Shape;
  readonly to: Shape;
}

/** Makes the source text of a function for each object that rows lead through. */
class Compiler {
  readonly #functions: string[] = [];
  readonly #values: unknown[] = [];

  compile(convert: Convert, from: Shape, to: Shape): MapObject | undefined {
    const name = this.#mapObject(convert, { from, to });
    if (name === undefined) return undefined;
    const constants = this.#values.map((_, at) => `const value${at} = values[${at}];`);
    const code = `${[...constants, ...this.#functions].join("\n")}\nreturn ${name};`;
    return compiled<MapObject>(code, { values: this.#values, ...runtime });
  }

  /** Adds the function that maps an object, and returns its name; undefined where none can be made. */
  #mapObject(convert: Convert, shapes: Shapes): string | undefined {
    const way = wayOf(convert);
    const keep = way && this.#keepFields(way.taken, shapes, []);
    if (way === undefined || keep === undefined) return undefined;
    const lines = way.mappings.map((mapping) => this.#mapRow(mapping, shapes));
    if (lines.includes(undefined)) return undefined;
    return this.#add(
      "map",
      "source",
      `const emptied = [];
  const result = ${keep}(source, emptied);
  let found, value, parts, here;
  if (result === undefined) return undefined;
${lines.join("\n")}
  return emptied.length === 0 ? result : withoutEmptied(result, emptied);`,
    );
  }

  #add(sort: string, parameters: string, body: string): string {
    const name = `${sort}${this.#functions.length}`;
    this.#functions.push(`function ${name}(${parameters}) {\n  ${body}\n}`);
    return name;
  }

  #constant(value: unknown): string {
    return `value${this.#values.push(value) - 1}`;
  }

  /**
   * Adds the function that copies an object without what rows take, as far as it fits, and returns its name. An object that lost
   * fields because they do not fit keeps its place until rows have written into it, and its path is added to `emptied`.
   */
  #keepFields(taken: Branch, { from, to }: Shapes, path: readonly string[]): string | undefined {
    if (!isStruct(from) || !isStruct(to)) return undefined;
    const names = [...from.properties.keys()].sort();
    if (!names.every(isFieldName)) return undefined;
    const cases = names.map((name) => this.#keepField(name, taken.get(name), { from, to }, path));
    if (cases.includes(undefined)) return undefined;
    // Fields keep their order. To look for the name of each takes no longer than to look for each field that the schema has.
    return this.#add(
      "keep",
      "source, emptied",
      `const result = {};
  const known = emptied.length;
  let value, part, isLess = false;
  for (const key in source) {
    switch (key) {
${cases.join("\n")}
      default: return undefined;
    }
  }
${path.length === 0 ? "" : `  if (isLess || emptied.length > known) emptied.push(${this.#constant(path)});\n`}  return result;`,
    );
  }

  #keepField(
    name: string,
    taken: Branch | "whole" | undefined,
    { from, to }: Shapes,
    path: readonly string[],
  ): string | undefined {
    const key = JSON.stringify(name);
    const [source, target] = [below(from, name), below(to, name)];
    const inCase = (statements: string) => `      case ${key}:${statements} break;`;
    if (taken === "whole") return inCase("");
    if (target === undefined && !to.preserved) return inCase(" isLess = true;");
    const isSame = target === undefined || (source !== undefined && isWithin(source, target));
    if (taken === undefined) {
      if (isSame) return inCase(` result[${key}] = source[${key}];`);
      return inCase(`
        part = fittedValue(source[${key}], ${this.#constant(target)});
        if (part === undefined) isLess = true;
        else result[${key}] = part;
       `);
    }
    if (source !== undefined && target !== undefined && isStruct(source) && isStruct(target)) {
      const keep = this.#keepFields(taken, { from: source, to: target }, [...path, name]);
      if (keep === undefined) return undefined;
      return inCase(`
        value = source[${key}];
        if (value === null) result[${key}] = null;
        else {
          const before = emptied.length;
          part = ${keep}(value, emptied);
          if (part === undefined) return undefined;
          if (!hasNoFields(part) || hasNoFields(value) || emptied.length > before) result[${key}] = part;
        }
       `);
    }
    if (!isSame) return undefined;
    return inCase(`
        part = remaining(source[${key}], ${this.#constant(taken)});
        if (part !== undefined) result[${key}] = part;
       `);
  }

  /** The lines that map the fields of one row. */
  #mapRow(mapping: Mapping, shapes: Shapes): string | undefined {
    const one = oneToOne(mapping);
    return one === undefined ? this.#mapParts(mapping, shapes) : this.#mapOne(one, mapping.copies, shapes);
  }

  #mapOne({ from, to, valueMap }: OneToOne, copies: boolean, shapes: Shapes): string | undefined {
    const [source, target] = [shapeAt(shapes.from, from), shapeAt(shapes.to, to)];
    const mapped = this.#mapValue(valueMap, { from: source, to: target });
    const write = this.#write(to, copies, target, mapped.isFitted);
    if (write === undefined) return undefined;
    return `  value = ${this.#read(from, source)};
  if (value !== undefined && value !== null) {
${mapped.lines}
    if (value !== undefined) {
${write}
    }
  }`;
  }

  /** The lines that make `value` what a row makes of it, and whether it then fits. */
  #mapValue(
    { map, inner }: ValueMap,
    { from, to }: { readonly [Side in keyof Shapes]: Shape | undefined },
  ): { lines: string; isFitted: boolean } {
    if (map === undefined)
      return { lines: "", isFitted: from !== undefined && to !== undefined && isWithin(from, to) };
    const lines =
      inner === undefined || from === undefined || to === undefined
        ? undefined
        : this.#mapInner(inner, { from, to });
    if (lines !== undefined) return { lines, isFitted: true };
    return { lines: `    value = ${this.#constant(map)}(value);`, isFitted: false };
  }

  /** The same for a row with a lens of its own, if that can be compiled. */
  #mapInner({ convert, of }: NonNullable<ValueMap["inner"]>, { from, to }: Shapes): string | undefined {
    if (of === "object") {
      const map = this.#mapObject(convert, { from, to });
      return map && `    value = mapField(value, ${map});\n    if (value === undefined) return undefined;`;
    }
    if (from.items === undefined || to.items === undefined || !isList(from) || !isList(to)) return undefined;
    const map = this.#mapObject(convert, { from: from.items, to: to.items });
    return (
      map &&
      `    value = mapItems(value, ${map}, ${this.#constant(to.keys ?? [])});\n    if (value === undefined) return undefined;`
    );
  }

  /** The same for a row of several fields in either version. */
  #mapParts({ sources, targets, map, copies }: Mapping, shapes: Shapes): string | undefined {
    const parts = sources.map(
      (part) => `parts[${JSON.stringify(part.name)}] = ${this.#read(part, shapeAt(shapes.from, part))};`,
    );
    const writes = targets.map((part) => {
      const write = this.#write(part, copies, shapeAt(shapes.to, part), false);
      return (
        write && `  value = found[${JSON.stringify(part.name)}];\n  if (value !== undefined) {\n${write}\n  }`
      );
    });
    if (writes.includes(undefined)) return undefined;
    return `  parts = {};
  ${parts.join("\n  ")}
  found = ${this.#constant(map)}(parts);
${writes.join("\n")}`;
  }

  /** An expression for the value that a row finds; `source` is the shape of the field. */
  #read({ path, hidden }: Part, source: Shape | undefined): string {
    if (source === undefined || hidden !== undefined)
      return `partAt(source, ${this.#constant(path)}, ${this.#constant(hidden)})`;
    const [first, ...rest] = path.map((key) => `[${JSON.stringify(key)}]`);
    return `(source${first}${rest.map((key) => `?.${key}`).join("")} ?? undefined)`;
  }

  /** The lines that put `value` at its place, if it fits; undefined for a place that the shape does not have. */
  #write(
    { path, mark }: Part,
    copies: boolean,
    target: Shape | undefined,
    isFitted: boolean,
  ): string | undefined {
    const putValue = `put(result, ${this.#constant(path)}, value, ${copies});`;
    if (mark !== undefined) return `      if (isMappable(value, ${JSON.stringify(mark)})) ${putValue}`;
    if (target === undefined) return undefined;
    // A value that does not fit leaves traces in the objects around it.
    const fit = isFitted
      ? ""
      : `      value = fittedValue(value, ${this.#constant(target)});\n      if (value === undefined) return undefined;\n`;
    if (copies) return `${fit}      ${putValue}`;
    const keys = path.map((key) => `[${JSON.stringify(key)}]`);
    const steps = keys.slice(0, -1).map((key) => `      here = here${key} ??= {};\n`);
    return `${fit}      here = result;\n${steps.join("")}      here${keys.at(-1)} = value;`;
  }
}

/** The shape of a part, if fields of objects that the schema names lead there; never that of a label or an annotation. */
function shapeAt(root: Shape, { path, mark }: Part): Shape | undefined {
  if (mark !== undefined) return undefined;
  let here: Shape | undefined = root;
  for (const key of path) here = here && isStruct(here) && isFieldName(key) ? below(here, key) : undefined;
  return here;
}

/** An object without those at the paths that are empty. */
function withoutEmptied(object: JsonObject, paths: readonly (readonly [string, ...string[]])[]): JsonObject {
  return paths.reduce((rest, path) => {
    const value = get(rest, ...path);
    return isObject(value) && hasNoFields(value) ? set(rest, ...path, undefined) : rest;
  }, object);
}

/** Undefined also where nothing is left: whether rows or the shape left nothing makes a difference. */
function mapField(value: Json, map: MapObject): JsonObject | undefined {
  const mapped = isObject(value) ? map(value) : undefined;
  if (mapped === undefined || (hasNoFields(mapped) && !hasNoFields(value as JsonObject))) return undefined;
  return mapped;
}

/** The same for a list, which may have items of any type. */
function mapItems(items: Json, map: MapObject, keys: readonly string[]): readonly Json[] | undefined {
  if (!isArray(items)) return undefined;
  const mapped: Json[] = [];
  for (const item of items) {
    const after = mapField(item, map);
    if (after === undefined) return undefined;
    for (const key of keys) if ((ownField(after, key) ?? null) === null) return undefined;
    mapped.push(after);
  }
  return mapped;
}

/** What the compiled functions use. */
const runtime = {
  fittedValue,
  hasNoFields,
  isMappable,
  mapField,
  mapItems,
  partAt,
  put,
  remaining,
  withoutEmptied,
};
