import type { CrdShapes } from "../conversion/in-force.ts";
import { resourceShapeOf } from "../conversion/shape.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { readSchema } from "../schema/model.ts";

/** What is kept of a CRD: its name, its state, and the schemas of its versions. */
export function reducedCrd({ apiVersion, kind, metadata, spec }: JsonObject): JsonObject {
  const { name = "", uid = "", resourceVersion = "" } = isObject(metadata) ? metadata : {};
  const listed = get(spec, "versions");
  const versions = (isArray(listed) ? listed : []).map((version) => ({
    name: get(version, "name") ?? "",
    schema: get(version, "schema") ?? {},
  }));
  const preserveUnknownFields = get(spec, "preserveUnknownFields") ?? false;
  return {
    apiVersion: apiVersion ?? "",
    kind: kind ?? "",
    metadata: { name, uid, resourceVersion },
    spec: { preserveUnknownFields, versions },
  };
}

/** The schemas of a reduced CRD as JSON text. Equal texts are equal schemas. */
export function schemasOf(crd: JsonObject): string {
  return writeJson(crd.spec ?? {});
}

/** Reads the shapes of a CRD's versions; a sentence if they cannot be read. */
export function readCrdShapes(schemas: string): CrdShapes | { readonly sentence: string } {
  if (schemas.length > mostCharacters) {
    return { sentence: `its schemas have ${schemas.length} characters, more than ${mostCharacters}` };
  }
  try {
    const spec = parseJson(schemas);
    // The API server then prunes nothing.
    if (get(spec, "preserveUnknownFields") === true) return new Map();
    const versions = get(spec, "versions");
    return new Map((isArray(versions) ? versions : []).flatMap(shapeOfVersion));
  } catch (error) {
    return { sentence: error instanceof Error ? error.message : String(error) };
  }
}

/** An object in etcd has at most 1.5 MiB. */
const mostCharacters = 4 * 1024 * 1024;

function shapeOfVersion(version: Json) {
  const [name, schema] = [get(version, "name"), get(version, "schema", "openAPIV3Schema")];
  if (typeof name !== "string" || !isObject(schema)) return [];
  return [[name, resourceShapeOf(readSchema(schema))] as const];
}
