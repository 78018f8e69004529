import { defineKind, each, get, isArray, type Json, lens, move, version } from "antechamber";

/**
 * Lists of which the other version says another thing: keys `id:holder` as texts, where an id may have a colon too; drawers that their
 * author named by the bay they are in; layers of which some are hidden, and these have no name; hooks whose side only the newer
 * version knows, as a key with a default; and a front that requires a field.
 */
const lists = lens(
  move("spec.keys", "spec.keys", {
    up: (texts) => (isArray(texts) ? keysOf(texts) : undefined),
    down: (keys) => (isArray(keys) ? textsOf(keys) : undefined),
    lossy: "an id ends at the first colon of a text",
  }),
  each("spec.drawers", "spec.drawers", move("label", "title")),
  each("spec.hooks", "spec.hooks", move("label", "title")),
  move("spec.layers", "spec.layers", {
    up: (layers) => layers,
    down: (layers) =>
      isArray(layers) ? layers.filter((layer) => get(layer, "secret") === undefined) : undefined,
    lossy: "secret layers are not shown",
  }),
);

function keysOf(texts: readonly Json[]): readonly Json[] {
  const keys = texts
    .filter((text) => typeof text === "string")
    .map((text) => {
      const colon = text.indexOf(":");
      return colon < 0 ? { id: text } : { id: text.slice(0, colon), holder: text.slice(colon + 1) };
    });
  return [...Map.groupBy(keys, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

function textsOf(keys: readonly Json[]): readonly Json[] {
  const texts = keys.flatMap((key) => {
    const [id, holder] = [get(key, "id"), get(key, "holder")];
    if (typeof id !== "string") return [];
    return [typeof holder === "string" ? `${id}:${holder}` : id];
  });
  return [...new Set(texts)];
}

const listKeys = { "spec.drawers": ["bay"] };

export default defineKind({
  group: "office.example.org",
  kind: "Cabinet",
  plural: "cabinets",
  scope: "Namespaced",
  versions: [version("v1beta1", lists, { listKeys }), version("v1", undefined, { listKeys })],
});
