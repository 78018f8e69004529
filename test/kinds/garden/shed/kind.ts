import {
  type At,
  annotation,
  chain,
  constant,
  defineKind,
  durationTo,
  each,
  eachValue,
  label,
  lens,
  mapToList,
  move,
  oneToList,
  only,
  percentToFraction,
  percentToNumber,
  quantityTo,
  type Row,
  reverse,
  table,
  textToInteger,
  textToIntOrString,
  times,
  version,
  within,
} from "antechamber";
import type { ShedV1, ShedV1beta1 } from "./types.ts";

const seconds = durationTo("s");

/** What doors and windows have in common. */
const opening: readonly Row<At<ShedV1beta1, "spec.window">, At<ShedV1, "spec.window">>[] = [
  move("openFor", "openForSeconds", seconds),
  move("width", "size.width"),
];

/** Each word of the vocabulary, once. */
const v1beta1 = lens<ShedV1beta1, ShedV1>(
  move("spec.locked", "spec.state", table([true, "Locked"], [false, "Unlocked"])),
  move("spec.heating", "spec.heating", only("none", "oil", "wood")),
  move("spec.closeAfter", "spec.closeAfterSeconds", seconds),
  move("spec.storage", "spec.storageMebibytes", quantityTo("Mi")),
  move("spec.shade", "spec.shadePercent", percentToNumber),
  move("spec.humidity", "spec.humidity", percentToFraction),
  move("spec.port", "spec.port", textToIntOrString),
  move("spec.warmupMinutes", "spec.warmupSeconds", times(60)),
  move("spec.owner", "spec.owners", oneToList()),
  move("spec.pauses", "spec.pauseSeconds", eachValue(seconds)),
  move("spec.lamps", "spec.lamps", mapToList("name")),
  move("spec.colours", "spec.colours", mapToList("name", { value: "value" })),
  constant(move("spec.keeper.name", "spec.keeperName"), { older: { "spec.keeper.kind": "Gardener" } }),
  move(annotation("garden.example.org/partition"), "spec.partition", textToInteger),
  move(label("garden.example.org/team"), "spec.team"),
  within("spec.door", "spec.entrance", ...opening),
  move("spec.door.sign", "spec.entrance.sign.text"),
  within("spec.window", "spec.window", ...opening),
  each(
    "spec.beds",
    "spec.beds",
    move("rest", "restSeconds", seconds),
    each(
      "rows",
      "rows",
      move("sown", "state", table([true, "Sown"], [false, "Bare"])),
      move("every", "everySeconds", chain(reverse(reverse(seconds)), times(1))),
    ),
  ),
  each("spec.racks", "spec.racks", move("rest", "restSeconds", seconds)),
  move("status.open", "status.door", table([true, "Open"], [false, "Closed"])),
);

export default defineKind({
  group: "garden.example.org",
  kind: "Shed",
  plural: "sheds",
  scope: "Namespaced",
  versions: [version("v1beta1", v1beta1), version("v1")],
});
