import { lens, move, table } from "antechamber";

/** In v1alpha1 the default of the switch is a boolean. */
export const v1alpha1 = lens(
  move("spec.switch.enabledByDefault", "spec.switch.default", table([true, "Enabled"], [false, "Disabled"])),
);
