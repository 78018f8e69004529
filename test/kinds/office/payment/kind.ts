import {
  defineKind,
  durationTo,
  each,
  lens,
  move,
  textToInteger,
  textToNumber,
  union,
  version,
} from "antechamber";

/** Kinds of things that became a field each, and fields that became a kind. */
const unions = lens(
  union(
    { older: "spec.source.kind" },
    {
      Card: [
        move("spec.source.number", "spec.card.number"),
        move("spec.source.wait", "spec.card.waitSeconds", durationTo("s")),
      ],
      Voucher: [move("spec.source.number", "spec.voucher.code")],
      Cash: [],
    },
  ),
  union(
    { newer: "spec.notify.by" },
    { Email: [move("spec.email", "spec.notify.to")], Fax: [move("spec.fax", "spec.notify.to")], Phone: [] },
  ),
  each(
    "spec.stages",
    "spec.stages",
    union(
      { older: "kind" },
      { Sum: [move("amount", "sum", textToInteger)], Share: [move("amount", "share", textToNumber)] },
    ),
  ),
);

export default defineKind({
  group: "office.example.org",
  kind: "Payment",
  plural: "payments",
  scope: "Namespaced",
  versions: [version("v1beta1", unions), version("v1")],
});
