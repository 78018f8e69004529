import { get, isArray, type JsonObject } from "antechamber";

/** Whether an object reports a condition of a type with a status: `hasCondition(light, "Ready", "True")`. */
export function hasCondition(object: JsonObject, type: string, status: string): boolean {
  const conditions = get(object, "status", "conditions");
  return (
    isArray(conditions) &&
    conditions.some((each) => get(each, "type") === type && get(each, "status") === status)
  );
}
