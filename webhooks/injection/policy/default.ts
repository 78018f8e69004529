import { containerDefaults, volumeDefaults } from "../../kruise/shared/core-defaults.ts";
import { all, each, type Fill, fillZero, within, withinNew } from "../../kruise/shared/fill.ts";

/** Sets the defaults that a SidecarSet has, except those for updating running pods. */
export const defaultPolicy: Fill = within(
  "spec",
  all(
    each("initContainers", sidecarDefaults("AfterAppContainer")),
    each("containers", sidecarDefaults("BeforeAppContainer")),
    each("volumes", volumeDefaults),
    within("app", each("env", within("valueFrom", within("fieldRef", fillZero("apiVersion", "v1"))))),
  ),
);

function sidecarDefaults(podInjectPolicy: string): Fill {
  return all(
    fillZero("podInjectPolicy", podInjectPolicy),
    withinNew("shareVolumePolicy", fillZero("type", "disabled")),
    containerDefaults,
  );
}
