import { apiVersionOf } from "../../apimachinery/resource.ts";
import { withPlainNumbers } from "../../go/decode.ts";
import { type JsonObject, set } from "../../json/json.ts";
import type { CompiledVersion, Definition } from "../crd/define.ts";

/**
 * An object that was written, as it is read back at the same version: through the version that is stored, whose schema
 * prunes it and whose defaults it takes. What a conversion webhook would do to it is unknown here.
 */
export function readBack(
  written: JsonObject,
  version: CompiledVersion,
  { group, versions, conversion }: Definition,
): JsonObject {
  const object = withPlainNumbers(written);
  const stored = versions.find((each) => each.stored);
  if (stored === undefined || stored === version) return version.schema.defaulted(object);
  if (conversion === "Webhook") return object;
  const there = throughSchema(set(object, "apiVersion", apiVersionOf(group, stored.name)), stored);
  const back = set(stored.schema.defaulted(there), "apiVersion", object.apiVersion);
  return throughSchema(back, version);
}

function throughSchema(object: JsonObject, { schema }: CompiledVersion): JsonObject {
  return schema.dropNulls(schema.prune(object).object);
}
