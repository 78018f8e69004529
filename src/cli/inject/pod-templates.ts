import { isArray, isObject, type Json, type JsonObject, objectAt, own, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { controllerLabels } from "./controller-labels.ts";

/** A pod, or the template of one, in an object. */
export interface FoundPod {
  /** Where it is; empty for a pod itself. */
  readonly path: Path;
  readonly pod: JsonObject;
  /** Keys of the labels that its controller adds, and which are not in the template. */
  readonly added: readonly string[];
}

/**
 * The pods that an object is, or that a controller makes of it: whatever is called `template` and has a spec with
 * containers. So it is in Deployments, CronJobs and all other workloads of Kubernetes, and in most custom ones.
 */
export function podsIn(object: JsonObject): readonly FoundPod[] {
  if (object.apiVersion === "v1" && object.kind === "Pod") return [{ path: [], pod: object, added: [] }];
  return templatesIn(object, [], 0).map(({ path, template }) => ({ path, ...podOf(template, object) }));
}

/** An object with other pods at their places. */
export function withPods(object: JsonObject, pods: readonly FoundPod[]): JsonObject {
  return pods.reduce((here, found) => objectAt(replaced(here, found.path, found)), object);
}

// A custom resource may hold anything: its depth is limited as that of any input.
const mostDepth = 1000;

function templatesIn(
  value: Json,
  path: Path,
  depth: number,
): readonly { readonly path: Path; readonly template: JsonObject }[] {
  if (depth > mostDepth) return [];
  if (isArray(value)) return value.flatMap((item, index) => templatesIn(item, [...path, index], depth + 1));
  if (!isObject(value)) return [];
  if (path.at(-1) === "template" && isArray(own(own(value, "spec"), "containers"))) {
    return [{ path, template: value }];
  }
  return Object.entries(value).flatMap(([key, each]) => templatesIn(each, [...path, key], depth + 1));
}

/** The pod that a controller creates from a template, as far as it is known: it has a generated name, and labels of its own. */
function podOf({ metadata, spec }: JsonObject, owner: JsonObject): Pick<FoundPod, "pod" | "added"> {
  const name = own(own(owner, "metadata"), "name");
  const generated = typeof name === "string" ? { generateName: `${name}-` } : {};
  const given = objectAt(own(metadata, "labels"));
  const labels = { ...controllerLabels(owner), ...given };
  const isLabelled = Object.keys(labels).length > 0;
  return {
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...generated, ...objectAt(metadata), ...(isLabelled ? { labels } : {}) },
      spec: spec ?? {},
    },
    added: Object.keys(labels).filter((key) => !Object.hasOwn(given, key)),
  };
}

function replaced(value: Json, path: Path, found: FoundPod): Json {
  const [step, ...rest] = path;
  if (step === undefined) return templateOf(objectAt(value), found);
  if (typeof step === "number") {
    return isArray(value)
      ? value.map((item, index) => (index === step ? replaced(item, rest, found) : item))
      : value;
  }
  return isObject(value) ? set(value, step, replaced(own(value, step) ?? null, rest, found)) : value;
}

/** A pod itself, or a template with the metadata and spec of a pod, without what only pods have: a name, and a controller's labels. */
function templateOf(before: JsonObject, { pod, added }: FoundPod): JsonObject {
  if (before.kind === "Pod") return pod;
  const labels = added.reduce((all, key) => set(all, key, undefined), objectAt(own(pod.metadata, "labels")));
  const isLabelled = Object.keys(labels).length > 0 || own(before.metadata, "labels") !== undefined;
  const metadata = Object.entries({
    ...objectAt(pod.metadata),
    ...(isLabelled ? { labels } : {}),
  }).filter(
    ([key]) =>
      (key !== "generateName" || own(before.metadata, key) !== undefined) && (key !== "labels" || isLabelled),
  );
  const hasMetadata = metadata.length > 0 || before.metadata !== undefined;
  return {
    ...before,
    ...(hasMetadata ? { metadata: Object.fromEntries(metadata) } : {}),
    spec: pod.spec ?? {},
  };
}
