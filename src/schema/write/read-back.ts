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
  const rename = renaming(definition);
  return readAt(rename(object, stored.name), stored, version, rename);
}

/** What makes of an object one of another version, given by its name. */
export type Conversion = (object: JsonObject, version: string) => JsonObject;

/**
 * An object that is stored as one version, as it is read at another: the schema of the first prunes it and fills in its defaults,
 * then it is converted, by its apiVersion alone where there is no webhook, and the schema of the second prunes it, without
 * defaults (apiextensions-apiserver, pkg/apiserver/customresource_handler.go, crdConversionRESTOptionsGetter).
 */
export function readAt(
  object: JsonObject,
  stored: CompiledVersion,
  version: CompiledVersion,
  convert: Conversion,
): JsonObject {
  const read = stored.schema.fill(throughSchema(object, stored));
  return stored === version ? read : throughSchema(convert(read, version.name), version);
}

/** A written object as it is stored: converted, and pruned without defaults. */
export function storedAs(
  object: JsonObject,
  stored: CompiledVersion,
  version: CompiledVersion,
  convert: Conversion,
): JsonObject {
  return throughSchema(stored === version ? object : convert(object, stored.name), stored);
}

/** The conversion without a webhook: the apiVersion changes. */
export function renaming({ group }: Definition): Conversion {
  return (object, version) => set(object, "apiVersion", apiVersionOf(group, version));
}

function throughSchema(object: JsonObject, { schema }: CompiledVersion): JsonObject {
  return schema.dropNulls(schema.prune(object).object);
}
