import { isArray, type JsonArray, type JsonObject, own } from "antechamber";
import { compareBytes } from "antechamber/go";
import { stringAt } from "../../kruise/shared/read.ts";
import { Annotations } from "./annotations.ts";
import { buildApp } from "./build-app.ts";
import { buildSidecars, type PendingContainer } from "./build-sidecars.ts";
import { type Clause, type Fault, printOwner } from "./clause.ts";
import type { Content } from "./content.ts";
import { patchMetadata } from "./metadata.ts";
import type { Plan, PlannedContainer, PlanOptions, Remark } from "./planned.ts";
import { isInjected, type PodView } from "./pod-view.ts";
import { noRecords, readRecordsOf, record, recordPolicies } from "./record.ts";

/** Plans what is added to a pod: the contents of SidecarSets and then of InjectionPolicies, each in injection order. */
export function plan(
  pod: PodView,
  contents: readonly Content[],
  options: PlanOptions,
): Plan | { readonly faults: readonly Fault[] } {
  // A pod to which nothing is added is not rejected for annotations that it brings along.
  if (contents.length === 0) return nothing;
  const annotations = new Annotations(pod.pod);
  const faults = patchMetadata(
    annotations,
    contents.flatMap(({ metadata }) => metadata),
  );
  if (faults.length > 0) return { faults };
  const sets = contents.filter(({ kind }) => kind === undefined);
  const policies = sets.length === contents.length ? [] : contents.filter(({ kind }) => kind !== undefined);
  const records = sets.length === 0 ? noRecords : readRecordsOf(annotations, pod, options.namespace);
  if ("faults" in records) return records;
  const built = buildSidecars(contents, pod, annotations, options);
  if (built.faults.length > 0) return built;
  // Without a container OpenKruise neither adds pull secrets nor records anything
  // (pkg/webhook/pod/mutating/sidecarset.go, sidecarsetMutatingPod).
  const recorded = [...built.initContainers, ...built.containers].some(
    ({ clause }) => clause.kind === undefined,
  )
    ? sets
    : [];
  if (recorded.length > 0) record(annotations, records, recorded, options.now);
  if (policies.length > 0) recordPolicies(annotations, policies);
  const initContainers = placed(pod.pod, "initContainers", inOrder(built.initContainers));
  const { sortsContainers } = options;
  const containers = placed(
    pod.pod,
    "containers",
    sortsContainers ? sorted(built.containers) : built.containers,
  );
  const app = buildApp(policies, pod, { initContainers, containers });
  return {
    app,
    annotations: annotations.planned(),
    initContainers,
    containers,
    volumes: built.volumes,
    ...newSecrets(pod.pod, [...recorded, ...policies], recorded.length > 0),
    warnings: [...built.warnings, ...clashes(pod, [...initContainers, ...containers])],
    notes: built.notes,
  };
}

const nothing: Plan = {
  app: [],
  annotations: [],
  initContainers: [],
  containers: [],
  volumes: [],
  imagePullSecrets: [],
  repeatedSecrets: [],
  warnings: [],
  notes: [],
};

/** OpenKruise sorts init containers by name. Those of InjectionPolicies follow in their own order, in which they run. */
function inOrder(items: readonly PendingContainer[]): readonly PendingContainer[] {
  const ofSets = items.filter(({ clause }) => clause.kind === undefined);
  const others =
    items.length === ofSets.length ? [] : items.filter(({ clause }) => clause.kind !== undefined);
  return [...sorted(ofSets), ...others];
}

function sorted(items: readonly PendingContainer[]): readonly PendingContainer[] {
  return items.toSorted((a, b) => compareBytes(a.name, b.name));
}

/** A sidecar replaces the pod's own container of its name, the last one if there are several. */
function placed(
  pod: JsonObject,
  list: string,
  items: readonly PendingContainer[],
): readonly PlannedContainer[] {
  if (items.length === 0) return [];
  const positions = new Map(listAt(pod, list).map((each, index) => [stringAt(each, "name"), index]));
  return items.map(({ name, container, clause, details, isBefore }) => {
    const position = positions.get(name) ?? (isBefore ? "before" : "after");
    return { name, container, clause, details, position };
  });
}

/** Warns of containers that the API server will reject, and of the pod's own containers that are replaced. */
function clashes(pod: PodView, planned: readonly PlannedContainer[]): readonly Remark[] {
  const ownContainers = new Map<string, JsonObject>();
  for (const each of pod.initContainers) ownContainers.set(stringAt(each, "name"), each);
  for (const each of pod.containers) ownContainers.set(stringAt(each, "name"), each);
  const others = new Map<string, Clause>();
  const remarks: Remark[] = [];
  for (const { name, position, clause } of planned) {
    const existing = ownContainers.get(name);
    const other = others.get(name);
    others.set(name, clause);
    if (other !== undefined) {
      remarks.push({ clause, message: `${printOwner(other)} also adds a container ${name}` });
    }
    if (existing === undefined || isInjected(existing)) continue;
    const message =
      typeof position === "number"
        ? `replaces the pod's own container ${name}`
        : `the pod already has a container ${name}`;
    remarks.push({ clause, message });
  }
  return remarks;
}

/** OpenKruise removes the pod's own secrets that repeat a name; an InjectionPolicy leaves them. */
function newSecrets(
  pod: JsonObject,
  contents: readonly Content[],
  removesRepeated: boolean,
): Pick<Plan, "imagePullSecrets" | "repeatedSecrets"> {
  const names = new Set<string>();
  const isNew = (name: string) => !names.has(name) && names.add(name).size > 0;
  if (contents.length === 0) return { repeatedSecrets: [], imagePullSecrets: [] };
  const repeated = listAt(pod, "imagePullSecrets").flatMap((each, index) =>
    isNew(stringAt(each, "name")) ? [] : [index],
  );
  return {
    repeatedSecrets: removesRepeated ? repeated : [],
    imagePullSecrets: contents
      .flatMap(({ imagePullSecrets }) => imagePullSecrets)
      .filter(({ name }) => isNew(name)),
  };
}

function listAt(pod: JsonObject, key: string): JsonArray {
  const list = own(own(pod, "spec"), key);
  return isArray(list) ? list : [];
}
