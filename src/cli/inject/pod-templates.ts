import { isArray, isObject, type Json, type JsonObject, objectAt, own, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";

/** A pod, or the template of one, in an object. */
export interface FoundPod {
  /** Where it is; empty for a pod itself. */
  readonly path: Path;
  readonly pod: JsonObject;
}

/**
 * The pods that an object is, or that a controller makes of it: whatever is called `template` and has a spec with
 * containers. So it is in Deployments, CronJobs and all other workloads of Kubernetes, and in most custom ones.
 */
export function podsIn(object: JsonObject): readonly FoundPod[] {
  if (object.apiVersion === "v1" && object.kind === "Pod") return [{ path: [], pod: object }];
  return templatesIn(object, [], 0).map(({ path, template }) => ({ path, pod: podOf(template, object) }));
}

/** An object with other pods at their places. */
export function withPods(object: JsonObject, pods: readonly FoundPod[]): JsonObject {
  return pods.reduce((here, { path, pod }) => objectAt(replaced(here, path, pod)), object);
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

/** The pod that a controller creates from a template, as far as it is known: it has a generated name. */
function podOf({ metadata, spec }: JsonObject, owner: JsonObject): JsonObject {
  const name = own(own(owner, "metadata"), "name");
  const generated = typeof name === "string" ? { generateName: `${name}-` } : {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...generated, ...objectAt(metadata) },
    spec: spec ?? {},
  };
}

function replaced(value: Json, path: Path, pod: JsonObject): Json {
  const [step, ...rest] = path;
  if (step === undefined) return templateOf(objectAt(value), pod);
  if (typeof step === "number") {
    return isArray(value)
      ? value.map((item, index) => (index === step ? replaced(item, rest, pod) : item))
      : value;
  }
  return isObject(value) ? set(value, step, replaced(own(value, step) ?? null, rest, pod)) : value;
}

/** A pod itself, or a template with the metadata and spec of a pod, without the name that only pods have. */
function templateOf(before: JsonObject, pod: JsonObject): JsonObject {
  if (before.kind === "Pod") return pod;
  const metadata = Object.entries(objectAt(pod.metadata)).filter(
    ([key]) => key !== "generateName" || own(before.metadata, key) !== undefined,
  );
  const hasMetadata = metadata.length > 0 || before.metadata !== undefined;
  return {
    ...before,
    ...(hasMetadata ? { metadata: Object.fromEntries(metadata) } : {}),
    spec: pod.spec ?? {},
  };
}
