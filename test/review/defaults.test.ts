import { expect, it } from "vitest";
import { get, type JsonObject, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { type ApiServer, apiServerOf, type Held, nothing } from "../../src/play/life/server.ts";

const { all } = await loadKinds(["examples/kinds"]);
const kind = all.find(({ name }) => name.startsWith("TFJob"));
if (kind === undefined) throw new Error("there is no TFJob");
const server = apiServerOf(kind);

const template = { spec: { containers: [{ name: "tensorflow", image: "mnist" }] } };
const policyOf = (held: Held, type: string) =>
  get(server.read(held, "v1"), "spec", "tfReplicaSpecs", type, "restartPolicy");

function wrote(held: Held, verb: "create" | "update", object: JsonObject): Held {
  const written: ReturnType<ApiServer["write"]> = server.write(held, { verb, object, manager: "kubectl" });
  expect(written.message).toBeUndefined();
  return written.held;
}

// The object has carriers of a generation; a file that replaces it says no generation, or the one of an old copy.
it.each([{}, { generation: 1 }, { generation: 0 }])("a default of the hub's own stays: %j", (stamp) => {
  const replicaSpecs = [{ tfReplicaType: "WORKER", template }];
  const job = {
    apiVersion: "kubeflow.org/v1alpha1",
    kind: "TFJob",
    metadata: { name: "mnist", namespace: "default" },
    spec: { replicaSpecs },
  };
  const created = wrote(nothing, "create", job);
  expect(policyOf(created, "Worker")).toBe("Never");
  const resourceVersion = get(server.read(created, "v1alpha1"), "metadata", "resourceVersion") ?? "";
  const file = set(job, "spec", { replicaSpecs: [{ tfReplicaType: "MASTER", template }] });
  const replaced = wrote(created, "update", {
    ...file,
    metadata: { ...job.metadata, resourceVersion, ...stamp },
  });
  expect(policyOf(replaced, "Chief")).toBe("Never");
});
