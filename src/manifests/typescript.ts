import type { Json } from "../json/json.ts";

// How TypeScript is laid out, exactly as this repository's formatter would, so that generated files pass its check.

/** A type: as text, perhaps of several lines; a choice of types; or a list of one. */
export type Type = string | { readonly union: readonly Type[] } | { readonly list: Type };

/** A readonly field, its type on one line where it fits; `head` is its name as TypeScript, with `?` where it is optional. */
export function typed(indent: string, head: string, type: Type): string {
  const line = `${indent}readonly ${head}: ${flat(type)};`;
  if (line.length <= mostColumns || line.includes("\n") || !isBreakable(type)) return `${line}\n`;
  return `${indent}readonly ${head}:${typeof type !== "string" && "list" in type ? " " : ""}${tall(type, indent)};\n`;
}

/** A name as the head of a field: in quotes unless it is an ordinary word. */
export function fieldName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : wordOf(name);
}

/** A plain value as a literal; a string in the quotes that need fewer escapes. */
export function wordOf(value: string | number | boolean | null): string {
  const text = JSON.stringify(value);
  if (typeof value !== "string" || count(value, '"') <= count(value, "'")) return text;
  return `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A description as a doc comment; nothing where there is none. */
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

/** A type with each choice on a line of its own, however deep in lists. */
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
