import { compareBytes } from "../../../src/go/text.ts";
import { isArray, type JsonArray, type JsonObject, own } from "../../../src/json/json.ts";
import { Annotations } from "./annotations.ts";
import type { Clause, Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import { textAt } from "./json-text.ts";
import { type Item, loadOf } from "./load.ts";
import type { Match } from "./match.ts";
import { patchMetadata } from "./metadata.ts";
import type { Plan, PlannedContainer, PlanOptions, Remark } from "./planned.ts";
import { isInjected, type PodView } from "./pod-view.ts";
import { readRecordsOf, record } from "./record.ts";

/** Plans what goes into a pod, set by set in their order (sidecarset.md 2.4 to 2.10). */
export function plan(
  pod: PodView,
  matches: readonly Match[],
  options: PlanOptions,
): Plan | { readonly faults: readonly Fault[] } {
  // What a pod carries from elsewhere is nobody's business where nothing is added.
  if (matches.length === 0) return nothing;
  const contents = matches.map(({ content }) => content);
  const annotations = new Annotations(pod.pod);
  const faults = patchMetadata(
    annotations,
    contents.flatMap(({ metadata }) => metadata),
  );
  if (faults.length > 0) return { faults };
  const records = readRecordsOf(annotations, pod, options.namespace);
  if ("faults" in records) return records;
  const load = loadOf(contents, pod, annotations, options);
  if (load.faults.length > 0) return load;
  // Secrets alone are not injected, nor is anything recorded where no container goes in (sidecarset.md 2.5).
  const isAnyone = load.initContainers.length + load.containers.length > 0;
  if (isAnyone) record(annotations, records, contents, options.now);
  const initContainers = placed(pod.pod, "initContainers", sorted(load.initContainers));
  const { sortsContainers } = options;
  const containers = placed(
    pod.pod,
    "containers",
    sortsContainers ? sorted(load.containers) : load.containers,
  );
  return {
    annotations: annotations.planned(),
    initContainers,
    containers,
    volumes: load.volumes,
    ...(isAnyone ? secretsLeft(pod.pod, contents) : { imagePullSecrets: [], repeatedSecrets: [] }),
    warnings: [...load.warnings, ...clashes(pod, [...initContainers, ...containers])],
    notes: load.notes,
  };
}

const nothing: Plan = {
  annotations: [],
  initContainers: [],
  containers: [],
  volumes: [],
  imagePullSecrets: [],
  repeatedSecrets: [],
  warnings: [],
  notes: [],
};

function sorted(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => compareBytes(a.name, b.name));
}

/** Of two own containers with one name the last gives way. */
function placed(pod: JsonObject, list: string, items: readonly Item[]): readonly PlannedContainer[] {
  if (items.length === 0) return [];
  const places = new Map(listAt(pod, list).map((each, index) => [textAt(each, "name"), index]));
  return items.map(({ name, container, clause, details, isBefore }) => {
    const place = places.get(name) ?? (isBefore ? "before" : "after");
    return { name, container, clause, details, place };
  });
}

/** What the API server refuses afterwards, or what the pod loses. */
function clashes(pod: PodView, planned: readonly PlannedContainer[]): readonly Remark[] {
  const mine = new Map<string, JsonObject>();
  for (const each of pod.initContainers) mine.set(textAt(each, "name"), each);
  for (const each of pod.containers) mine.set(textAt(each, "name"), each);
  const others = new Map<string, Clause>();
  const remarks: Remark[] = [];
  for (const { name, place, clause } of planned) {
    const there = mine.get(name);
    const other = others.get(name);
    others.set(name, clause);
    if (other !== undefined) {
      remarks.push({ clause, sentence: `container ${name} also comes from SidecarSet ${other.set}` });
    }
    if (there === undefined || isInjected(there)) continue;
    const sentence =
      typeof place === "number"
        ? `takes the place of the pod's own container ${name}`
        : `the pod has a container ${name} already`;
    remarks.push({ clause, sentence });
  }
  return remarks;
}

function secretsLeft(
  pod: JsonObject,
  contents: readonly Content[],
): Pick<Plan, "imagePullSecrets" | "repeatedSecrets"> {
  const names = new Set<string>();
  const isNew = (name: string) => !names.has(name) && names.add(name).size > 0;
  return {
    repeatedSecrets: listAt(pod, "imagePullSecrets").flatMap((each, index) =>
      isNew(textAt(each, "name")) ? [] : [index],
    ),
    imagePullSecrets: contents
      .flatMap(({ imagePullSecrets }) => imagePullSecrets)
      .filter(({ name }) => isNew(name)),
  };
}

function listAt(pod: JsonObject, key: string): JsonArray {
  const list = own(own(pod, "spec"), key);
  return isArray(list) ? list : [];
}
