import { cacheText, equal } from "antechamber";
import { workingContainersAnnotation } from "../../kruise/shared/names.ts";
import type { Annotations } from "./annotations.ts";
import { type BuildContext, type BuiltSidecar, buildSidecar } from "./build-sidecar.ts";
import type { Clause, Contribution, Fault } from "./clause.ts";
import type { Content, Sidecar } from "./content.ts";
import { namesOf, pairOf } from "./hot-upgrade.ts";
import type { PlannedContainer, PlanOptions, Remark } from "./planned.ts";
import type { PodView } from "./pod-view.ts";
import { printWorking, readWorking } from "./records.ts";

/** A container on its way into a pod. */
export interface PendingContainer extends Omit<PlannedContainer, "place"> {
  readonly isBefore: boolean;
}

/** What SidecarSets bring along for one pod, in the order in which they bring it. */
export interface BuiltSidecars {
  readonly initContainers: readonly PendingContainer[];
  readonly containers: readonly PendingContainer[];
  readonly volumes: readonly Contribution[];
  readonly faults: readonly Fault[];
  readonly warnings: readonly Remark[];
  readonly notes: readonly Remark[];
}

/** Builds every sidecar for a pod; those that are updated without a gap are doubled, and annotated. */
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
    // As they are before any sidecar is built: what one annotates is not for the next to read.
    annotations: annotations.texts(),
    names: () => new Set(contents.flatMap(({ names }) => [...names])),
    wholeBytes,
    note: (clause, sentence) => notes.push({ clause, sentence }),
  };
  const working = new Map<string, Clause>();
  let parts = 0;
  const bring = (sidecar: Sidecar, items: PendingContainer[]): void => {
    if (parts > mostParts) return;
    const built = buildSidecar(sidecar, context);
    if ("fault" in built) {
      faults.push(built.fault);
      return;
    }
    remarkOn(sidecar, warnings);
    takeVolumes(sidecar, pod, volumes, warnings);
    parts += 1 + sidecar.volumes.length + built.details.length;
    if (parts > mostParts) faults.push({ clause: sidecar.clause, sentence: tooMany });
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
    for (const sidecar of content.initContainers) bring(sidecar, initContainers);
    for (const sidecar of content.containers) bring(sidecar, containers);
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

/** At first the first of two works (sidecarset.md 2.9). */
function annotateWorking(annotations: Annotations, sidecars: ReadonlyMap<string, Clause>): void {
  const working = new Map(readWorking(annotations.get(workingContainersAnnotation)));
  for (const name of sidecars.keys()) working.set(name, namesOf(name)[0]);
  annotations.set(workingContainersAnnotation, printWorking(working), [...sidecars.values()]);
}

// A pod of 1.5 MB, which is what etcd takes, has fewer: sidecars that share each other's mounts multiply.
const mostParts = 20_000;
const tooMany = `the pod would get more than ${mostParts} containers, mounts and env, which no API server stores`;

/** Takes the volumes that a sidecar mounts; a name that is there already stays what it is (sidecarset.md 2.5). */
function takeVolumes(
  { clause, volumes }: Sidecar,
  pod: PodView,
  taken: Map<string, Contribution>,
  warnings: Remark[],
): void {
  for (const volume of volumes) {
    const { name } = volume;
    const known = pod.volume(name) ?? taken.get(name)?.object;
    if (!("object" in volume)) {
      if (known === undefined) {
        warnings.push({ clause, sentence: `mounts volume ${name}, which nobody defines` });
      }
    } else if (known === undefined) {
      cacheText(volume.object);
      taken.set(name, volume);
    } else if (!equal(known, volume.object)) {
      const sentence = `volume ${name} is there already, with other content`;
      warnings.push({ clause: volume.clause, sentence });
    }
  }
}

function remarkOn({ clause, isMarkedTwice, hotUpgrade }: Sidecar, warnings: Remark[]): void {
  if (isMarkedTwice) {
    warnings.push({ clause, sentence: "IS_INJECTED is set twice; the second one, true, counts" });
  }
  if (hotUpgrade?.emptyImage === "") warnings.push({ clause, sentence: "has no hotUpgradeEmptyImage" });
}
