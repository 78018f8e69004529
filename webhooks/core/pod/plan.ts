import { equal } from "../../../src/json/equal.ts";
import {
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
} from "../../../src/json/json.ts";
import type { Clause, Fault } from "./clause.ts";
import { type Asked, type Content, hashKey, hashWithoutImageKey, type Sidecar } from "./content.ts";
import { namesOf, pairOf } from "./hot-upgrade.ts";
import { compareBytes, textAt } from "./json-text.ts";
import type { Match } from "./match.ts";
import { patched } from "./metadata.ts";
import { isInjected, type PodView } from "./pod-view.ts";
import {
  injectedListKey,
  listWith,
  printRecords,
  printWorking,
  readRecords,
  readWorking,
  recordAt,
  timestampOf,
  workingKey,
} from "./records.ts";
import { build, type Detail, type Workshop } from "./sidecar.ts";

/** Everything that SidecarSets put into one pod, each part with its reason: `apply` does what stands here, and nothing else. */
export interface Plan {
  readonly annotations: readonly PlannedAnnotation[];
  readonly initContainers: readonly PlannedContainer[];
  readonly containers: readonly PlannedContainer[];
  /** In the order in which they are added behind the pod's own. */
  readonly volumes: readonly Asked[];
  readonly imagePullSecrets: readonly Asked[];
  /** Places of the pod's own imagePullSecrets that say a name again: they go. */
  readonly repeatedSecrets: readonly number[];
  /** What looks like a mistake; nobody is kept from making it. */
  readonly warnings: readonly Remark[];
  /** What was asked for and is not there. */
  readonly notes: readonly Remark[];
}

export interface PlannedAnnotation {
  readonly key: string;
  readonly value: string;
  /** All that had a part in it, the last one last. */
  readonly clauses: readonly Clause[];
}

export interface PlannedContainer {
  readonly name: string;
  readonly container: JsonObject;
  /** In front of the pod's own, behind them, or in the place of the one at this index. */
  readonly place: "before" | "after" | number;
  readonly clause: Clause;
  /** What of it comes from the pod. */
  readonly details: readonly Detail[];
}

/** A sentence on what a clause asks for. */
export interface Remark {
  readonly clause: Clause;
  readonly sentence: string;
}

/** What a plan is made with, besides the pod and what matches it. */
export interface PlanOptions {
  readonly now: Date;
  readonly namespace: string;
  /** Whether containers go in by their names rather than in the order in which they are asked for. */
  readonly sortsContainers: boolean;
  /** Whether computed memory is rounded up to whole bytes. */
  readonly wholeBytes: boolean;
}

/** Plans what goes into a pod, set by set in their order (sidecarset.md 2.4 to 2.10). */
export function plan(
  pod: PodView,
  matches: readonly Match[],
  options: PlanOptions,
): Plan | { readonly faults: readonly Fault[] } {
  const draft = new Draft(
    pod,
    matches.map(({ content }) => content),
    options,
  );
  const faults = draft.write();
  return faults.length > 0 ? { faults } : draft.plan();
}

type Lists = "initContainers" | "containers";

/** A plan in the making. */
class Draft {
  readonly #pod: PodView;
  readonly #contents: readonly Content[];
  readonly #options: PlanOptions;
  readonly #texts: Map<string, string>;
  readonly #annotations = new Map<string, PlannedAnnotation>();
  readonly #queues: Record<Lists, Omit<PlannedContainer, "place">[]> = { initContainers: [], containers: [] };
  readonly #isBefore = new Map<JsonObject, boolean>();
  readonly #volumes = new Map<string, Asked>();
  readonly #secrets: Asked[] = [];
  readonly #warnings: Remark[] = [];
  readonly #notes: Remark[] = [];
  readonly #faults: Fault[] = [];

