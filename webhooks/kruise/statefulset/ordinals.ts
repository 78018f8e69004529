import { type Cause, isArray, isNumber, type Json, type JsonObject, own, toDouble } from "antechamber";
import { invalid } from "../shared/fault.ts";
import { atoi } from "../shared/go-atoi.ts";

/** Faults of reserved ordinals: numbers and ranges (OpenKruise, statefulset/validating, validateReserveOrdinals). */
export function ordinalFaults(spec: JsonObject): readonly Cause[] {
  const ordinals = own(spec, "reserveOrdinals");
  if (!isArray(ordinals)) return [];
  return ordinals.flatMap((ordinal, index) => {
    const fault = ordinalFault(ordinal, index);
    return fault === undefined ? [] : invalid(["spec", "reserveOrdinals", index], ordinal, fault);
  });
}

function ordinalFault(ordinal: Json, index: number): string | undefined {
  if (typeof ordinal !== "string") {
    const isNegative = isNumber(ordinal) && toDouble(ordinal) < 0;
    return isNegative ? `${index} th reserve ordinal is negative: ${toDouble(ordinal)}` : undefined;
  }
  if (!/^[0-9]+-[0-9]+$/.test(ordinal)) return `${index} th reserve ordinal is not a valid range: ${ordinal}`;
  const fault = rangeFault(ordinal);
  return fault && `${index} th reserve ordinal is invalid: ${ordinal}, err = ${fault}`;
}

/** What is wrong with a range (OpenKruise, pkg/util/api, ParseRange). */
function rangeFault(text: string): string | undefined {
  const [start, end] = text.split("-").map(atoi);
  if (typeof start === "string") return start;
  if (typeof end === "string") return end;
  return start !== undefined && end !== undefined && start > end ? `invalid range ${text}` : undefined;
}
