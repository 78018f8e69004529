import {
  equal,
  get,
  group,
  isObject,
  type Json,
  type JsonObject,
  type Lens,
  labelValueFaults,
  lens,
  set,
} from "antechamber";
import { customVersionLabel, namespaceNameLabel } from "../shared/names.ts";

/**
 * A namespace becomes a selector of its name. As in OpenKruise (apis/apps/v1alpha1/sidecarset_conversion.go) it takes
 * precedence over a selector, and no selector becomes a namespace again; the engine keeps what is lost that way.
 */
const selectors = lens(
  group({
    older: { namespace: "spec.namespace", selector: "spec.namespaceSelector" },
    newer: { selector: "spec.namespaceSelector" },
    up: ({ namespace, selector }) => ({
      selector: selectorOfName(namespace) ?? selector,
    }),
    down: ({ selector }) => ({ selector }),
  }),
);

/** The lens from v1alpha1 of a SidecarSet to v1beta1. */
export const v1alpha1: Lens = {
  ...selectors,
  up: (older) => versionFromLabel(selectors.up(older)),
  down: (newer) => versionToLabel(selectors.down(newer)),
  settle: (older, newer) => {
    const namespace = get(older, "spec", "namespace");
    const isSelected = equal(get(newer, "spec", "namespaceSelector"), selectorOfName(namespace));
    return !isNonEmptyString(namespace) || isSelected ? older : without(older, "spec", "namespace");
  },
  labels: [customVersionLabel],
};

function selectorOfName(namespace: Json | undefined): JsonObject | undefined {
  return isNonEmptyString(namespace) ? { matchLabels: { [namespaceNameLabel]: namespace } } : undefined;
}

function versionFromLabel(older: JsonObject): JsonObject {
  const version = get(older, "metadata", "labels", customVersionLabel);
  const rest = without(older, "metadata", "labels", customVersionLabel);
  return isNonEmptyString(version) ? put(rest, version, "spec", "customVersion") : rest;
}

/** A version that is not a valid label value stays without a label; the engine keeps it. */
function versionToLabel(newer: JsonObject): JsonObject {
  const version = get(newer, "spec", "customVersion");
  const rest = without(newer, "spec", "customVersion");
  return isNonEmptyString(version) && labelValueFaults(version).length === 0
    ? put(rest, version, "metadata", "labels", customVersionLabel)
    : rest;
}

function isNonEmptyString(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function put(object: JsonObject, value: Json, key: string, ...path: readonly string[]): JsonObject {
  const [next, ...rest] = path;
  if (next === undefined) return set(object, key, value);
  const inner = get(object, key);
  return set(object, key, put(isObject(inner) ? inner : {}, value, next, ...rest));
}

/** The object without the value at a path; an object that this empties is removed too. */
function without(object: JsonObject, key: string, ...path: readonly string[]): JsonObject {
  const [next, ...rest] = path;
  const inner = get(object, key);
  if (next === undefined) return set(object, key, undefined);
  if (!isObject(inner)) return object;
  const left = without(inner, next, ...rest);
  if (left === inner) return object;
  return set(object, key, Object.keys(left).length > 0 ? left : undefined);
}
