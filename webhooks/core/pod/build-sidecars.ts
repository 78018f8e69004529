import { equal } from "antechamber";
import { cacheText } from "antechamber/json";
import { workingContainersAnnotation } from "../../kruise/shared/names.ts";
import type { Annotations } from "./annotations.ts";
import { type BuildContext, type BuiltSidecar, buildSidecar } from "./build-sidecar.ts";
import type { Clause, Contribution, Fault } from "./clause.ts";
import type { Content, Sidecar } from "./content.ts";
import { namesOf, pairOf } from "./hot-upgrade.ts";
import type { PlannedContainer, PlanOptions, Remark } from "./planned.ts";
import type { PodView } from "./pod-view.ts";
import { printWorking, readWorking } from "./records.ts";

/** A sidecar container for a pod, before its position is known. */
export interface PendingContainer extends Omit<PlannedContainer, "position"> {
  readonly isBefore: boolean;
}

/** The containers and volumes that SidecarSets add to one pod, in injection order. */
interface BuiltSidecars {
  readonly initContainers: readonly PendingContainer[];
  readonly containers: readonly PendingContainer[];
  readonly volumes: readonly Contribution[];
  readonly faults: readonly Fault[];
  readonly warnings: readonly Remark[];
  readonly notes: readonly Remark[];
}

/** Builds every sidecar for a pod; those with a hot upgrade are doubled, and the pod is annotated for them. */
export function buildSidecars(
  contents: readonly Content[],
  pod: PodView,
  annotations: Annotations,
  { wholeBytes }: Pick<PlanOptions, "wholeBytes">,
): BuiltSidecars {
  const volumes = new Map<string, Contribution>();
  const faults: Fault[] = [];
  const warnings: Remark[] = [];
  const notes: Remark[] = [];
  const context: BuildContext = {
    pod,
    // A copy: annotations that one sidecar sets must not affect the next one.
    annotations: annotations.texts(),
    names: () => new Set(contents.flatMap(({ names }) => [...names])),
    wholeBytes,
    note: (clause, message) => notes.push({ clause, message }),
  };
  const working = new Map<string, Clause>();
  let parts = 0;
  const add = (sidecar: Sidecar, items: PendingContainer[]): void => {
    if (parts > mostParts) return;
    const built = buildSidecar(sidecar, context);
    if ("fault" in built) {
      faults.push(built.fault);
      return;
    }
    warnAbout(sidecar, warnings);
    addVolumes(sidecar, pod, volumes, warnings);
    parts += 1 + sidecar.volumes.length + built.details.length;
    if (parts > mostParts) faults.push({ clause: sidecar.clause, message: tooMany });
    const { name, clause, isBefore, hotUpgrade } = sidecar;
    if (hotUpgrade === undefined) items.push({ name, ...built, clause, isBefore });
    else {
      working.set(name, clause);
      items.push(...doubled(sidecar, hotUpgrade.emptyImage, built, annotations));
    }
  };
  const initContainers: PendingContainer[] = [];
  const containers: PendingContainer[] = [];
  for (const content of contents) {
    for (const sidecar of content.initContainers) add(sidecar, initContainers);
    for (const sidecar of content.containers) add(sidecar, containers);
    if (content.app !== undefined) addVolumes(content.app, pod, volumes, warnings);
  }
  if (working.size > 0) annotateWorking(annotations, working);
  return { initContainers, containers, volumes: [...volumes.values()], faults, warnings, notes };
}

function doubled(
  { name, clause, isBefore }: Sidecar,
  emptyImage: string,
  { container, details }: BuiltSidecar,
  annotations: Annotations,
): readonly PendingContainer[] {
  const [first, second] = namesOf(name);
  const pair = pairOf(name, container, emptyImage);
  for (const [key, value] of pair.annotations) annotations.set(key, value, [clause]);
  return [
    { name: first, container: pair.working, clause, details, isBefore },
    { name: second, container: pair.waiting, clause, details, isBefore },
  ];
}

/**
 * Records the first container of each pair as the working one (pkg/webhook/pod/mutating/sidecarset.go, buildSidecars).
 */
function annotateWorking(annotations: Annotations, sidecars: ReadonlyMap<string, Clause>): void {
  const working = new Map(readWorking(annotations.get(workingContainersAnnotation)));
  for (const name of sidecars.keys()) working.set(name, namesOf(name)[0]);
  annotations.set(workingContainersAnnotation, printWorking(working), [...sidecars.values()]);
}

// A pod of 1.5 MB, the most that etcd stores, has fewer. Without a bound, sidecars that share each other's mounts
// multiply.
const mostParts = 20_000;
const tooMany = `the pod would get more than ${mostParts} containers, mounts and env entries, more than an API server can store`;

/** Adds the volumes that a sidecar mounts; of one name the first volume counts (util.MergeVolumes of OpenKruise). */
function addVolumes(
  { clause, volumes }: Pick<Sidecar, "clause" | "volumes">,
  pod: PodView,
  taken: Map<string, Contribution>,
  warnings: Remark[],
): void {
  for (const volume of volumes) {
    const { name } = volume;
    const known = pod.volume(name) ?? taken.get(name)?.object;
    if (!("object" in volume)) {
      if (known === undefined) {
        warnings.push({
          clause,
          message: `mounts volume ${name}, which neither the ${clause.kind ?? "SidecarSet"} nor the pod defines`,
        });
      }
    } else if (known === undefined) {
      cacheText(volume.object);
      taken.set(name, volume);
    } else if (!equal(known, volume.object)) {
      const message = `volume ${name} already exists with a different definition`;
      warnings.push({ clause: volume.clause, message });
    }
  }
}

function warnAbout({ clause, isMarkedTwice, hotUpgrade }: Sidecar, warnings: Remark[]): void {
  if (isMarkedTwice) {
    warnings.push({ clause, message: "IS_INJECTED is set twice; the second value, true, takes effect" });
  }
  if (hotUpgrade?.emptyImage === "") warnings.push({ clause, message: "has no hotUpgradeEmptyImage" });
}
