import { get, type JsonObject } from "../../json/json.ts";

/** The labels that a controller of Kubernetes adds to the pods of an object, of which values may be known only in a cluster. */
export function controllerLabels(owner: JsonObject): Readonly<Record<string, string>> {
  const name = String(get(owner, "metadata", "name") ?? "");
  switch (`${owner.apiVersion} ${owner.kind}`) {
    case "apps/v1 Deployment":
      return { "pod-template-hash": unknown };
    case "apps/v1 StatefulSet":
      return {
        "apps.kubernetes.io/pod-index": "0",
        "controller-revision-hash": unknown,
        "statefulset.kubernetes.io/pod-name": `${name}-0`,
      };
    case "apps/v1 DaemonSet":
      return { "controller-revision-hash": unknown, "pod-template-generation": "1" };
    case "batch/v1 Job":
      return jobLabels(name, owner.spec);
    case "batch/v1 CronJob":
      // Its Jobs are named after the minute in which they are due.
      return jobLabels(`${name}-${unknown}`, get(owner, "spec", "jobTemplate", "spec"));
    default:
      return {};
  }
}

/** Whether the pods of an object are to end: a Job is complete when all their containers have. */
export function isJob({ apiVersion, kind }: JsonObject): boolean {
  return apiVersion === "batch/v1" && (kind === "Job" || kind === "CronJob");
}

/** What stands for a hash, a uid or a time. */
const unknown = "xxxxx";

/** pkg/registry/batch/job/strategy.go, generateSelector, and pkg/controller/job/indexed_job_utils.go of Kubernetes. */
function jobLabels(name: string, spec: JsonObject[string] | undefined): Readonly<Record<string, string>> {
  const index =
    get(spec, "completionMode") === "Indexed" ? { "batch.kubernetes.io/job-completion-index": "0" } : {};
  if (get(spec, "manualSelector") === true) return index;
  return {
    ...index,
    "batch.kubernetes.io/controller-uid": unknown,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": unknown,
    "job-name": name,
  };
}
