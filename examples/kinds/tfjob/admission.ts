import {
  type Cause,
  equal,
  type Findings,
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  set,
} from "antechamber";

// What tf-operator did to a TFJob of v1: SetDefaults_TFJob in pkg/apis/tensorflow/v1/defaults.go, and ValidateV1TFJob in
// pkg/apis/kubeflow.org/v1/tensorflow_validation.go.

const types = ["PS", "Worker", "Chief", "Master", "Evaluator"];
const port: Json = { name: "tfjob-port", containerPort: 2222 };

/** A job with the policies, counts and ports that it leaves out, its types of replicas in their usual letters. */
export function withDefaults(job: JsonObject): JsonObject {
  const spec = get(job, "spec");
  if (!isObject(spec)) return job;
  const policy = spec.runPolicy ?? {};
  const runPolicy = isObject(policy) ? { cleanPodPolicy: "Running", ...policy } : policy;
  const replicas = spec.tfReplicaSpecs;
  const tfReplicaSpecs = isObject(replicas) ? replicasOf(replicas) : replicas;
  const filled = { ...spec, runPolicy, ...(tfReplicaSpecs === undefined ? {} : { tfReplicaSpecs }) };
  return equal(filled, spec) ? job : set(job, "spec", filled);
}

function replicasOf(specs: JsonObject): JsonObject {
  const named = Object.entries(specs).map(([key, replica]) => {
    const usual = types.find((type) => type.toLowerCase() === key.toLowerCase());
    const name = usual === undefined || Object.hasOwn(specs, usual) ? key : usual;
    return [name, isObject(replica) ? replicaOf(replica) : replica] as const;
  });
  return Object.fromEntries(named);
}

function replicaOf(replica: JsonObject): JsonObject {
  const template = replica.template;
  const spec = get(template, "spec");
  const filled = isObject(template) && isObject(spec) ? { template: { ...template, spec: podOf(spec) } } : {};
  return { replicas: 1, restartPolicy: "Never", ...replica, ...filled };
}

/** The port stands in the container of TensorFlow, or in the first one. */
function podOf(pod: JsonObject): JsonObject {
  const { containers } = pod;
  if (!isArray(containers)) return pod;
  const at = Math.max(
    0,
    containers.findIndex((each) => get(each, "name") === "tensorflow"),
  );
  const container = containers[at];
  const ports = get(container, "ports") ?? [];
  if (!isObject(container) || !isArray(ports)) return pod;
  if (ports.some((each) => get(each, "name") === "tfjob-port")) return pod;
  return { ...pod, containers: containers.with(at, { ...container, ports: [...ports, port] }) };
}

/** What no trainer could run: replicas without TensorFlow, and more than one chief. */
export function faultsOf(job: JsonObject): Findings {
  const specs = get(job, "spec", "tfReplicaSpecs");
  const replicas = isObject(specs) ? Object.entries(specs) : [];
  const chiefs = replicas.filter(([type]) => type === "Chief" || type === "Master");
  const causes = [
    ...replicas.flatMap(([type, replica]) =>
      faultsOfPod(type, get(replica, "template", "spec", "containers")),
    ),
    ...chiefs.flatMap(([type, replica], at) => faultsOfChief(type, get(replica, "replicas"), at)),
  ];
  return causes.length === 0 ? {} : { causes };
}

function faultsOfPod(type: string, containers: Json | undefined): readonly Cause[] {
  const path = ["spec", "tfReplicaSpecs", type, "template", "spec", "containers"];
  const required = (message: string, ...below: readonly (string | number)[]): Cause => ({
    path: [...path, ...below],
    reason: "FieldValueRequired",
    message: `Required value: ${message}`,
  });
  if (!isArray(containers) || containers.length === 0) return [required("replicas run in containers")];
  const isNamed = containers.some((each) => get(each, "name") === "tensorflow");
  return [
    ...containers.flatMap((each, at) =>
      get(each, "image") ? [] : [required("a container has an image", at, "image")],
    ),
    ...(isNamed ? [] : [required("one container is named tensorflow")]),
  ];
}

function faultsOfChief(type: string, replicas: Json | undefined, at: number): readonly Cause[] {
  const path = ["spec", "tfReplicaSpecs", type];
  const fault = (message: string, ...below: readonly string[]): Cause => ({
    path: [...path, ...below],
    reason: "FieldValueInvalid",
    message: `Invalid value: ${message}`,
  });
  return [
    ...(at === 0 ? [] : [fault("a job has one chief or master")]),
    ...(replicas === undefined || replicas === 1 ? [] : [fault("a chief has one replica", "replicas")]),
  ];
}
