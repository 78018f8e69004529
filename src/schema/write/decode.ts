import { decodeNumbers } from "../../go/decode.ts";
import { GoFault } from "../../go/fault.ts";
import { equal } from "../../json/equal.ts";
import { isObject, type Json, type JsonObject, listAt, own, set, textAt } from "../../json/json.ts";
import type { WritableSchema } from "../crd/compile.ts";
import { coerceMetadata } from "../metadata/coerce.ts";

/** A write as the API server reads it, and its warnings; or why it cannot be read, which is answered with 400. */
type Decoded =
  | { readonly object: JsonObject; readonly warnings: readonly string[] }
  | { readonly fault: string };

interface Written {
  readonly object: JsonObject;
  readonly fieldValidation?: FieldValidation;
  readonly isApplied?: boolean;
}

/** Whether unknown fields reject a write, cause warnings, or are dropped without a word. */
export type FieldValidation = "strict" | "warn" | "ignore";

/** Reads a write: metadata into its fields, unknown fields pruned, nulls dropped, defaults filled in. */
export function decode(
  { object: written, fieldValidation = "warn", isApplied = false }: Written,
  schema: WritableSchema,
): Decoded {
  const object = decodeNumbers(written);
  if (object instanceof GoFault) return { fault: object.message };
  const metadata = own(object, "metadata");
  const coerced = metadata === undefined ? undefined : coerceMetadata(metadata);
  if (coerced !== undefined && "fault" in coerced) return coerced;
  const { object: pruned, unknown } = schema.prune(object);
  const withoutNulls = isApplied ? pruned : schema.dropNulls(pruned);
  const embedded = schema.embedding?.coerce(withoutNulls) ?? { value: withoutNulls, unknown: [] };
  if ("fault" in embedded) return { fault: `${embedded.fault.field}: ${embedded.fault.message}` };
  const whole = isObject(embedded.value) ? embedded.value : withoutNulls;
  const fields = [
    ...(coerced?.unknown.map((key) => `metadata.${key}`) ?? []),
    ...unknown,
    ...embedded.unknown,
    // What is between these quotes is not escaped.
  ].map((field) => `unknown field "${field}"`);
  if (fieldValidation === "strict" && fields.length > 0) {
    return { fault: `strict decoding error: ${fields.join(", ")}` };
  }
  const owners = onceEach(own(coerced?.metadata, "ownerReferences"));
  const kept =
    owners === undefined ? coerced?.metadata : set(coerced?.metadata ?? {}, "ownerReferences", owners.kept);
  return {
    object: schema.fill(kept === undefined ? whole : set(whole, "metadata", kept)),
    warnings: [
      ...(fieldValidation === "warn" ? fields : []),
      ...(owners === undefined ? [] : [duplicateOwners(owners.repeated)]),
    ],
  };
}

/** Owners without duplicates; undefined where there are none. */
function onceEach(
  owners: Json | undefined,
): { kept: readonly Json[]; repeated: readonly string[] } | undefined {
  const kept: Json[] = [];
  const byUid = new Map<string, Json[]>();
  const repeated: string[] = [];
  for (const owner of listAt(owners)) {
    const uid = textAt(owner, "uid");
    const same = byUid.get(uid) ?? [];
    if (same.some((each) => equal(each, owner))) repeated.push(uid);
    else {
      byUid.set(uid, [...same, owner]);
      kept.push(owner);
    }
  }
  return repeated.length === 0 ? undefined : { kept, repeated };
}

function duplicateOwners(uids: readonly string[]): string {
  return `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`;
}
