import { amend } from "../admission/amend.ts";
import type { Verdict } from "../admission/verdict.ts";
import { detach } from "../conversion/carriers.ts";
import { taken } from "../conversion/contradicted.ts";
import { keep, withAnnotationsOf } from "../conversion/keeper.ts";
import { equal } from "../json/equal.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { fromHub, toHub } from "../kind/kind.ts";
import { keysOf, type Write } from "./write.ts";

/** The object with carriers put back that this client may not change, and with the kind's defaults in spec. */
export function mutate(write: Write): Verdict {
  const changed = filled({ ...write, object: kept(write) });
  return equal(changed, write.object)
    ? { outcome: "allow", warnings: [] }
    : { outcome: "change", object: changed, warnings: [] };
}

/** The keeper acts only on writes at the version that the client wrote. On converted ones it would undo the conversion. */
function kept({
  kind,
  version,
  object,
  oldObject,
  subresource,
  circumstances,
  isOriginal,
}: Write): JsonObject {
  if (!isOriginal || (subresource !== "" && subresource !== "status")) return object;
  const atHub = version === kind.versions.length - 1;
  return keep(object, oldObject, { operation: circumstances.operation, subresource, atHub }, kind.chain);
}

/**
 * A kind's defaults apply to spec in the hub version; the change is then converted to the version of the request. What that
 * version cannot say travels in the annotation alone, since this write cannot change status. The API server puts the old status
 * back only after this webhook (apiserver, registry/generic/registry/store.go, Update): without it the carrier in status would
 * be missing, and a default would replace what only the hub says.
 */
function filled({ kind, version, object, oldObject, subresource, circumstances }: Write): JsonObject {
  const fill = kind.definition.default;
  if (fill === undefined || subresource !== "") return object;
  const stored = oldObject === undefined ? object : taken(object, oldObject, "spec", kind.chain);
  const hub = toHub(kind, stored, version);
  const changed: unknown = fill(hub, circumstances);
  if (!isObject(changed)) throw new Error(`default of ${kind.name} returned no object`);
  if (equal(changed, hub)) return object;
  const after = fromHub(kind, changed, version);
  const [origin, from, to] = [object, fromHub(kind, hub, version), after].map((each) => detach(each).object);
  const amended = amend(origin ?? object, from ?? object, to ?? object, keysOf(kind, version));
  return withAnnotationsOf(
    { ...amended, ...(Object.hasOwn(object, "status") ? { status: object.status } : {}) },
    after,
  );
}
