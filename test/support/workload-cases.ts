import { readFileSync } from "node:fs";
import { get, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { admit } from "./admit.ts";

/** A write of a StatefulSet or BroadcastJob at v1beta1, with all defaults. */
export interface WorkloadCase {
  readonly name: string;
  readonly kind: string;
  readonly operation: "CREATE" | "UPDATE";
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  /** The faults, each with its field; absent in a case that is not recorded yet. */
  readonly faults: readonly Json[] | undefined;
}

export const workloadFile = "test/cases/kruise-workloads.yaml";
export const workloadKinds = await loadKinds(["webhooks"]);

/** The cases of the file: each says in `to` what differs from the least object of its kind, and in `from` what did before. */
export function workloadCases(): readonly WorkloadCase[] {
  const entries = readYaml(readFileSync(workloadFile, "utf8"))[0]?.value;
  return (Array.isArray(entries) ? (entries as readonly Json[]) : []).filter(isObject).map((entry) => {
    const kind = String(entry.kind);
    const made = (patch: Json | undefined) => defaulted(merged(least(kind), patch ?? {}) as JsonObject);
    const [from, faults] = [get(entry, "from"), get(entry, "faults")];
    return {
      name: String(entry.name),
      kind,
      operation: from === undefined ? "CREATE" : "UPDATE",
      object: made(entry.to),
      ...(from === undefined ? {} : { oldObject: made(from) }),
      faults: Array.isArray(faults) ? (faults as readonly Json[]) : undefined,
    };
  });
}

/** The faults that our validating webhook finds, each with its field. */
export function faultsOf({ operation, object, oldObject }: WorkloadCase): readonly string[] {
  const { response } = admit("validate", workloadKinds, {
    operation,
    version: "v1beta1",
    object,
    ...(oldObject && { oldObject }),
  });
  const causes = get(response, "status", "details", "causes");
  return (Array.isArray(causes) ? (causes as readonly Json[]) : []).map(
    (cause) => `${get(cause, "field")}: ${get(cause, "message")}`,
  );
}

function defaulted(object: JsonObject): JsonObject {
  return admit("mutate", workloadKinds, { operation: "CREATE", version: "v1beta1", object }).object;
}

function least(kind: string): JsonObject {
  const restartPolicy = kind === "BroadcastJob" ? "Never" : "Always";
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { restartPolicy, containers: [{ name: "main", image: "web:1" }] },
  };
  return {
    apiVersion: "apps.kruise.io/v1beta1",
    kind,
    metadata: { name: "web", namespace: "shop", uid: "a", resourceVersion: "1" },
    spec: { template, ...(kind === "StatefulSet" ? { selector: { matchLabels: { app: "web" } } } : {}) },
  };
}

/** The value with a merge patch applied. */
function merged(value: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(value) ? { ...value } : {};
  for (const [key, below] of Object.entries(patch)) {
    if (below === null) delete result[key];
    else result[key] = merged(result[key] ?? null, below);
  }
  return result;
}
