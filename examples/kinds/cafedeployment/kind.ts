import { defineKind, version } from "antechamber";
import { v1alpha1 } from "./v1alpha1.ts";

/**
 * The CafeDeployment of SOFAStack, which spreads pods over units and rolls a new template out in batches that people confirm.
 * v1alpha1 is as its authors described it in 2019, with a status; v1 is made for this example.
 */
export default defineKind({
  group: "apps.cafe.cloud.alipay.com",
  kind: "CafeDeployment",
  plural: "cafedeployments",
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1")],
});
