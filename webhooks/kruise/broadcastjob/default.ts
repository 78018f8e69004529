import type { Circumstances, JsonObject } from "antechamber";
import { podSpecDefaults } from "../shared/core-defaults.ts";
import { all, fillNil, fillZero, within, withinNew } from "../shared/fill.ts";
import { isTemplateFilled } from "../shared/template.ts";

/**
 * Sets the defaults that OpenKruise sets (apis/apps/defaults/v1beta1.go, SetDefaultsBroadcastJob). It removes neither unknown
 * fields nor empty values.
 */
export function defaultBroadcastJob(job: JsonObject, circumstances: Circumstances): JsonObject {
  const template = isTemplateFilled(job, circumstances) ? templateDefaults : all();
  return withinNew("spec", all(template, specDefaults))(job);
}

const templateDefaults = within("template", withinNew("spec", podSpecDefaults));

const specDefaults = all(
  withinNew("completionPolicy", fillZero("type", "Always")),
  fillNil("parallelism", 2 ** 31 - 1),
  withinNew("failurePolicy", fillZero("type", "FailFast")),
);
