import {
  defineKind,
  durationTo,
  each,
  lens,
  move,
  textToInteger,
  textToNumber,
  toItems,
  version,
  within,
} from "antechamber";

const seconds = durationTo("s");

/** Lists of at most one, as generated schemas have them, that became objects, in each other and in items; and the other way round. */
const firsts = lens(
  within(
    "spec.settings[0]",
    "spec.settings",
    move("timeout", "timeoutSeconds", seconds),
    move("logging[0]", "logging"),
  ),
  move("spec.tariff[0]", "spec.tariff"),
  move("spec.size", "spec.boxes[0].size"),
  move("spec.weight", "spec.boxes[0].weight", textToInteger),
  move("spec.share", "spec.share", textToNumber),
  move("spec.helpers", "spec.helpers", toItems("name")),
  move("spec.phone", "spec.phones[0]"),
  within("spec.crate", "spec.cartons[0]", move("wait", "waitSeconds", seconds)),
  each("spec.stages", "spec.stages", move("gate[0]", "gate")),
);

export default defineKind({
  group: "office.example.org",
  kind: "Order",
  plural: "orders",
  scope: "Namespaced",
  versions: [version("v1beta1", firsts), version("v1")],
});
