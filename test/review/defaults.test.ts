import { expect, it } from "vitest";
import { get, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { type ApiServer, apiServerOf, type Held, nothing } from "../../src/play/life/server.ts";

const { all } = await loadKinds(["examples/kinds"]);
const kind = all.find(({ name }) => name.startsWith("TFJob"));
if (kind === undefined) throw new Error("there is no TFJob");
const server = apiServerOf(kind);

const template = { spec: { containers: [{ name: "tensorflow", image: "mnist" }] } };
const policyOf = (held: Held, type: string) =>
  get(server.read(held, "v1"), "spec", "tfReplicaSpecs", type, "restartPolicy");

type Write = Parameters<ApiServer["write"]>[1];

function wrote(held: Held, write: Omit<Write, "manager">): Held {
  const written = server.write(held, { manager: "kubectl", ...write });
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
  const created = wrote(nothing, { verb: "create", object: job });
  expect(policyOf(created, "Worker")).toBe("Never");
  const resourceVersion = get(server.read(created, "v1alpha1"), "metadata", "resourceVersion") ?? "";
  const file = set(job, "spec", { replicaSpecs: [{ tfReplicaType: "MASTER", template }] });
  const object = { ...file, metadata: { ...job.metadata, resourceVersion, ...stamp } };
  const replaced = wrote(created, { verb: "update", object });
  expect(policyOf(replaced, "Chief")).toBe("Never");
});

// The copy has no annotation, and an older generation than the carrier in status.
it("what the hub alone says stays where a default is put into an old copy", () => {
  const spec = { replicaSpecs: [{ tfReplicaType: "WORKER", template }] };
  const metadata = { name: "mnist", namespace: "default" };
  const job = { apiVersion: "kubeflow.org/v1alpha1", kind: "TFJob", metadata, spec };
  const created = wrote(nothing, { verb: "create", object: job });
  const old = server.read(created, "v1alpha2") ?? {};
  const limited = set(server.read(created, "v1") ?? {}, "spec", "runPolicy", "backoffLimit", 1);
  const updated = wrote(created, { verb: "update", object: limited });
  const running = set(server.read(updated, "v1alpha1") ?? {}, "status", "replicaStatuses", [
    { tf_replica_type: "WORKER", state: "Running" },
  ]);
  const observed = wrote(updated, { verb: "update", object: running, subresource: "status" });
  const resourceVersion = get(server.read(observed, "v1"), "metadata", "resourceVersion") ?? "";
  const undefaulted = set(old, "spec", "tfReplicaSpecs", "Worker", "restartPolicy", undefined);
  const stale = set(undefaulted, "metadata", "resourceVersion", resourceVersion);
  const replaced = wrote(observed, { verb: "update", object: stale });
  expect(policyOf(replaced, "Worker")).toBe("Never");
  expect(get(server.read(replaced, "v1"), "spec", "runPolicy", "backoffLimit")).toBe(1);
});
