import type { PatchOperation } from "../../src/admission/patch.ts";
import { isArray, isObject, type Json } from "../../src/json/json.ts";

/**
 * Applies a patch as the API server's library does (evanphx/json-patch 4): any key of an object is a key, an index is
 * decimal and within the list, what is replaced or removed must be there. Independent of the code under test.
 */
export function apply(document: Json, patch: readonly PatchOperation[]): Json {
  return patch.reduce<Json>((value, operation) => step(value, decode(operation.path), operation), document);
}

function decode(pointer: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new Error(`not a pointer: ${pointer}`);
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replace(/~[01]/g, (sign) => (sign === "~1" ? "/" : "~")));
}

function step(here: Json, path: readonly string[], operation: PatchOperation): Json {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (operation.op !== "replace") throw new Error(`${operation.op} of the root`);
    return operation.value;
  }
  if (isArray(here)) return stepIntoList(here, key, rest, operation);
  if (!isObject(here)) throw new Error(`no object or list above ${operation.path}`);
  const entries = new Map(Object.entries(here));
  const there = entries.get(key);
  if (rest.length === 0 && operation.op === "add") entries.set(key, operation.value);
  else if (there === undefined) throw new Error(`missing: ${operation.path}`);
  else if (rest.length > 0) entries.set(key, step(there, rest, operation));
  else if (operation.op === "replace") entries.set(key, operation.value);
  else entries.delete(key);
  return Object.fromEntries(entries);
}

function stepIntoList(
  here: readonly Json[],
  key: string,
  rest: readonly string[],
  operation: PatchOperation,
): Json {
  if (!/^(0|[1-9]\d*)$/.test(key)) throw new Error(`no index: ${operation.path}`);
  const index = Number(key);
  if (rest.length === 0 && operation.op === "add") {
    if (index > here.length) throw new Error(`beyond the end: ${operation.path}`);
    return here.toSpliced(index, 0, operation.value);
  }
  const there = here[index];
  if (there === undefined) throw new Error(`missing: ${operation.path}`);
  if (rest.length > 0) return here.with(index, step(there, rest, operation));
  return operation.op === "replace" ? here.with(index, operation.value) : here.toSpliced(index, 1);
}
