import { lens, move } from "../../../../src/conversion/rows.ts";
import { defineKind, version } from "../../../../src/kind.ts";

/** A kind whose newer version forbids what the older one does not speak of: the same fields, other rules. */
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
        move("status.phase", "status.phase"),
      ),
    ),
    version("v1"),
  ],
});
