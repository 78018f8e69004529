import type { Cause } from "../admission/verdict.ts";
import { fieldInSpoke } from "../conversion/field.ts";
import { equal } from "../json/equal.ts";
import { type JsonObject, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { SchemaFault } from "../schema/fault.ts";
import type { Write } from "./write.ts";

/**
 * What the hub's schema says of a write that came at another version: the API server asks only the schema of the
 * version that a client happened to write (kubernetes.md 8g), so that what the hub forbids could be stored, and what it
 * holds immutable be changed, through an older one. What was wrong before and is not touched is not held against anybody.
 */
export function faultsByHub(
  { kind, version, subresource, isOriginal, circumstances }: Write,
  hub: JsonObject,
): readonly SchemaFault[] {
  const isHub = version === kind.versions.length - 1;
  const isStatus = subresource === "status";
  if ((isHub && isOriginal) || (subresource !== "" && !isStatus)) return [];
  const { oldObject } = circumstances;
  if (oldObject !== undefined && isSame(hub, oldObject, isStatus)) return [];
  const { schema } = kind.hub;
  // As it will be read: the hub's defaults are filled in then, though nobody stores them now.
  const [object, old] = [hub, oldObject].map((each) => each && schema.defaulted(schema.prune(each).object));
  if (object === undefined) return [];
  const { faults } = schema.validate(object, old, isStatus ? "status" : undefined);
  const writable = (root: Path[number] | undefined) => (root === "status") === isStatus;
  // Of metadata nothing is converted: the server has judged it.
  return faults.filter(({ path }) => path === undefined || (path[0] !== "metadata" && writable(path[0])));
}

/** Whether a write leaves all as it was but metadata and what its endpoint cannot write: status, or all but status. */
export function isSame(object: JsonObject, oldObject: JsonObject, isStatus: boolean): boolean {
  if (isStatus) return equal(own(object, "status") ?? null, own(oldObject, "status") ?? null);
  const contentOf = (whole: JsonObject) => ({ ...whole, metadata: null, status: null });
  return equal(contentOf(object), contentOf(oldObject));
}

/** A fault as a cause at the field that the client wrote; at the hub's where its version has no word for it. */
export function causeOfFault(fault: SchemaFault, write: Write, hub: JsonObject): Cause {
  const { type, path, message, field } = fault;
  if (path === undefined) return { path: [], field, reason: type, message };
  return { path: fieldFor(path, write, hub), reason: type, message };
}

/** Where the author of a write finds what stands at a path of the hub. */
export function fieldFor(path: Path, { kind, version }: Write, hub: JsonObject): Path {
  const isHub = version === kind.versions.length - 1;
  // Identity, labels and annotations are called the same everywhere.
  if (isHub || path.length === 0 || path[0] === "metadata") return path;
  return fieldInSpoke(contentOf(hub), path, kind.ladder, version) ?? path;
}

function contentOf(hub: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = hub;
  return content;
}
