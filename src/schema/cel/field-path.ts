import type { Node } from "./node.ts";

/** A rule's `fieldPath`: as the server prints it, and as steps; undefined where it names no field of the schema. */
export function readFieldPath(
  text: string,
  node: Node,
): { readonly field: string; readonly steps: readonly string[] } | undefined {
  const steps: string[] = [];
  let [field, here]: [string, Node | undefined] = ["", node];
  let rest = text;
  while (rest !== "") {
    const step = nextStep(rest);
    if (step === undefined || here === undefined) return undefined;
    const isProperty: boolean = here.properties !== undefined;
    const below: Node | undefined = isProperty ? here.properties?.get(step.name) : here.additional;
    // The server looks no further than that a map is there; what its values are it asks only for the next step.
    if (below === undefined && (isProperty || !here.isMap)) return undefined;
    here = below;
    if (isProperty) field += field === "" ? step.name : `.${step.name}`;
    else field += `[${step.name}]`;
    steps.push(step.name);
    rest = rest.slice(step.length);
  }
  return { field, steps };
}

const escapes = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["'", "'"],
  ["\\", "\\"],
]);

/** `.name` or `['name']` (apiextensions-apiserver schema/cel/validation.go, ValidFieldPath). */
function nextStep(text: string): { readonly name: string; readonly length: number } | undefined {
  const [all, plain, quoted] =
    /^(?:\.([^.[\]']+|'(?:[^'\\]|\\.)*')|\['((?:[^'\\]|\\[\s\S])*)'\])/.exec(text) ?? [];
  if (all === undefined) return undefined;
  if (plain !== undefined) return { name: plain, length: all.length };
  const name = unquote(quoted ?? "");
  return name === undefined ? undefined : { name, length: all.length };
}

function unquote(text: string): string | undefined {
  let isGood = true;
  const name = text.replaceAll(/\\(.)/g, (_all, character: string) => {
    const plain = escapes.get(character);
    isGood &&= plain !== undefined;
    return plain ?? "";
  });
  return isGood ? name : undefined;
}
