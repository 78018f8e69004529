import { type Cause, type Circumstances, type Findings, get, type JsonObject, own } from "antechamber";
import { dnsLabelFaults, selectorFaults, selectorOf } from "antechamber/apimachinery";
import { metadataFaults } from "../shared/core/metadata.ts";
import { templateMetadataFaults } from "../shared/core/template-metadata.ts";
import { labelSelector } from "../shared/core-types.ts";
import { forbidden, invalid, notSupported, required } from "../shared/fault.ts";
import { struct, writeGo } from "../shared/go-type.ts";
import { integerAt, objectAt, stringAt } from "../shared/read.ts";
import { selectorCauses } from "../shared/selectors.ts";
import { wrongTypeFaults } from "../shared/template.ts";
import { inPlaceFaults } from "./in-place.ts";
import { ordinalFaults } from "./ordinals.ts";
import { scaleFaults, updateFaults } from "./strategy.ts";

/**
 * The faults that OpenKruise's validating webhook finds in a StatefulSet, in its order
 * (pkg/webhook/statefulset/validating), each at its own field.
 */
export function validateStatefulSet(statefulSet: JsonObject, { oldObject }: Circumstances): Findings {
  const spec = objectAt(statefulSet, "spec") ?? {};
  // The schema leaves templates open: values of a wrong type are found here, and hide all other faults.
  const wrongTypes = wrongTypeFaults(spec);
  if (wrongTypes.length > 0) return { causes: wrongTypes };
  const causes = [
    ...metadataFaults(objectAt(statefulSet, "metadata"), nameFaults, "Namespaced"),
    ...managementFaults(stringAt(spec, "podManagementPolicy")),
    ...ordinalFaults(spec),
    ...scaleFaults(spec),
    ...updateFaults(spec),
    ...retentionFaults(objectAt(spec, "persistentVolumeClaimRetentionPolicy")),
    ...(integerAt(spec, "replicas") < 0n
      ? invalid(["spec", "replicas"], own(spec, "replicas"), "must be greater than or equal to 0")
      : []),
    ...selectionFaults(spec),
    ...podFaults(objectAt(objectAt(spec, "template"), "spec")),
  ];
  if (oldObject === undefined) return { causes };
  const changes = [...causes, ...changeFaults(spec, oldObject)];
  return { causes: changes.length > 0 ? changes : inPlaceFaults(spec, oldObject) };
}

/** The name of a StatefulSet begins the names of its pods; a prefix may end with a hyphen. */
function nameFaults(name: string, isPrefix: boolean): readonly string[] {
  const isHyphened = isPrefix && name.length > 1 && name.endsWith("-");
  return dnsLabelFaults(isHyphened ? `${name.slice(0, -2)}a` : name);
}

function managementFaults(policy: string): readonly Cause[] {
  const path = ["spec", "podManagementPolicy"];
  if (policy === "") return required(path);
  return ["OrderedReady", "Parallel"].includes(policy)
    ? []
    : invalid(path, policy, "must be 'OrderedReady' or 'Parallel'");
}

const retentions = ["Retain", "Delete"];

function retentionFaults(policy: JsonObject | undefined): readonly Cause[] {
  if (policy === undefined) return [];
  return ["whenDeleted", "whenScaled"].flatMap((key) => {
    const value = stringAt(policy, key);
    const path = ["spec", "persistentVolumeClaimRetentionPolicy", key];
    return retentions.includes(value) ? [] : notSupported(path, value, retentions);
  });
}

/** Faults of the selector and of the template's metadata, which it must match. */
function selectionFaults(spec: JsonObject): readonly Cause[] {
  const [selector, template] = [objectAt(spec, "selector"), objectAt(spec, "template") ?? {}];
  const path = ["spec", "selector"];
  const faults =
    selector === undefined
      ? required(path)
      : selectorCauses(selector, path, "empty selector is invalid for statefulset");
  const parsed = selectorOf(selector);
  if ("fault" in parsed || selectorFaults(selector, path).length > 0) return faults;
  const labels = get(template, "metadata", "labels");
  const mismatch = "`selector` does not match template `labels`";
  return [
    ...faults,
    ...(parsed.selector.matches(labels)
      ? []
      : invalid(["spec", "template", "metadata", "labels"], labels, mismatch)),
    ...templateMetadataFaults(template, ["spec", "template"]),
  ];
}

function podFaults(pod: JsonObject | undefined): readonly Cause[] {
  const [restart, deadline] = [stringAt(pod, "restartPolicy"), own(pod, "activeDeadlineSeconds") ?? null];
  const path = ["spec", "template", "spec"];
  return [
    ...(restart === "" || restart === "Always"
      ? []
      : notSupported([...path, "restartPolicy"], restart, ["Always"])),
    ...(deadline === null
      ? []
      : forbidden(
          [...path, "activeDeadlineSeconds"],
          "activeDeadlineSeconds in StatefulSet is not Supported",
        )),
  ];
}

/** What an update must not change: which pods there are, and what their names are in the network. */
function changeFaults(spec: JsonObject, oldObject: JsonObject): readonly Cause[] {
  return identityOf(spec) === identityOf(objectAt(oldObject, "spec"))
    ? []
    : forbidden(["spec"], unchangeable);
}

const identity = struct({ selector: labelSelector, serviceName: "string", podManagementPolicy: "string" });

/** As Go's types hold it: an empty value is as good as none. */
function identityOf(spec: JsonObject | undefined): string {
  return writeGo(identity, spec);
}

const unchangeable =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'reserveOrdinals', 'lifecycle', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy', `volumeClaimTemplates`, `VolumeClaimUpdateStrategy` and 'updateStrategy' are forbidden";
