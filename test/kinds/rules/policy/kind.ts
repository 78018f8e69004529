import { defineKind, durationTo, each, lens, move, version } from "antechamber";

/** A kind whose newer version has more rules than the older one, for the same fields. */
export default defineKind({
  group: "rules.antechamber.dev",
  kind: "Policy",
  plural: "policies",
  scope: "Namespaced",
  versions: [
    version(
      "v1beta1",
      lens(
        move("spec.limit", "spec.limit"),
        move("spec.anchor", "spec.mooring"),
        move("spec.word", "spec.word"),
        move("spec.tags", "spec.tags"),
        move("spec.options.height", "spec.options.level"),
        each("spec.slots", "spec.slots", move("name", "title"), move("timeout", "seconds", durationTo("s"))),
        move("status.phase", "status.phase"),
      ),
    ),
    version("v1"),
  ],
});
