import { lens } from "antechamber";

/** The lens from v1alpha1 of a BroadcastJob to v1beta1, which has the same fields. */
export const v1alpha1 = lens();
