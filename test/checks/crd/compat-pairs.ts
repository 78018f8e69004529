import { readFileSync } from "node:fs";
import { type Comparison, compareRevisions } from "../../../src/checks/crd/compare.ts";
import { type Revision, revisionOf } from "../../../src/checks/crd/revision.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";

/** Two revisions of a CRD, and what compat must find. */
export interface Pair {
  readonly name: string;
  readonly old: JsonObject;
  readonly new: JsonObject;
  /** `breaking refused spec.size`. */
  readonly finds: readonly string[];
  /** The check of crdify that finds this change, if one does. */
  readonly crdify: string | undefined;
  /** How the sentences begin with which the API server refuses the new CRD. */
  readonly refusedCrd: readonly string[];
}

/** The pairs of test/checks/crd/pairs.yaml; each has a kind of its own. */
export function readPairs(): readonly Pair[] {
  const [document] = readYaml(readFileSync("test/checks/crd/pairs.yaml", "utf8"));
  const listed = isArray(document?.value) ? document.value : [];
  return listed.map((each, index) => pairOf(String(get(each, "name")), index, each));
}

/** A pair with a kind of its own, by its number. */
export function pairOf(name: string, index: number, each: Json): Pair {
  return {
    name,
    old: crdOf(get(each, "old"), index),
    new: crdOf(get(each, "new"), index),
    finds: textsIn(get(each, "finds")),
    refusedCrd: textsIn(get(each, "refusedCrd")),
    crdify: textsIn([get(each, "crdify") ?? []].flat())[0],
  };
}

function textsIn(value: Json | undefined): readonly string[] {
  return isArray(value) ? value.map(String) : [];
}

function crdOf(side: Json | undefined, index: number): JsonObject {
  const plural = `pair${index}s`;
  const names = { kind: `Pair${index}`, listKind: `Pair${index}List`, plural, singular: `pair${index}` };
  const versions = get(side, "versions") ?? [onlyVersion(side)];
  const more = get(side, "crd");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.compat.example.org` },
    spec: {
      group: "compat.example.org",
      names,
      scope: "Namespaced",
      versions,
      ...(isObject(more) ? more : {}),
    },
  };
}

function onlyVersion(side: Json | undefined): JsonObject {
  const [entry, root] = [get(side, "entry"), get(side, "root")];
  const parts = ["spec", "status"].flatMap((name) => {
    const part = get(side, name);
    return part === undefined ? [] : [[name, part] as const];
  });
  const openAPIV3Schema = {
    type: "object",
    properties: Object.fromEntries(parts),
    ...(isObject(root) ? root : {}),
  };
  return {
    name: "v1",
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema },
    ...(isObject(entry) ? entry : {}),
  };
}

/** A CRD as a revision. Throws where an API server would reject it. */
export function revision(crd: JsonObject): Revision {
  const result = revisionOf(crd);
  if ("revision" in result) return result.revision;
  throw new Error(result.causes.map(({ field, message }) => `${field}: ${message}`).join("\n"));
}

/** What compat finds in a pair. */
export function comparisonOf(pair: Pair): Comparison {
  return compareRevisions(revision(pair.old), revision(pair.new), { runs: 50, seed: 1, seeds: [] });
}
