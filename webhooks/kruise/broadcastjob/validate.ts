import { type Cause, type Findings, type JsonObject, own } from "antechamber";
import { metadataFaults } from "../shared/core/metadata.ts";
import { workloadNameFaults } from "../shared/core/names.ts";
import { podTemplateFaults } from "../shared/core/pod-template.ts";
import { invalid } from "../shared/fault.ts";
import { objectAt, stringAt } from "../shared/read.ts";
import { wrongTypeFaults } from "../shared/template.ts";

/**
 * The faults that OpenKruise's validating webhook finds in a BroadcastJob, in its order
 * (pkg/webhook/broadcastjob/validating/broadcastjob_create_update_handler.go), each at its own field.
 */
export function validateBroadcastJob(job: JsonObject): Findings {
  const spec = objectAt(job, "spec") ?? {};
  const wrongTypes = wrongTypeFaults(spec);
  if (wrongTypes.length > 0) return { causes: wrongTypes };
  const template = objectAt(spec, "template") ?? {};
  return {
    causes: [
      ...metadataFaults(
        objectAt(job, "metadata"),
        (name) => workloadNameFaults(name, "BroadcastJob"),
        "Namespaced",
      ),
      ...completionFaults(objectAt(spec, "completionPolicy")),
      ...templateFaults(template),
      ...podTemplateFaults(template, ["spec", "template"]),
    ],
  };
}

function completionFaults(policy: JsonObject | undefined): readonly Cause[] {
  if (stringAt(policy, "type") !== "Never") return [];
  return ["ttlSecondsAfterFinished", "activeDeadlineSeconds"].flatMap((key) => {
    const value = own(policy, key) ?? null;
    const only = `${key} can just work with Always CompletionPolicyType`;
    return value === null ? [] : invalid(["spec", "completionPolicy", key], value, only);
  });
}

/** The pods of a job end, and the controller finds them by labels of its own. */
function templateFaults(template: JsonObject): readonly Cause[] {
  const [restart, labels] = [
    stringAt(objectAt(template, "spec"), "restartPolicy"),
    objectAt(objectAt(template, "metadata"), "labels"),
  ];
  const path = ["spec", "template"];
  const only = "pod restartPolicy can only be Never or OnFailure";
  const isTaken = reserved.some((name) => stringAt(labels, name) !== "");
  const preset = `${reserved.map((name) => `"${name}"`).join(" and ")} are not allowed to preset in pod labels`;
  return [
    ...(["OnFailure", "Never"].includes(restart)
      ? []
      : invalid([...path, "spec", "restartPolicy"], restart, only)),
    ...(isTaken ? invalid([...path, "metadata", "labels"], labels, preset) : []),
  ];
}

const reserved = ["broadcastjob-name", "broadcastjob-controller-uid"];
