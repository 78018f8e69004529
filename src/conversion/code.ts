import { isPlainName } from "./tree.ts";

// What functions made for a schema have in common: their source text holds field names only as JSON strings, never as code.

/**
 * Makes a function of source text that ends with `return …;`. The text reads the given values by their names. Undefined
 * where the process is forbidden to make code from strings (`--disallow-code-generation-from-strings`).
 */
export function compiled<Compiled>(
  code: string,
  values: Readonly<Record<string, unknown>>,
): Compiled | undefined {
  try {
    return new Function(...Object.keys(values), `"use strict";\n${code}`)(
      ...Object.values(values),
    ) as Compiled;
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/** Whether a field can be read by its name in such a text: no object inherits a property of that name. */
export function isFieldName(name: string): boolean {
  return isPlainName(name) && !(name in Object.prototype);
}
