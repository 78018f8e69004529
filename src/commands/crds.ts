import { get, type JsonObject } from "../json/json.ts";
import type { Kind } from "../kind.ts";
import { crdName, crdOf } from "../manifests/crd.ts";
import { kindName } from "../resource.ts";
import { compileDefinition, type Definition } from "../schema/crd.ts";
import { UsageError } from "./errors.ts";
import { type InputIo, readInput } from "./input.ts";

/** Definitions by the name of their kind, `Gadget.example.org`. */
export type Definitions = ReadonlyMap<string, Definition>;

/** The definitions of the CRDs in files. Throws UsageError where an API server would refuse one. */
export async function definitionsIn(files: readonly string[], io: InputIo): Promise<Definitions> {
  const given = (await readInput(files, io)).filter(({ value }) => value.kind === "CustomResourceDefinition");
  if (files.length > 0 && given.length === 0) {
    throw new UsageError(`${files.join(", ")}: no CustomResourceDefinition in there`);
  }
  return new Map(given.map(({ source, value }) => [keyOf(value), compiled(source, value)]));
}

/** The definitions of kinds that have a folder. */
export function definitionsOf(kinds: readonly Kind[]): Definitions {
  return new Map(
    kinds.map((kind) => [kind.name, compiled(crdName(kind), crdOf(kind, { url: "https://localhost" }))]),
  );
}

function keyOf(crd: JsonObject): string {
  return kindName(String(get(crd, "spec", "group")), String(get(crd, "spec", "names", "kind")));
}

function compiled(source: string, crd: JsonObject): Definition {
  const found = compileDefinition(crd);
  if ("definition" in found) return found.definition;
  const sentences = found.faults.map(({ field, message }) => `\n  ${field}: ${message}`);
  throw new UsageError(`${source}: an API server would refuse this CRD:${sentences.join("")}`);
}
