import type { Cause } from "../../../src/admission/verdict.ts";
import { get, type JsonObject, own } from "../../../src/json/json.ts";
import type { Circumstances, Findings } from "../../../src/kind.ts";
import { labelKeyFaults, labelValueFaults } from "../../../src/names.ts";
import { conflictFaults } from "./conflicts.ts";
import { annotationFaults } from "./core/claims.ts";
import { podFaults } from "./core/containers.ts";
import { forbidden, invalid, required, unreadable } from "./core/fault.ts";
import { sidecarSetNameFaults } from "./core/names.ts";
import { entriesAt, objectAt, objectsAt, textAt } from "./core/read.ts";
import { typeFaults } from "./go-type.ts";
import { recordedFields } from "./recorded-types.ts";
import { recordedRevision } from "./revision.ts";
import { sidecarFaults, wordWarnings } from "./sidecar-rules.ts";
import { nativeFaults, selectorCauses, strategyFaults } from "./strategy.ts";
import { whitelistFault } from "./whitelist.ts";

/**
 * What Kruise's validating webhook finds wrong with a SidecarSet, in its order (sidecarset.md 3.2 and 7), each thing at
 * the field where it stands. Conflicts with others are looked for only where all else is right.
 */
export function validateSidecarSet(sidecarSet: JsonObject, circumstances: Circumstances): Findings {
  const unreadableFields = readingFaults(sidecarSet);
  // What cannot be read cannot be judged.
  if (unreadableFields.length > 0) return { causes: unreadableFields };
  const causes = ownFaults(sidecarSet, circumstances);
  const others = causes.length === 0 ? (circumstances.listers.sidecarSets?.list("") ?? []) : [];
  return { causes: [...causes, ...conflictFaults(sidecarSet, others)], warnings: wordWarnings(sidecarSet) };
}

function readingFaults({ spec }: JsonObject): readonly Cause[] {
  return Object.entries(recordedFields).flatMap(([field, type]) =>
    typeFaults(type, own(spec, field), ["spec", field]).flatMap(({ path, expected }) =>
      unreadable(path, expected),
    ),
  );
}

function ownFaults(sidecarSet: JsonObject, circumstances: Circumstances): readonly Cause[] {
  const spec = objectAt(sidecarSet, "spec") ?? {};
  const hasContainers = ["containers", "initContainers"].some((list) => objectsAt(spec, list).length > 0);
  const namespaces = objectAt(spec, "namespaceSelector");
  const selector = objectAt(spec, "selector");
  return [
    ...metadataFaults(objectAt(sidecarSet, "metadata")),
    ...nativeFaults(sidecarSet),
    ...(selector === undefined
      ? required(["spec", "selector"], "no selector defined for SidecarSet")
      : selectorCauses(selector, ["spec", "selector"])),
    ...(namespaces === undefined ? [] : selectorCauses(namespaces, ["spec", "namespaceSelector"])),
    ...revisionFaults(sidecarSet, circumstances),
    ...strategyFaults(spec),
    ...(hasContainers
      ? [...sidecarFaults(spec), ...podFaults(spec)]
      : required(["spec"], "no initContainer or container defined for SidecarSet")),
    ...patchFaults(sidecarSet, circumstances),
    ...changeFaults(spec, circumstances.oldObject),
  ];
}

function metadataFaults(metadata: JsonObject | undefined): readonly Cause[] {
  const [name, generateName, namespace] = ["name", "generateName", "namespace"].map((key) =>
    textAt(metadata, key),
  );
  return [
    ...(generateName
      ? invalid(["metadata", "generateName"], generateName, ...sidecarSetNameFaults(generateName))
      : []),
    ...(name
      ? invalid(["metadata", "name"], name, ...sidecarSetNameFaults(name))
      : required(["metadata", "name"], "name or generateName is required")),
    ...(namespace ? forbidden(["metadata", "namespace"], "not allowed on this type") : []),
    ...entriesAt(metadata, "labels").flatMap(([key, value]) => [
      ...invalid(["metadata", "labels"], key, ...labelKeyFaults(key)),
      ...invalid(["metadata", "labels"], value, ...labelValueFaults(String(value))),
    ]),
    ...annotationFaults(metadata, ["metadata", "annotations"]),
  ];
}

function revisionFaults(sidecarSet: JsonObject, { listers }: Circumstances): readonly Cause[] {
  const path = ["spec", "injectionStrategy", "revision"];
  const revision = get(sidecarSet, ...path);
  if (revision === undefined || revision === null) return [];
  const policy = textAt(revision, "policy");
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
      ...(textAt(patch, "patchPolicy") === ""
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

/** What an update may not change: no container may come, and none may be upgraded in another way. */
function changeFaults(spec: JsonObject, oldObject: JsonObject | undefined): readonly Cause[] {
  if (oldObject === undefined) return [];
  const typeOf = (container: JsonObject) => textAt(objectAt(container, "upgradeStrategy"), "upgradeType");
  const before = new Map(
    objectsAt(oldObject.spec, "containers").map((each) => [textAt(each, "name"), typeOf(each)] as const),
  );
  return objectsAt(spec, "containers").flatMap((container, index) => {
    const name = textAt(container, "name");
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
