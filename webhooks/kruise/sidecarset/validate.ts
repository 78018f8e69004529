import { type Cause, type Circumstances, type Findings, get, type JsonObject, own } from "antechamber";
import { annotationFaults } from "../shared/core/claims.ts";
import { podFaults } from "../shared/core/containers.ts";
import { metadataFaults } from "../shared/core/metadata.ts";
import { workloadNameFaults } from "../shared/core/names.ts";
import { invalid, required, wrongType } from "../shared/fault.ts";
import { typeFaults } from "../shared/go-type.ts";
import { entriesAt, objectAt, objectsAt, stringAt } from "../shared/read.ts";
import { recordedFields } from "../shared/recorded-types.ts";
import { recordedRevision } from "../shared/revision.ts";
import { selectorCauses } from "../shared/selectors.ts";
import { conflictFaults } from "./conflicts.ts";
import { sidecarFaults, valueWarnings } from "./sidecar-rules.ts";
import { emptySelector, nativeFaults, strategyFaults } from "./strategy.ts";
import type { SidecarSetV1beta1 } from "./types.ts";
import { whitelistFault } from "./whitelist.ts";

/**
 * The faults that OpenKruise's validating webhook finds in a SidecarSet, in its order
 * (pkg/webhook/sidecarset/validating/sidecarset_create_update_handler.go, validateSidecarSet), each at its own field.
 * Conflicts with other SidecarSets are looked for only if there is no other fault.
 */
export function validateSidecarSet(sidecarSet: JsonObject, circumstances: Circumstances): Findings {
  // The schema leaves containers and volumes open: values of a wrong type are found here, and hide all other faults.
  const wrongTypes = wrongTypeFaults(sidecarSet);
  if (wrongTypes.length > 0) return { causes: wrongTypes };
  const causes = ownFaults(sidecarSet, circumstances);
  const others = causes.length === 0 ? (circumstances.listers.sidecarSets?.list("") ?? []) : [];
  return {
    causes: [...causes, ...conflictFaults(sidecarSet, others)],
    warnings: valueWarnings(specOf(sidecarSet)),
  };
}

function wrongTypeFaults({ spec }: JsonObject): readonly Cause[] {
  return Object.entries(recordedFields).flatMap(([field, type]) =>
    typeFaults(type, own(spec, field), ["spec", field]).flatMap(({ path, expected }) =>
      wrongType(path, expected),
    ),
  );
}

function ownFaults(sidecarSet: JsonObject, circumstances: Circumstances): readonly Cause[] {
  const spec = objectAt(sidecarSet, "spec") ?? {};
  const hasContainers = ["containers", "initContainers"].some((list) => objectsAt(spec, list).length > 0);
  const namespaces = objectAt(spec, "namespaceSelector");
  const selector = objectAt(spec, "selector");
  return [
    ...metadataFaults(
      objectAt(sidecarSet, "metadata"),
      (name) => workloadNameFaults(name, "sidecarset"),
      "Cluster",
    ),
    ...nativeFaults(sidecarSet),
    ...(selector === undefined
      ? required(["spec", "selector"], "no selector defined for SidecarSet")
      : selectorCauses(selector, ["spec", "selector"], emptySelector)),
    ...(namespaces === undefined
      ? []
      : selectorCauses(namespaces, ["spec", "namespaceSelector"], emptySelector)),
    ...revisionFaults(sidecarSet, circumstances),
    ...strategyFaults(specOf(sidecarSet).updateStrategy),
    ...(hasContainers
      ? [...sidecarFaults(specOf(sidecarSet)), ...podFaults(spec)]
      : required(["spec"], "no initContainer or container defined for SidecarSet")),
    ...patchFaults(sidecarSet, circumstances),
    ...changeFaults(spec, circumstances.oldObject),
  ];
}

/**
 * The spec in its generated type. Containers, volumes and patches have the types that OpenKruise decodes, or null, which counts
 * as absent; elsewhere a stored value may be of another type.
 */
function specOf(sidecarSet: JsonObject): NonNullable<SidecarSetV1beta1["spec"]> {
  return (sidecarSet as SidecarSetV1beta1).spec ?? {};
}

function revisionFaults(sidecarSet: JsonObject, { listers }: Circumstances): readonly Cause[] {
  const path = ["spec", "injectionStrategy", "revision"];
  const revision = get(sidecarSet, ...path);
  if (revision === undefined || revision === null) return [];
  const policy = stringAt(revision, "policy");
  const recorded = recordedRevision(sidecarSet, listers.controllerRevisions);
  const finding =
    recorded === undefined
      ? invalid(path, revision, "revisionName and customVersion cannot be empty simultaneously")
      : "fault" in recorded
        ? invalid(path, revision, `Cannot find specific ControllerRevision, err: ${recorded.fault}`)
        : [];
  const isKnown = ["", "Always", "Partial"].includes(policy);
  const detail = `Invalid policy ${policy}, supported: [Always, Partial]`;
  return [...finding, ...(isKnown ? [] : invalid([...path, "policy"], policy, detail))];
}

function patchFaults(sidecarSet: JsonObject, { listers, gates }: Circumstances): readonly Cause[] {
  const path = ["spec", "patchPodMetadata"];
  const isAllowed = gates.SidecarSetPatchPodMetadataDefaultsAllowed === true;
  const refusal = whitelistFault(sidecarSet, listers.configurations, isAllowed);
  const seen = new Set<string>();
  const faults = objectsAt(sidecarSet.spec, "patchPodMetadata").flatMap((patch, index) => {
    const keys = entriesAt(patch, "annotations").map(([key]) => key);
    const at = [...path, index];
    return [
      ...(keys.length === 0 ? required([...at, "annotations"], "no annotations defined for SidecarSet") : []),
      ...annotationFaults(patch, [...at, "annotations"]),
      ...(stringAt(patch, "patchPolicy") === ""
        ? required([...at, "patchPolicy"], "no patchPolicy defined for patchPodMetadata")
        : []),
      ...keys.flatMap((key) => {
        const isSeen = seen.has(key);
        seen.add(key);
        return isSeen ? required([...at, "annotations", key], `patch annotation[${key}] already exist`) : [];
      }),
    ];
  });
  return [...(refusal === undefined ? [] : required(path, refusal)), ...faults];
}

/** What an update must not do: add a container, or change the upgradeType of one. */
function changeFaults(spec: JsonObject, oldObject: JsonObject | undefined): readonly Cause[] {
  if (oldObject === undefined) return [];
  const typeOf = (container: JsonObject) => stringAt(objectAt(container, "upgradeStrategy"), "upgradeType");
  const before = new Map(
    objectsAt(oldObject.spec, "containers").map((each) => [stringAt(each, "name"), typeOf(each)] as const),
  );
  return objectsAt(spec, "containers").flatMap((container, index) => {
    const name = stringAt(container, "name");
    const type = before.get(name);
    const at = ["spec", "containers", index];
    if (type === undefined) return invalid([...at, "name"], name, `container ${name} is not found`);
    return type === "" || typeOf(container) === type
      ? []
      : invalid(
          [...at, "upgradeStrategy", "upgradeType"],
          name,
          `container ${name} upgradeType is immutable`,
        );
  });
}
