import { type Cause, isArray, type JsonObject, own, type Path } from "antechamber";
import { forbidden, notSupported, required } from "../fault.ts";
import { objectAt, stringAt } from "../read.ts";
import { listed } from "./containers.ts";

/** Faults of what the operating system of a pod does not have (k8s.io/kubernetes v1.32, `validateOS`). */
export function systemFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const system = objectAt(pod, "os");
  if (system === undefined) return [];
  const name = stringAt(system, "name");
  if (name === "") return required([...path, "os", "name"], "cannot be empty");
  if (!["linux", "windows"].includes(name)) return notSupported([...path, "os"], name, ["linux", "windows"]);
  return name === "linux" ? linuxFaults(pod, path) : windowsFaults(pod, path);
}

function contextsOf(pod: JsonObject, path: Path): readonly (readonly [context: JsonObject, path: Path])[] {
  return ["initContainers", "containers"]
    .flatMap((list) => listed(pod, list, path))
    .flatMap(([container, at]) => {
      const context = objectAt(container, "securityContext");
      return context === undefined ? [] : [[context, [...at, "securityContext"]] as const];
    });
}

function linuxFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const context = objectAt(pod, "securityContext");
  const all = [
    ...(context === undefined ? [] : [[context, [...path, "securityContext"]] as const]),
    ...contextsOf(pod, path),
  ];
  return all.flatMap(([each, at]) =>
    objectAt(each, "windowsOptions") === undefined
      ? []
      : forbidden([...at, "windowsOptions"], "windows options cannot be set for a linux pod"),
  );
}

// In the order of the API server's checks; those of the pod itself stand in its security context there.
const podFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "shareProcessNamespace",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
];
const ofPodItself = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"];
const containerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

function windowsFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const not = "cannot be set for a windows pod";
  const context = objectAt(pod, "securityContext") ?? {};
  return [
    ...podFields.flatMap((field) => {
      const isOfPod = ofPodItself.includes(field);
      const at = isOfPod ? path : [...path, "securityContext"];
      return isSet(isOfPod ? pod : context, field) ? forbidden([...at, field], not) : [];
    }),
    ...contextsOf(pod, path).flatMap(([each, at]) =>
      containerFields.flatMap((field) => (isSet(each, field) ? forbidden([...at, field], not) : [])),
    ),
  ];
}

function isSet(holder: JsonObject, field: string): boolean {
  const value = own(holder, field) ?? null;
  if (field === "hostPID" || field === "hostIPC") return value === true;
  return field === "sysctls" ? isArray(value) && value.length > 0 : value !== null;
}
