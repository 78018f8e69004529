import type { JsonObject } from "antechamber";
import { containerDefaults, volumeDefaults } from "../shared/core-defaults.ts";
import { all, each, type Fill, fillNil, fillZero, within, withinNew } from "../shared/fill.ts";
import { hashOf, hashWithoutImageOf } from "../shared/hash.ts";
import { hashAnnotation, hashWithoutImageAnnotation } from "../shared/names.ts";

/**
 * Sets the defaults that OpenKruise sets (apis/apps/defaults/v1beta1.go, SetDefaultsSidecarSetV1beta1), and overwrites the
 * hash annotations. It removes neither unknown fields nor empty values. The object was not validated yet: the API server
 * calls mutating webhooks before it checks the schema.
 */
export function defaultSidecarSet(sidecarSet: JsonObject): JsonObject {
  return withHashes(specDefaults(sidecarSet));
}

const specDefaults = withinNew(
  "spec",
  all(
    withinNew(
      "updateStrategy",
      all(fillZero("type", "RollingUpdate"), fillNil("maxUnavailable", 1), fillNil("partition", 0)),
    ),
    each("initContainers", sidecarDefaults("AfterAppContainer")),
    each("containers", sidecarDefaults("BeforeAppContainer")),
    each("volumes", volumeDefaults),
    fillNil("revisionHistoryLimit", 10),
    each("patchPodMetadata", fillZero("patchPolicy", "Retain")),
    within("injectionStrategy", within("revision", fillZero("policy", "Always"))),
  ),
);

function sidecarDefaults(podInjectPolicy: string): Fill {
  return all(
    fillZero("podInjectPolicy", podInjectPolicy),
    withinNew("upgradeStrategy", fillZero("upgradeType", "ColdUpgrade")),
    withinNew("shareVolumePolicy", fillZero("type", "disabled")),
    containerDefaults,
  );
}

function withHashes(sidecarSet: JsonObject): JsonObject {
  return withinNew(
    "metadata",
    withinNew("annotations", (annotations) => ({
      ...annotations,
      [hashAnnotation]: hashOf(sidecarSet),
      [hashWithoutImageAnnotation]: hashWithoutImageOf(sidecarSet),
    })),
  )(sidecarSet);
}