  constructor(pod: PodView, contents: readonly Content[], options: PlanOptions) {
    this.#pod = pod;
    this.#contents = contents;
    this.#options = options;
    const annotations = own(own(pod.pod, "metadata"), "annotations");
    const entries = isObject(annotations) ? Object.entries(annotations) : [];
    this.#texts = new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  }

  write(): readonly Fault[] {
    for (const { metadata } of this.#contents) this.#patchMetadata(metadata);
    const records = this.#readRecords();
    if (records === undefined) return this.#faults;
    for (const content of this.#contents) this.#take(content);
    // Secrets alone are not injected, nor is anything recorded where no container goes in (sidecarset.md 2.5).
    if (this.#queues.initContainers.length + this.#queues.containers.length > 0) this.#record(records);
    else this.#secrets.length = 0;
    return this.#faults;
  }

  plan(): Plan {
    const { sortsContainers } = this.#options;
    const isAnyone = this.#queues.initContainers.length + this.#queues.containers.length > 0;
    return {
      annotations: [...this.#annotations.values()],
      initContainers: this.#placed("initContainers", true),
      containers: this.#placed("containers", sortsContainers),
      volumes: [...this.#volumes.values()],
      ...(isAnyone ? this.#secretsLeft() : { imagePullSecrets: [], repeatedSecrets: [] }),
      warnings: this.#warnings,
      notes: this.#notes,
    };
  }

  #patchMetadata(patches: Content["metadata"]): void {
    for (const { policy, annotations, clause } of patches) {
      for (const [key, patch] of annotations) {
        const value = patched(policy, this.#texts.get(key), patch);
        if (value === undefined) continue;
        if (typeof value === "string") this.#annotate(key, value, [clause]);
        else
          this.#faults.push({ clause: { ...clause, path: [...clause.path, "annotations", key] }, ...value });
      }
    }
  }

  #annotate(key: string, value: string, clauses: readonly Clause[]): void {
    this.#texts.set(key, value);
    const earlier = this.#annotations.get(key)?.clauses ?? [];
    this.#annotations.set(key, { key, value, clauses: [...earlier, ...clauses] });
  }

  #readRecords(): readonly Map<string, string>[] | undefined {
    if (this.#faults.length > 0) return undefined;
    const found: Map<string, string>[] = [];
    for (const key of [hashKey, hashWithoutImageKey]) {
      const text = this.#texts.get(key);
      const records = readRecords(text);
      if (records === undefined) this.#faults.push(this.#unreadableRecords(key, text ?? ""));
      else found.push(new Map(records));
    }
    return this.#faults.length > 0 ? undefined : found;
  }

  #unreadableRecords(key: string, text: string): Fault {
    const name = textAt(own(this.#pod.pod, "metadata"), "name");
    const pod = `pod(${this.#options.namespace}/${name})`;
    const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
    const sentence = `${pod} invalid annotations[${key}] value ${shown}, unmarshal failed: its entries are neither all records nor all hashes; take the annotation off`;
    return { sentence };
  }

  #take(content: Content): void {
    for (const sidecar of content.initContainers) this.#takeSidecar("initContainers", sidecar);
    for (const sidecar of content.containers) this.#takeSidecar("containers", sidecar);
    this.#secrets.push(...content.imagePullSecrets);
  }

  #takeSidecar(list: Lists, sidecar: Sidecar): void {
    const built = build(sidecar, this.#workshop());
    if ("fault" in built) {
      this.#faults.push(built.fault);
      return;
    }
    const { name, clause, hotUpgrade } = sidecar;
    const { container, details } = built;
    for (const volume of sidecar.volumes) this.#takeVolume(volume, sidecar);
    if (sidecar.isMarkedTwice) {
      this.#warn(clause, "IS_INJECTED is set twice; the second one, true, counts");
    }
    if (hotUpgrade === undefined) {
      this.#enqueue(list, { name, container, clause, details }, sidecar);
      return;
    }
    const [first, second] = namesOf(name);
    const pair = pairOf(name, container, hotUpgrade.emptyImage);
    if (hotUpgrade.emptyImage === "") this.#warn(clause, "has no hotUpgradeEmptyImage");
    this.#enqueue(list, { name: first, container: pair.working, clause, details }, sidecar);
    this.#enqueue(list, { name: second, container: pair.waiting, clause, details }, sidecar);
    for (const [key, value] of pair.annotations) this.#annotate(key, value, [clause]);
    const working = new Map(readWorking(this.#texts.get(workingKey)));
    this.#annotate(workingKey, printWorking(working.set(name, first)), [clause]);
  }

  #enqueue(list: Lists, item: Omit<PlannedContainer, "place">, { isBefore }: Sidecar): void {
    this.#queues[list].push(item);
    this.#isBefore.set(item.container, isBefore);
  }

  #workshop(): Workshop {
    this.#tools ??= {
      pod: this.#pod,
      // As they are before any sidecar is built: what one annotates is not for the next to read.
      annotations: new Map(this.#texts),
      names: () => new Set(this.#contents.flatMap(({ names }) => [...names])),
      wholeBytes: this.#options.wholeBytes,
      note: (clause, sentence) => this.#notes.push({ clause, sentence }),
    };
    return this.#tools;
  }
  #tools: Workshop | undefined;

  #takeVolume(volume: Sidecar["volumes"][number], { clause }: Sidecar): void {
    const known = this.#pod.volume(volume.name) ?? this.#volumes.get(volume.name)?.object;
    if (!("object" in volume)) {
      if (known === undefined) this.#warn(clause, `mounts volume ${volume.name}, which nobody defines`);
    } else if (known === undefined) this.#volumes.set(volume.name, volume);
    else if (!equal(known, volume.object)) {
      this.#warn(volume.clause, `volume ${volume.name} is there already, with other content`);
    }
  }

  #record([hashes = new Map(), withoutImage = new Map()]: readonly Map<string, string>[]): void {
    const clauses = this.#contents.map(({ set }): Clause => ({ set, path: [] }));
    const timestamp = timestampOf(this.#options.now);
    for (const { set, records } of this.#contents) {
      hashes.set(set, recordAt(timestamp, records.hash));
      withoutImage.set(set, recordAt(timestamp, records.hashWithoutImage));
    }
    const names = this.#contents.map(({ set }) => set);
    this.#annotate(hashKey, printRecords(hashes), clauses);
    this.#annotate(hashWithoutImageKey, printRecords(withoutImage), clauses);
    this.#annotate(injectedListKey, listWith(this.#texts.get(injectedListKey), names), clauses);
  }

  #placed(list: Lists, isSorted: boolean): readonly PlannedContainer[] {
    const queue = isSorted
      ? this.#queues[list].toSorted((a, b) => compareBytes(a.name, b.name))
      : this.#queues[list];
    const owned = listOf(this.#pod.pod, list);
    const places = new Map(owned.map((each, index) => [textAt(each, "name"), index]));
    return queue.map((item) => {
      const index = places.get(item.name);
      if (index !== undefined) this.#warnOfReplacement(owned[index], item);
      const side = this.#isBefore.get(item.container) ? "before" : "after";
      return { ...item, place: index ?? side };
    });
  }

  #warnOfReplacement(there: Json | undefined, { name, clause }: Omit<PlannedContainer, "place">): void {
    if (isObject(there) && !isInjected(there))
      this.#warn(clause, `takes the place of the pod's own container ${name}`);
  }

  #secretsLeft(): Pick<Plan, "imagePullSecrets" | "repeatedSecrets"> {
    const names = new Set<string>();
    const isNew = (name: string) => !names.has(name) && names.add(name).size > 0;
    const owned = listOf(this.#pod.pod, "imagePullSecrets");
    return {
      repeatedSecrets: owned.flatMap((each, index) => (isNew(textAt(each, "name")) ? [] : [index])),
      imagePullSecrets: this.#secrets.filter(({ name }) => isNew(name)),
    };
  }

  #warn(clause: Clause, sentence: string): void {
    this.#warnings.push({ clause, sentence });
  }
}

function listOf(pod: JsonObject, key: string): JsonArray {
  const list = own(own(pod, "spec"), key);
  return isArray(list) ? list : [];
}
