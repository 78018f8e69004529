import { isInteger, type Json, toDouble } from "antechamber";

export function positionOf(closed: Json): number {
  return closed === true ? 0 : 100;
}

export function closedOf(position: Json): boolean | undefined {
  return isInteger(position) ? toDouble(position) === 0 : undefined;
}
