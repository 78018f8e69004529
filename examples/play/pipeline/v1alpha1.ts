import { durationTo, each, lens, move } from "antechamber";

export const v1alpha1 = lens(
  each("spec.steps", "spec.steps", move("run", "run"), move("timeout", "timeoutSeconds", durationTo("s"))),
);
