import type { JsonObject } from "antechamber";
import { hashOf, hashWithoutImageOf } from "../shared/hash.ts";
import { hashAnnotation, hashWithoutImageAnnotation } from "../shared/names.ts";
import { containerDefaults, volumeDefaults } from "./core-defaults.ts";
import { all, each, type Fill, fill, fillNil, within, withinNew } from "./fill.ts";

/**
 * What Kruise fills in where an author said nothing (sidecarset.md 3.1), and the hashes, which are nobody's to write.
 * It does not take out what it does not know, nor what says nothing.
 */
export function defaultSidecarSet(sidecarSet: JsonObject): JsonObject {
  return withHashes(specDefaults(sidecarSet));
}

const specDefaults = withinNew(
  "spec",
  all(
    withinNew(
      "updateStrategy",
      all(fill("type", "RollingUpdate"), fillNil("maxUnavailable", 1), fillNil("partition", 0)),
    ),
    each("initContainers", sidecarDefaults("AfterAppContainer")),
    each("containers", sidecarDefaults("BeforeAppContainer")),
    each("volumes", volumeDefaults),
    fillNil("revisionHistoryLimit", 10),
    each("patchPodMetadata", fill("patchPolicy", "Retain")),
    within("injectionStrategy", within("revision", fill("policy", "Always"))),
  ),
);

function sidecarDefaults(podInjectPolicy: string): Fill {
  return all(
    fill("podInjectPolicy", podInjectPolicy),
    withinNew("upgradeStrategy", fill("upgradeType", "ColdUpgrade")),
    withinNew("shareVolumePolicy", fill("type", "disabled")),
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
