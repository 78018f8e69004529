import { apiVersionOf } from "../../apimachinery/resource.ts";
import { withPlainNumbers } from "../../go/decode.ts";
import { type JsonObject, set } from "../../json/json.ts";
import type { CompiledVersion, Definition } from "../crd/define.ts";

/**
 * An object that was written, as it is read back at the same version: through the version that is stored, whose schema
 * prunes it and whose defaults it takes. What a conversion webhook would do to it is unknown here.
 */
export function readBack(written: JsonObject, version: CompiledVersion, definition: Definition): JsonObject {
  const object = withPlainNumbers(written);
  const stored = definition.versions.find((each) => each.stored);
  if (stored === undefined || stored === version) return version.schema.defaulted(object);
  if (definition.conversion === "Webhook") return object;
  return readAt(named(object, stored, definition), stored, version, definition);
}

/**
 * An object that is stored as one version, as it is read at another without a webhook: the schema of the first prunes it and fills
 * in its defaults, then its apiVersion changes, and the schema of the second prunes it, without defaults
 * (apiextensions-apiserver, pkg/apiserver/customresource_handler.go, crdConversionRESTOptionsGetter).
 */
export function readAt(
  object: JsonObject,
  stored: CompiledVersion,
  version: CompiledVersion,
  definition: Definition,
): JsonObject {
  const read = stored.schema.fill(throughSchema(object, stored));
  return stored === version ? read : throughSchema(named(read, version, definition), version);
}

function named(object: JsonObject, { name }: CompiledVersion, { group }: Definition): JsonObject {
  return set(object, "apiVersion", apiVersionOf(group, name));
}

function throughSchema(object: JsonObject, { schema }: CompiledVersion): JsonObject {
  return schema.dropNulls(schema.prune(object).object);
}
