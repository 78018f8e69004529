import { apiVersionOf, kindName } from "../../apimachinery/resource.ts";
import { storedNumbers } from "../../go/decode.ts";
import { quote } from "../../go/text.ts";
import { type JsonObject, own, textAt } from "../../json/json.ts";
import type { CompiledVersion, Definition } from "../crd/define.ts";
import { warningsOfFinalizers } from "../metadata/check.ts";
import { invalid, type SchemaFault } from "../model/fault.ts";
import { child, root } from "../model/place.ts";
import { asHeaders } from "../model/warnings.ts";
import { decode, type FieldValidation } from "./decode.ts";
import { prepareCreate, prepareStatus, prepareUpdate } from "./endpoint.ts";
import { readBack } from "./read-back.ts";
import { badRequestStatus, failure, invalidStatus, type StatusCause } from "./status.ts";

/** A write as a client sends it, to an endpoint of the version that its apiVersion names. */
export interface SchemaWrite {
  readonly object: JsonObject;
  /** The old object at the same version: the write is an update then. */
  readonly old?: JsonObject;
  readonly subresource?: "status";
  /** As the parameter of this name of a request; without it each unknown field is a warning. */
  readonly fieldValidation?: FieldValidation;
  /** Whether server-side apply made the object, which is not decoded again: a null that it left stays. */
  readonly isApplied?: boolean;
}

/** The answer to a write: the object that would be stored, or the Status of the rejection. */
export interface Answer {
  readonly allowed: boolean;
  readonly status?: JsonObject;
  readonly object?: JsonObject;
  readonly warnings: readonly string[];
}

/** A write after all checks: the object that would be stored, or the Status of the rejection and the faults that it lists. */
type CheckedWrite = { readonly warnings: readonly string[] } & (
  | { readonly object: JsonObject }
  | { readonly status: JsonObject; readonly faults: readonly SchemaFault[] }
);

/**
 * Checks a write as an API server does, admission aside: it reads, prunes, defaults, puts back what the endpoint
 * may not change, and validates.
 */
export function checkWrite(
  definition: Definition,
  version: CompiledVersion,
  asked: SchemaWrite,
): CheckedWrite {
  const write = asked.old === undefined ? asked : { ...asked, old: storedNumbers(asked.old) };
  const { group, kind } = definition;
  const deprecation = version.deprecation === undefined ? [] : [version.deprecation];
  const read = decode(write, version.schema);
  if ("fault" in read) {
    const why = `${kind} in version ${quote(version.name)} cannot be handled as a ${kind}: ${read.fault}`;
    return { status: badRequestStatus(why), faults: [], warnings: asHeaders(deprecation) };
  }
  const known = [...deprecation, ...read.warnings];
  const outdated =
    write.old === undefined ? undefined : rejectionOfVersion(read.object, write.old, definition);
  if (outdated !== undefined) return { ...outdated, warnings: asHeaders(known) };
  const object = prepared(read.object, write, definition, version);
  const { faults, warnings } = validated(object, write, definition, version);
  const metadata = own(object, "metadata");
  if (faults.length > 0) {
    const status = invalidStatus(group, textAt(object, "kind"), textAt(metadata, "name"), causesOf(faults));
    return { status, faults, warnings: asHeaders([...known, ...warnings]) };
  }
  const old = own(write.old, "metadata");
  const finalizers = write.subresource === "status" ? [] : warningsOfFinalizers(metadata, old);
  return { object, warnings: asHeaders([...known, ...warnings, ...finalizers]) };
}

const versionPlace = child(child(root, "metadata"), "resourceVersion");

/** Why an update does not fit the object that is stored (apiserver, registry/generic/registry, Store.Update). */
function rejectionOfVersion(
  object: JsonObject,
  old: JsonObject,
  { plural, group }: Definition,
): { readonly status: JsonObject; readonly faults: readonly SchemaFault[] } | undefined {
  const [after, before] = [object, old].map((each) => textAt(own(each, "metadata"), "resourceVersion"));
  // An old object that was read from a file has none.
  if (after === undefined || before === undefined || before === "" || after === before) return undefined;
  const name = textAt(own(old, "metadata"), "name");
  if (!/^\d*$/.test(after)) {
    const why = `strconv.ParseUint: parsing ${quote(after)}: invalid syntax`;
    return { status: failure(500, undefined, why), faults: [] };
  }
  if (/^0*$/.test(after)) {
    const faults = [invalid(versionPlace, 0, "must be specified for an update")];
    return { status: invalidStatus(group, plural, name, causesOf(faults)), faults };
  }
  const why = `Operation cannot be fulfilled on ${kindName(group, plural)} ${quote(name)}: the object has been modified; please apply your changes to the latest version and try again`;
  return { status: failure(409, "Conflict", why, { name, group, kind: plural }), faults: [] };
}

/** What an API server answers to a write, admission aside. */
export function answerWrite(definition: Definition, write: SchemaWrite): Answer {
  const version = versionOf(definition, write.object);
  if (version === undefined) {
    return rejected(failure(404, "NotFound", "the server could not find the requested resource"), []);
  }
  const checked = checkWrite(definition, version, write);
  const { warnings } = checked;
  if ("status" in checked) return rejected(checked.status, warnings);
  const { object } = checked;
  if (write.old === undefined && textAt(own(object, "metadata"), "resourceVersion") !== "") {
    const why = "resourceVersion should not be set on objects to be created";
    return rejected(failure(500, undefined, why), warnings);
  }
  return { allowed: true, object: readBack(object, version, definition), warnings };
}

function rejected(status: JsonObject, warnings: readonly string[]): Answer {
  return { allowed: false, status, warnings };
}

function versionOf({ group, versions }: Definition, object: JsonObject): CompiledVersion | undefined {
  return versions.find(({ name, served }) => served && apiVersionOf(group, name) === object.apiVersion);
}

function prepared(
  object: JsonObject,
  { old, subresource }: SchemaWrite,
  { scope }: Definition,
  { hasStatus }: CompiledVersion,
): JsonObject {
  if (old === undefined) return prepareCreate(object, { hasStatus, scope });
  return subresource === "status"
    ? prepareStatus(object, old)
    : prepareUpdate(object, old, { hasStatus, scope });
}

function validated(
  object: JsonObject,
  { old, subresource }: SchemaWrite,
  { kind }: Definition,
  { schema }: CompiledVersion,
) {
  const found = textAt(object, "kind");
  if (found === kind) return schema.validate(object, old, old === undefined ? undefined : subresource);
  return { faults: [invalid(child(root, "kind"), found, `must be ${kind}`)], warnings: [] };
}

function causesOf(faults: readonly SchemaFault[]): readonly StatusCause[] {
  return faults.map(({ type, field, message }) => ({ reason: type, field, message }));
}
