import type { Requirement } from "antechamber/apimachinery";

/** A requirement on a label or annotation as text: `app=web`, `tier in (a, b)`, `no legacy`. */
export function printRequirement({ key, operator, values }: Requirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `no ${key}`;
  if (operator === "In" && values.length === 1) return `${key}=${values[0]}`;
  return `${key} ${operator === "In" ? "in" : "not in"} (${values.join(", ")})`;
}
