import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import type { WholeSchema } from "./compile.ts";
import { textIn } from "./metadata/check.ts";
import { coerceMetadata } from "./metadata/coerce.ts";
import { asGoReads } from "./stored.ts";

/** A write as the API server reads it, and what it warns of; or why it cannot be read, which is answered with 400. */
export type Received =
  | { readonly object: JsonObject; readonly warnings: readonly string[] }
  | { readonly fault: string };

/** Reads a write: metadata into its fields, what is unknown pruned, nulls dropped, what is missing defaulted (kubernetes.md 2.1). */
export function received(written: JsonObject, schema: WholeSchema): Received {
  const object = asGoReads(written) as JsonObject;
  const metadata = own(object, "metadata");
  const coerced = metadata === undefined ? undefined : coerceMetadata(metadata);
  if (coerced !== undefined && "fault" in coerced) return coerced;
  const { object: pruned, unknown } = schema.prune(object);
  const dropped = schema.dropped(pruned);
  const embedded = schema.embedding?.coerce(dropped) ?? { value: dropped, unknown: [] };
  if ("fault" in embedded) return { fault: `${embedded.fault.field}: ${embedded.fault.message}` };
  const whole = isObject(embedded.value) ? embedded.value : dropped;
  const fields = [
    ...(coerced?.unknown.map((key) => `metadata.${key}`) ?? []),
    ...unknown,
    ...embedded.unknown,
  ];
  const owners = onceEach(own(coerced?.metadata, "ownerReferences"));
  const kept =
    owners === undefined ? coerced?.metadata : set(coerced?.metadata ?? {}, "ownerReferences", owners.kept);
  return {
    object: schema.defaulted(kept === undefined ? whole : set(whole, "metadata", kept)),
    warnings: [
      // What is between these quotes is not escaped.
      ...fields.map((field) => `unknown field "${field}"`),
      ...(owners === undefined ? [] : [twice(owners.repeated)]),
    ],
  };
}

/** Owners without those that are there again; undefined where there are none. */
function onceEach(
  owners: Json | undefined,
): { kept: readonly Json[]; repeated: readonly string[] } | undefined {
  const kept: Json[] = [];
  const byUid = new Map<string, Json[]>();
  const repeated: string[] = [];
  for (const owner of isArray(owners) ? owners : []) {
    const uid = textIn(owner, "uid");
    const same = byUid.get(uid) ?? [];
    if (same.some((each) => equal(each, owner))) repeated.push(uid);
    else {
      byUid.set(uid, [...same, owner]);
      kept.push(owner);
    }
  }
  return repeated.length === 0 ? undefined : { kept, repeated };
}

function twice(uids: readonly string[]): string {
  return `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`;
}
