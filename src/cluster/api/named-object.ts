import type { JsonObject } from "../../json/json.ts";
import type { Collection } from "./collection.ts";
import type { Connection } from "./connection.ts";
import { applyPatch, mergePatch, readObject, type Write, writeObject } from "./requests.ts";

/** An object of the core group with a fixed name, the only one of its kind that a permission names. */
export interface NamedObject {
  readonly kind: "ConfigMap" | "Secret";
  readonly namespace: string;
  readonly name: string;
}

/** Reads the object as it is now; undefined if it does not exist. Throws ApiServerError. */
export function readNamed(connection: Connection, named: NamedObject): Promise<JsonObject | undefined> {
  return readObject(connection, pathOf(named), nameOf(named));
}

/**
 * Applies fields, and creates the object if it does not exist. A permission to create can name an object only if the request
 * does, too, which an apply does. Unless forced, resolves with false if another field manager has set these fields. Throws ApiServerError.
 */
export async function applyNamed(
  connection: Connection,
  named: NamedObject,
  manager: string,
  fields: JsonObject,
  force?: "force",
): Promise<boolean> {
  const { kind, namespace, name } = named;
  const body = { apiVersion: "v1", kind, metadata: { name, namespace }, ...fields };
  const query = new URLSearchParams({ fieldManager: manager, ...(force ? { force: "true" } : {}) });
  return write(connection, named, { query: `?${query}`, body, contentType: applyPatch, isCreation: true });
}

/** Changes fields of the object; null removes one. Resolves with false if it was changed since, or is gone. Throws ApiServerError. */
export async function patchNamed(
  connection: Connection,
  named: NamedObject,
  version: string,
  fields: JsonObject,
): Promise<boolean> {
  const body = { metadata: { resourceVersion: version }, ...fields };
  return write(connection, named, { query: "", body, contentType: mergePatch });
}

async function write(
  connection: Connection,
  named: NamedObject,
  { query, ...write }: Omit<Write, "method" | "path" | "failure"> & { readonly query: string },
): Promise<boolean> {
  const [path, failure] = [`${pathOf(named)}${query}`, `${nameOf(named)} cannot be written`];
  return (await writeObject(connection, { method: "PATCH", path, failure, ...write })) !== undefined;
}

/** The collection of this object alone, for an informer. */
export function collectionOfNamed(named: NamedObject): Collection {
  return {
    path: `/api/v1/namespaces/${named.namespace}/${plurals[named.kind]}`,
    query: { fieldSelector: `metadata.name=${named.name}` },
    accept: { list: "application/json", watch: "application/json" },
    apiVersion: "v1",
    kind: named.kind,
  };
}

const plurals = { ConfigMap: "configmaps", Secret: "secrets" } as const;

function pathOf({ kind, namespace, name }: NamedObject): string {
  return `/api/v1/namespaces/${namespace}/${plurals[kind]}/${name}`;
}

function nameOf({ kind, namespace, name }: NamedObject): string {
  return `the ${kind} ${namespace}/${name}`;
}
