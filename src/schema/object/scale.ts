import { goType, isInt64, printPlainly } from "../../go/json.ts";
import { toDouble } from "../../json/exact.ts";
import { isObject, type Json, type JsonObject, own } from "../../json/json.ts";
import type { Scale } from "../model/crd.ts";
import { invalid, type SchemaFault } from "../model/fault.ts";
import type { Place } from "../model/place.ts";

/** What the scale subresource rejects in an object (registry/customresource/validator.go); its fields begin with a dot. */
export function faultsOfScale(
  object: JsonObject,
  scale: Scale,
  part: "whole" | "status",
): readonly SchemaFault[] {
  return [
    ...(part === "whole" ? faultsOfReplicas(object, scale.specReplicasPath) : []),
    ...faultsOfReplicas(object, scale.statusReplicasPath),
    ...(scale.labelSelectorPath === undefined ? [] : faultsOfSelector(object, scale.labelSelectorPath)),
  ];
}

function faultsOfReplicas(object: JsonObject, path: string): readonly SchemaFault[] {
  const at = placeOf(path);
  const found = find(object, path);
  if ("fault" in found) return [invalid(at, 0, found.fault)];
  const { value } = found;
  if (value === undefined) return [];
  if (!isInt64(value)) return [invalid(at, 0, mismatch(path, value, "int64"))];
  const replicas = toDouble(value);
  if (replicas < 0) return [invalid(at, value, "should be a non-negative integer")];
  return replicas > 2147483647 ? [invalid(at, value, "should be less than or equal to 2147483647")] : [];
}

function faultsOfSelector(object: JsonObject, path: string): readonly SchemaFault[] {
  const found = find(object, path);
  if ("fault" in found) return [invalid(placeOf(path), "", found.fault)];
  const { value } = found;
  return value === undefined || typeof value === "string"
    ? []
    : [invalid(placeOf(path), "", mismatch(path, value, "string"))];
}

function placeOf(path: string): Place {
  return { text: path, path: path.replace(/^\./, "").split(".") };
}

/** The value at a path; a fault where something on the way is not an object. Below a null there is nothing. */
function find(object: JsonObject, path: string): { readonly value?: Json } | { readonly fault: string } {
  let here: Json = object;
  const keys = path.replace(/^\./, "").split(".");
  for (const [index, key] of keys.entries()) {
    if (here === null) return {};
    if (!isObject(here)) {
      return { fault: mismatch(keys.slice(0, index + 1).join("."), here, "map[string]interface{}") };
    }
    const below: Json | undefined = own(here, key);
    if (below === undefined) return {};
    here = below;
  }
  return { value: here };
}

/** In the words of unstructured.NestedInt64. */
function mismatch(path: string, value: Json, expected: string): string {
  const shown = path.startsWith(".") ? path : `.${path}`;
  return `${shown} accessor error: ${printPlainly(value)} is of the type ${goType(value)}, expected ${expected}`;
}
