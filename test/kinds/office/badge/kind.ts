import { defineKind, get, isArray, isObject, type Json, lens, move, version } from "antechamber";

/**
 * Maps that became lists in the order of their keys. An API server sorts the keys of a map, so the lens does not depend on their order.
 * And a list of words of which each version has some of its own.
 */
const entries = lens(
  move("spec.env", "spec.env", {
    up: (env) =>
      isObject(env)
        ? Object.entries(env)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, value]) => ({ name, value }))
        : undefined,
    down: (env) =>
      isArray(env)
        ? Object.fromEntries(
            env.map((each): [string, Json] => [String(get(each, "name")), get(each, "value") ?? ""]),
          )
        : undefined,
    lossy: "a map has no order, and one entry of a name",
  }),
  move("spec.labels", "spec.tags", {
    up: (labels) => (isObject(labels) ? Object.keys(labels).toSorted() : undefined),
    down: (tags) =>
      isArray(tags) ? Object.fromEntries(tags.map((tag): [string, Json] => [String(tag), true])) : undefined,
    lossy: "a tag is there or not, and has no place",
  }),
  move("spec.doors", "spec.doors", {
    up: (doors) => among(doors, [..."abcdefghpq"]),
    down: (doors) => among(doors, [..."abcdefghxz"]),
    lossy: "each version has doors of its own",
  }),
);

function among(words: Json, known: readonly Json[]): readonly Json[] | undefined {
  return isArray(words) ? words.filter((word) => known.includes(word)) : undefined;
}

export default defineKind({
  group: "office.example.org",
  kind: "Badge",
  plural: "badges",
  scope: "Namespaced",
  versions: [version("v1beta1", entries), version("v1")],
});
