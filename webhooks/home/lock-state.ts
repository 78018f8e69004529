import { table } from "antechamber";

/** Whether something is locked ↔ its state. */
export const lockState = table([true, "Locked"], [false, "Unlocked"]);
