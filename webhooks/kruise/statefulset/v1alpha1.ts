import { lens } from "antechamber";

/**
 * The lens from v1alpha1 of a StatefulSet to v1beta1: all fields of v1alpha1 are in v1beta1, under the same names. What
 * v1beta1 adds is lost by OpenKruise's conversion (apis/apps/v1alpha1/statefulset_conversion.go, ConvertFrom), and kept by
 * the engine.
 */
export const v1alpha1 = lens();
