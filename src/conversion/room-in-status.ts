import { hasNoFields, isObject, type JsonObject } from "../json/json.ts";
import { below } from "./shape.ts";
import type { ChainVersion } from "./version-chain.ts";

/**
 * Whether a carrier has a place in the status of an object. A status that is there for it alone would lack the fields that a schema
 * requires, and an API server would refuse every write, also where the fields have defaults: it sets none in what was converted.
 */
export function isRoomInStatus({ carriesStatus, shape }: ChainVersion, { status }: JsonObject): boolean {
  if (!carriesStatus || (isObject(status) && !hasNoFields(status))) return carriesStatus;
  return below(shape, "status")?.required.length === 0;
}
