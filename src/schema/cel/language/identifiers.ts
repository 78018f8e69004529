// apiserver/pkg/cel/escaping.go
/** Words of CEL that are not identifiers (also cel-go parser.go, reservedIds). */
export const reserved: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);
const words = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);
const signs = new Map([
  ["underscores", "__"],
  ["dot", "."],
  ["dash", "-"],
  ["slash", "/"],
]);

/** The identifier under which CEL knows a field; undefined for a name that no rule can write. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_.\-/][\w.\-/]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (sign) => words.get(sign) ?? sign);
}

/** The field that an identifier stands for; undefined where there is none. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes("__")) return name;
  let isName = true;
  const field = name.replaceAll(/__([^_]+)__/g, (all, content: string) => {
    const sign = signs.get(content);
    if (sign !== undefined) return sign;
    if (!reserved.has(content) || all.length !== name.length) isName = false;
    return content;
  });
  return isName ? field : undefined;
}
