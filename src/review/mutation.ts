import { amend } from "../admission/amend.ts";
import type { Verdict } from "../admission/verdict.ts";
import { detach } from "../conversion/carriers.ts";
import { keep, withAnnotationsOf } from "../conversion/keeper.ts";
import { equal } from "../json/equal.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { fromHub, toHub } from "../kind.ts";
import { keysOf, type Write } from "./write.ts";

/** What is meant: the carriers that this writer may not change put back, then what the kind's defaults add to spec. */
export function mutate(write: Write): Verdict {
  const changed = filled({ ...write, object: kept(write) });
  return equal(changed, write.object)
    ? { outcome: "allow", warnings: [] }
    : { outcome: "change", object: changed, warnings: [] };
}

/** The keeper looks only at writes that arrive as their client wrote them: on others it would undo what was meant. */
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
  return keep(object, oldObject, { operation: circumstances.operation, subresource, atHub });
}

/**
 * Defaults speak of spec in the hub version; the change is then told in the version that came. What that version
 * cannot say travels in the annotation alone: status is not this write's to change.
 */
function filled({ kind, version, object, subresource, circumstances }: Write): JsonObject {
  const fill = kind.definition.default;
  if (fill === undefined || subresource !== "") return object;
  const hub = toHub(kind, object, version);
  const meant: unknown = fill(hub, circumstances);
  if (!isObject(meant)) throw new Error(`default of ${kind.name} gave no object back`);
  if (equal(meant, hub)) return object;
  const after = fromHub(kind, meant, version);
  const [origin, from, to] = [object, fromHub(kind, hub, version), after].map((each) => detach(each).object);
  const changed = amend(origin ?? object, from ?? object, to ?? object, keysOf(kind, version));
  return withAnnotationsOf(
    { ...changed, ...(Object.hasOwn(object, "status") ? { status: object.status } : {}) },
    after,
  );
}
