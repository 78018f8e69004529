import { defineKind, version } from "antechamber";
import { withReadinessGate } from "./readiness.ts";
import { v1alpha1 } from "./v1alpha1.ts";

/** The InPlaceSet below each unit of a CafeDeployment: pods that keep their addresses while they get a new template. */
export default defineKind({
  group: "apps.cafe.cloud.alipay.com",
  kind: "InPlaceSet",
  plural: "inplacesets",
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1")],
  default: withReadinessGate,
});
