import type { CrdShapes } from "../../conversion/in-force.ts";
import { withoutField } from "../../conversion/narrow.ts";
import { resourceShapeOf } from "../../conversion/shape.ts";
import { messageOf } from "../../errors.ts";
import { parseJson, writeJson } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { crdModelOf } from "../../schema/model/crd.ts";
import { readSchema } from "../../schema/model/schema.ts";

/**
 * An annotation of a CRD with fields that it is about to lose: `v1 spec.owner, v1beta1 spec.policy`. They are withheld as if the
 * CRD had lost them, so that no write at the moment of the change loses anything.
 */
export const withheldFields = "antechamber.dev/withheld-fields";

/** The shapes of a CRD. */
export interface ReadCrd {
  readonly declared: CrdShapes;
  /** The same without the fields that its annotation withholds. */
  readonly shown: CrdShapes;
  readonly isWithholding: boolean;
  /** Entries of the annotation that name no field of the CRD. */
  readonly misnamed: readonly string[];
}

/** What is kept of a CRD: its name, its state, and the schemas of its versions. */
export function reducedCrd(json: JsonObject): JsonObject {
  const { metadata, spec } = crdModelOf(json);
  const { name, uid, resourceVersion, annotations } = metadata;
  const versions = spec.versions.map((version) => ({
    name: version.name,
    schema: get(version.json, "schema") ?? {},
  }));
  const { preserveUnknownFields } = spec;
  return {
    apiVersion: json.apiVersion ?? "",
    kind: json.kind ?? "",
    metadata: { name, uid, resourceVersion },
    spec: { preserveUnknownFields, versions, withheld: annotations.get(withheldFields) ?? "" },
  };
}

/** The schemas of a reduced CRD as JSON text. Equal texts are equal schemas. */
export function schemasOf(crd: JsonObject): string {
  return writeJson(crd.spec ?? {});
}

/** Reads the shapes of a CRD's versions; a sentence if they cannot be read. */
export function readCrdShapes(schemas: string): ReadCrd | { readonly sentence: string } {
  if (schemas.length > mostCharacters) {
    return { sentence: `its schemas have ${schemas.length} characters, more than ${mostCharacters}` };
  }
  try {
    const spec = parseJson(schemas);
    const versions = get(spec, "versions");
    // With preserveUnknownFields the API server prunes nothing.
    const isPruned = get(spec, "preserveUnknownFields") !== true;
    const declared = new Map(isPruned && isArray(versions) ? versions.flatMap(shapeOfVersion) : []);
    return withheldFrom(declared, get(spec, "withheld"));
  } catch (error) {
    return { sentence: messageOf(error) };
  }
}

function withheldFrom(declared: CrdShapes, annotation: Json | undefined): ReadCrd {
  const entries = (typeof annotation === "string" ? annotation : "")
    .split(/[,\n]/)
    .map((each) => each.trim());
  const shown = new Map(declared);
  const misnamed: string[] = [];
  for (const entry of entries.filter((each) => each !== "")) {
    const [version = "", field = "", ...more] = entry.split(/\s+/);
    const shape = shown.get(version);
    const left = shape && withoutField(shape, field.split("."));
    if (shape === undefined || left === undefined || left === shape || more.length > 0) misnamed.push(entry);
    else shown.set(version, left);
  }
  const isWithholding = [...shown].some(([version, shape]) => shape !== declared.get(version));
  return { declared, shown, isWithholding, misnamed };
}

/** An object in etcd has at most 1.5 MiB. */
const mostCharacters = 4 * 1024 * 1024;

function shapeOfVersion(version: Json) {
  const [name, schema] = [get(version, "name"), get(version, "schema", "openAPIV3Schema")];
  if (typeof name !== "string" || !isObject(schema)) return [];
  const problems: string[] = [];
  const shape = resourceShapeOf(readSchema(schema, problems));
  if (problems[0] !== undefined) throw new Error(problems[0]);
  return [[name, shape] as const];
}
