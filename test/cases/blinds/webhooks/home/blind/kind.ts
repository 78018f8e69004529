import { defineKind, get, isInteger, lens, move, toDouble, version } from "antechamber";

const v1alpha1 = lens(
  move("spec.closed", "spec.position", {
    up: (closed) => (closed === true ? 0 : 100),
    down: (position) => (isInteger(position) ? toDouble(position) === 0 : undefined),
  }),
  move("spec.room", "spec.place.room"),
);

export default defineKind({
  group: "example.org",
  kind: "Blind",
  plural: "blinds",
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1")],
  validate: (blind) =>
    get(blind, "spec", "position") === 66
      ? { causes: [{ path: ["spec", "position"], reason: "FieldValueInvalid", message: "66 is jammed" }] }
      : {},
});
