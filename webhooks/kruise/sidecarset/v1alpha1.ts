import type { Lens } from "../../../src/conversion/lens.ts";
import { group, lens } from "../../../src/conversion/rows.ts";
import { equal } from "../../../src/json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { labelValueFaults } from "../../../src/names.ts";

/** The label that every namespace has, with its name. */
export const namespaceNameLabel = "kubernetes.io/metadata.name";

/** The label by which a v1alpha1 SidecarSet, and every ControllerRevision, says the version that its author gave it. */
export const customVersionLabel = "apps.kruise.io/sidecarset-custom-version";

/**
 * A namespace is a selector of its name. As Kruise has it (sidecarset.md 1.3), it comes before a selector, and no
 * selector is shown as a namespace; what goes missing so is kept beside, as of any lens.
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

/** How v1alpha1 of a SidecarSet meets v1beta1. */
export const v1alpha1: Lens = {
  ...selectors,
  up: (older) => versionFromLabel(selectors.up(older)),
  down: (newer) => versionToLabel(selectors.down(newer)),
  settle: (older, newer) => {
    const namespace = get(older, "spec", "namespace");
    const isSelected = equal(get(newer, "spec", "namespaceSelector"), selectorOfName(namespace));
    return !isText(namespace) || isSelected ? older : without(older, "spec", "namespace");
  },
  labels: [customVersionLabel],
};

function selectorOfName(namespace: Json | undefined): JsonObject | undefined {
  return isText(namespace) ? { matchLabels: { [namespaceNameLabel]: namespace } } : undefined;
}

function versionFromLabel(older: JsonObject): JsonObject {
  const version = get(older, "metadata", "labels", customVersionLabel);
  const rest = without(older, "metadata", "labels", customVersionLabel);
  return isText(version) ? put(rest, version, "spec", "customVersion") : rest;
}

/** A version that no label can say is kept beside. */
function versionToLabel(newer: JsonObject): JsonObject {
  const version = get(newer, "spec", "customVersion");
  const rest = without(newer, "spec", "customVersion");
  return isText(version) && labelValueFaults(version).length === 0
    ? put(rest, version, "metadata", "labels", customVersionLabel)
    : rest;
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function put(object: JsonObject, value: Json, key: string, ...path: readonly string[]): JsonObject {
  const [next, ...rest] = path;
  if (next === undefined) return set(object, key, value);
  const inner = get(object, key);
  return set(object, key, put(isObject(inner) ? inner : {}, value, next, ...rest));
}

/** The object without the value at a path; a container that only this emptied goes too. */
function without(object: JsonObject, key: string, ...path: readonly string[]): JsonObject {
  const [next, ...rest] = path;
  const inner = get(object, key);
  if (next === undefined) return set(object, key, undefined);
  if (!isObject(inner)) return object;
  const left = without(inner, next, ...rest);
  if (left === inner) return object;
  return set(object, key, Object.keys(left).length > 0 ? left : undefined);
}
