import { type Circumstances, get, type JsonObject } from "antechamber";
import { claimDefaults, podSpecDefaults } from "../shared/core-defaults.ts";
import { all, each, type Fill, fillNil, fillZero, within, withinNew } from "../shared/fill.ts";
import { isTemplateFilled } from "../shared/template.ts";

/**
 * Sets the defaults that OpenKruise sets (apis/apps/defaults/v1beta1.go, SetDefaultsStatefulSet). It removes neither unknown
 * fields nor empty values.
 */
export function defaultStatefulSet(statefulSet: JsonObject, circumstances: Circumstances): JsonObject {
  const spec = all(
    specDefaults,
    circumstances.gates.StatefulSetAutoDeletePVC === true ? retention : (same) => same,
    isTemplateFilled(statefulSet, circumstances) ? templateDefaults : (same) => same,
  );
  return withinNew("spec", spec)(statefulSet);
}

const rollingUpdate = withinNew(
  "rollingUpdate",
  all(
    fillNil("partition", 0),
    fillNil("maxUnavailable", 1),
    fillZero("podUpdatePolicy", "ReCreate"),
    fillNil("minReadySeconds", 0),
  ),
);

const specDefaults = all(
  fillZero("podManagementPolicy", "OrderedReady"),
  withinNew("updateStrategy", all(fillZero("type", "RollingUpdate"), ifRolling(rollingUpdate))),
  fillNil("replicas", 1),
  fillNil("revisionHistoryLimit", 10),
);

const retention = withinNew(
  "persistentVolumeClaimRetentionPolicy",
  all(fillZero("whenDeleted", "Retain"), fillZero("whenScaled", "Retain")),
);

const templateDefaults = all(
  within("template", withinNew("spec", podSpecDefaults)),
  each("volumeClaimTemplates", claimDefaults),
);

function ifRolling(fill: Fill): Fill {
  return (strategy) => (get(strategy, "type") === "RollingUpdate" ? fill(strategy) : strategy);
}
