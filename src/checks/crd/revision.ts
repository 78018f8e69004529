import { apiVersionOf } from "../../apimachinery/resource.ts";
import { type JsonObject, objectAt, set } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { type Answer, type Crd, type CrdVersion, compileCrd, type SchemaCause } from "../../schema/index.ts";
import { crdModelOf, hasStatus, schemaIn, type VersionModel } from "../../schema/model/crd.ts";

/** A CRD of one revision, compiled. */
export interface Revision {
  /** `rooms.home.antechamber.dev`. */
  readonly name: string;
  readonly json: JsonObject;
  readonly crd: Crd;
  readonly versions: readonly RevisionVersion[];
  /** The kind with its lenses, where the revision is a folder of kinds. */
  readonly kind?: Kind;
  /** The versions that objects may be stored in, where a cluster says so. */
  readonly storedVersions?: readonly string[];
}

/** A version of a revision. */
export interface RevisionVersion {
  readonly name: string;
  readonly apiVersion: string;
  readonly served: boolean;
  readonly stored: boolean;
  /** Its `openAPIV3Schema`. */
  readonly schema: JsonObject;
  readonly entry: JsonObject;
  /** The schema engine's view of it. */
  readonly compiled: CrdVersion;
  /** Whether its status has an endpoint of its own. */
  readonly hasStatus: boolean;
  /** The answer to one write. */
  readonly write: (object: JsonObject, old?: JsonObject, subresource?: "status") => Answer;
  /** The answer to the creation of an object and, where its status has an endpoint, to the write of its status after that. */
  readonly store: (object: JsonObject) => Answer;
}

/** Compiles a CRD; or what an API server would find wrong with it. */
export function revisionOf(
  json: JsonObject,
  more: Pick<Revision, "kind" | "storedVersions"> = {},
): { readonly revision: Revision } | { readonly causes: readonly SchemaCause[] } {
  const compiled = compileCrd(json);
  if ("causes" in compiled) return compiled;
  const { crd } = compiled;
  const entries = crdModelOf(json).spec.versions;
  const versions = crd.versions.flatMap((version, index) => {
    const entry = entries[index];
    return entry === undefined ? [] : [versionOf(aloneIn(json, crd, entry.json), version, entry)];
  });
  return { revision: { name: `${crd.plural}.${crd.group}`, json, crd, versions, ...more } };
}

/**
 * The CRD with one version alone. Otherwise an object would be read back through the schema of the stored version, by a
 * conversion that the CRD of a project with a webhook does not show.
 */
function aloneIn(json: JsonObject, crd: Crd, entry: JsonObject): Crd {
  if (crd.versions.length === 1) return crd;
  const { conversion: _, ...spec } = objectAt(json.spec);
  const only = { ...entry, served: true, storage: true };
  const compiled = compileCrd(set(json, "spec", { ...spec, versions: [only] }));
  return "crd" in compiled ? compiled.crd : crd;
}

function versionOf(crd: Crd, compiled: CrdVersion, entry: VersionModel): RevisionVersion {
  const { name, served, stored } = compiled;
  const apiVersion = apiVersionOf(crd.group, name);
  const hasEndpoint = hasStatus(entry);
  const write: RevisionVersion["write"] = (object, old, subresource) =>
    crd.write({
      object: set(object, "apiVersion", apiVersion),
      ...(old === undefined ? {} : { old: set(old, "apiVersion", apiVersion) }),
      ...(subresource === undefined ? {} : { subresource }),
      fieldValidation: "ignore",
    });
  return {
    name,
    apiVersion,
    served,
    stored,
    schema: schemaIn(entry) ?? {},
    entry: entry.json,
    compiled,
    hasStatus: hasEndpoint,
    write,
    store: (object) => {
      const { status } = object;
      const created = write(object);
      if (!hasEndpoint || status === undefined || created.object === undefined) return created;
      return write(set(created.object, "status", status), created.object, "status");
    },
  };
}

/** A version's view of a stored object: pruned and defaulted, as the API server reads it. */
export function readAs({ compiled, apiVersion }: RevisionVersion, stored: JsonObject): JsonObject {
  return compiled.default(compiled.prune(set(stored, "apiVersion", apiVersion)).object);
}

/** An object of a revision with nothing but its identity. */
export function bareObject({ crd }: Revision, { apiVersion }: RevisionVersion): JsonObject {
  const namespace = crd.scope === "Namespaced" ? { namespace: "default" } : {};
  return { apiVersion, kind: crd.kind, metadata: { name: "one", ...namespace } };
}

/** An object without what a client or the API server says of its identity. */
export function contentOf({ apiVersion: _, kind: __, metadata: ___, ...content }: JsonObject): JsonObject {
  return content;
}
