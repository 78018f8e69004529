import type { Json } from "../json/json.ts";

// Prints TypeScript exactly as this repository's formatter would, so that generated files pass its check.

/** A type: text of one or more lines, a union of types, or a list of a type. */
export type Type = string | { readonly union: readonly Type[] } | { readonly list: Type };

/**
 * A readonly field, with its type on the same line if it fits; `head` is the printed name, with `?` if it is optional.
 */
export function typed(indent: string, head: string, type: Type): string {
  const line = `${indent}readonly ${head}: ${flat(type)};`;
  if (line.length <= mostColumns || line.includes("\n") || !isBreakable(type)) return `${line}\n`;
  return `${indent}readonly ${head}:${typeof type !== "string" && "list" in type ? " " : ""}${tall(type, indent)};\n`;
}

/** A field name, quoted unless it is an identifier. */
export function fieldName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : wordOf(name);
}

/** A scalar as a literal; a string in the quotes that need fewer escapes. */
export function wordOf(value: string | number | boolean | null): string {
  const text = JSON.stringify(value);
  if (typeof value !== "string" || count(value, '"') <= count(value, "'")) return text;
  return `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A description as a doc comment; empty if there is none. */
export function docOf(description: Json | undefined, indent: string): string {
  if (typeof description !== "string" || description.trim() === "") return "";
  const lines = description
    .trim()
    .replaceAll("*/", "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

// biome.json's lineWidth.
const mostColumns = 110;

function flat(type: Type): string {
  if (typeof type === "string") return type;
  if ("union" in type) return type.union.map(flat).join(" | ");
  return `readonly ${typeof type.list === "string" ? type.list : `(${flat(type.list)})`}[]`;
}

/** A type with each member of a union on its own line, also within lists. */
function tall(type: Type, indent: string): string {
  if (typeof type === "string") return type;
  if ("union" in type) return type.union.map((each) => `\n${indent}  | ${flat(each)}`).join("");
  const { list } = type;
  const end = typeof list !== "string" && "union" in list ? `\n${indent}` : "";
  return `readonly (${tall(list, indent)}${end})[]`;
}

function isBreakable(type: Type): boolean {
  if (typeof type === "string") return false;
  return "union" in type || isBreakable(type.list);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
