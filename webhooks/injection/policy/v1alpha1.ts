import { lens, move } from "antechamber";

/** In v1alpha1 the default of the switch is a boolean. */
export const v1alpha1 = lens(
  move("spec.switch.enabledByDefault", "spec.switch.default", {
    up: (enabled) => (typeof enabled === "boolean" ? (enabled ? "Enabled" : "Disabled") : undefined),
    down: (word) => (word === "Enabled" ? true : word === "Disabled" ? false : undefined),
  }),
);
