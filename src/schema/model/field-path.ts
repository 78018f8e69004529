import { escapes } from "../../go/text.ts";
import type { Schema } from "./schema.ts";

/** The schema that a path like `.spec.a['b-c']` leads to, with the path as it prints; or why it leads nowhere. */
type FoundField =
  | { readonly schema: Schema | undefined; readonly text: string; readonly steps: readonly string[] }
  | { readonly fault: string; readonly panics?: boolean };

/** Follows a path of fields and keys of maps (apiextensions, schema/cel, ValidFieldPath). */
export function followPath(path: string, from: Schema, brackets: "brackets" | "dots only"): FoundField {
  const tokens = tokensOf(path);
  let schema: Schema | undefined = from;
  let text = "";
  const steps: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const step = stepAt(tokens, index, brackets);
    if ("fault" in step) return step;
    index += step.length - 1;
    // Upstream looks into the schema of additionalProperties that are only true or false: a nil pointer.
    if (schema === undefined)
      return { fault: "leads below additionalProperties without a schema", panics: true };
    if (schema.properties.size === 0 && schema.allowsAdditional === undefined) {
      return { fault: "does not refer to a valid field" };
    }
    const isNamed: boolean = schema.properties.size > 0;
    const below: Schema | undefined = isNamed ? schema.properties.get(step.key) : schema.additional;
    if (isNamed && below === undefined) return { fault: "does not refer to a valid field" };
    text += isNamed ? `${text === "" ? "" : "."}${step.key}` : `[${step.key}]`;
    steps.push(step.key);
    schema = below;
  }
  return { schema, text, steps };
}

type Step = { readonly key: string; readonly length: number } | { readonly fault: string };

function stepAt(tokens: readonly string[], index: number, brackets: "brackets" | "dots only"): Step {
  const [token = "", next, end] = tokens.slice(index, index + 3);
  if (token === ".")
    return next === undefined ? { fault: "unexpected end of JSON path" } : { key: next, length: 2 };
  if (token !== "[") return { fault: `expected [ or . but got: ${token}` };
  if (brackets === "dots only") return { fault: "array notation is not allowed" };
  if (next === undefined) return { fault: "unexpected end of JSON path" };
  if (next.length < 2 || !next.startsWith("'") || !next.endsWith("'")) {
    return { fault: `expected single quoted string but got ${next}` };
  }
  if (end === undefined) return { fault: "unexpected end of JSON path" };
  if (end !== "]") return { fault: `expected ] but got ${end}` };
  const odd = [...next.slice(1, -1).matchAll(/\\(.)/g)].find(
    ([, letter = ""]) => unescaped(letter) === undefined,
  );
  if (odd !== undefined) return { fault: `invalid string literal: invalid escape char ${odd[0]}` };
  const key = next.slice(1, -1).replaceAll(/\\(.)/g, (_, letter: string) => unescaped(letter) ?? "");
  return { key, length: 3 };
}

function unescaped(letter: string): string | undefined {
  return letter === "'" ? letter : escapes.get(letter);
}

/** The delimiters, each alone, quoted texts, and what is between them. */
function tokensOf(path: string): readonly string[] {
  return path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|'.*$|[^.[\]']+[^.[\]]*/gs) ?? [];
}
