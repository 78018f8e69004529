import { defineKind, each, lens, mapToList, move, reverse, version } from "antechamber";

const byName = mapToList("name", { isKept: true });

/** Maps whose values repeat the key of their entry, in the older version, in the newer one, and in items. */
const crews = lens(
  move("spec.members", "spec.members", byName),
  move("spec.shifts", "spec.shifts", reverse(byName)),
  each("spec.teams", "spec.teams", move("tools", "tools", byName)),
);

export default defineKind({
  group: "office.example.org",
  kind: "Crew",
  plural: "crews",
  scope: "Namespaced",
  versions: [version("v1beta1", crews), version("v1")],
});
