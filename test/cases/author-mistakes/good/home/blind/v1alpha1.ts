import { each, group, lens, move } from "antechamber";
import { closedOf, positionOf } from "./position.ts";

/** v1alpha1 has a flag; v1 has the position of the blind, in percent. */
export const v1alpha1 = lens(
  move("spec.closed", "spec.position", { up: positionOf, down: closedOf }),
  move("spec.room", "spec.place.room"),
  group({
    older: { street: "spec.street" },
    newer: { name: "spec.place.street", side: "spec.place.side" },
    up: ({ street }) => ({ name: street }),
    down: ({ name }) => ({ street: name }),
    shared: ["spec.place.street"],
  }),
  each("spec.steps", "spec.steps", move("time", "at")),
);
