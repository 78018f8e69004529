import { type Cause, isArray, type Json, type JsonObject, own, type Path } from "antechamber";
import { duplicate, forbidden, invalid, notSupported, required } from "../fault.ts";
import { isTrue, objectAt, objectsAt, optionalStringAt, stringAt } from "../read.ts";
import { appArmorFaults, idFaults, seccompFaults, windowsFaults } from "./security.ts";

/** Faults of a pod's security context (k8s.io/kubernetes v1.32, `validatePodSpecSecurityContext`). */
export function podSecurityFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const context = objectAt(pod, "securityContext");
  const at = [...path, "securityContext"];
  const sharing = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [
    ...(isTrue(pod, "shareProcessNamespace") && isTrue(pod, "hostPID")
      ? invalid([...path, "shareProcessNamespace"], true, sharing)
      : []),
    ...(context === undefined ? [] : contextFaults(context, pod, at)),
  ];
}

function contextFaults(context: JsonObject, pod: JsonObject, path: Path): readonly Cause[] {
  const groups = own(context, "supplementalGroups");
  return [
    ...["fsGroup", "runAsUser", "runAsGroup"].flatMap((key) => idFaults(context, key, path)),
    ...(isArray(groups) ? groups : []).flatMap((group, index) =>
      groupFaults(group, [...path, "supplementalGroups", index]),
    ),
    ...sysctlFaults(context, pod, [...path, "sysctls"]),
    ...Object.entries(policies).flatMap(([key, choices]) => {
      const choice = optionalStringAt(context, key);
      return choice === undefined || choices.includes(choice)
        ? []
        : notSupported([...path, key], choice, choices);
    }),
    ...seccompFaults(objectAt(context, "seccompProfile"), [...path, "seccompProfile"]),
    ...windowsFaults(objectAt(context, "windowsOptions"), [...path, "windowsOptions"]),
    ...appArmorFaults(objectAt(context, "appArmorProfile"), [...path, "appArmorProfile"]),
  ];
}

const policies: Readonly<Record<string, readonly string[]>> = {
  fsGroupChangePolicy: ["Always", "OnRootMismatch"],
  supplementalGroupsPolicy: ["Merge", "Strict"],
  seLinuxChangePolicy: ["MountOption", "Recursive"],
};

function groupFaults(group: Json, path: Path): readonly Cause[] {
  const index = String(path.at(-1));
  return idFaults({ [index]: group }, index, path.slice(0, -1)).map((cause) => ({ ...cause, path }));
}

const sysctlName = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

function sysctlFaults(context: JsonObject, pod: JsonObject, path: Path): readonly Cause[] {
  const seen = new Set<string>();
  return objectsAt(context, "sysctls").flatMap((sysctl, index) => {
    const name = stringAt(sysctl, "name");
    const at = [...path, index, "name"];
    const isSeen = seen.has(name);
    seen.add(name);
    const naming =
      name === ""
        ? required(at)
        : !isSysctl(name)
          ? invalid(at, name, `must have at most 253 characters and match regex ${sysctlName}`)
          : isSeen
            ? duplicate(at, name)
            : [];
    return [...naming, ...namespaceFaults(name, pod, at)];
  });
}

/** Whether a name consists of segments; checked segment by segment, so that the time it takes is linear. */
function isSysctl(name: string): boolean {
  const isSegment = (text: string) => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(text);
  return Buffer.byteLength(name) <= 253 && name.split(/[./]/).every(isSegment);
}

/** Sysctls of a namespace that the pod shares with the node (`ValidateHostSysctl`). */
function namespaceFaults(name: string, pod: JsonObject, path: Path): readonly Cause[] {
  const dotted = normalSysctl(name).split("*")[0] ?? "";
  const isOfIpc = ipcSysctls.includes(dotted) || dotted.startsWith("fs.mqueue.");
  if (isTrue(pod, "hostNetwork") && dotted.startsWith("net.")) {
    return invalid(path, name, "may not be specified when 'hostNetwork' is true");
  }
  return isTrue(pod, "hostIPC") && isOfIpc
    ? invalid(path, name, "may not be specified when 'hostIPC' is true")
    : [];
}

const ipcSysctls = [
  "sem",
  "shmall",
  "shmmax",
  "shmmni",
  "shm_rmid_forced",
  "shm",
  "msgmax",
  "msgmnb",
  "msgmni",
  "msg",
].map((name) => `kernel.${name}`);

/** A name whose first separator is a slash has slashes and dots the other way round. */
function normalSysctl(name: string): string {
  const swapped = name.replace(/[./]/g, (each) => (each === "." ? "/" : "."));
  return /[./]/.exec(name)?.[0] === "/" ? swapped : name;
}

/** Faults of namespaces that are shared with the node although users are not (`validateHostUsers`). */
export function hostUserFaults(pod: JsonObject, path: Path): readonly Cause[] {
  if (own(pod, "hostUsers") !== false) return [];
  return ["hostNetwork", "hostPID", "hostIPC"].flatMap((key) =>
    isTrue(pod, key) ? forbidden([...path, key], "when `pod.Spec.HostUsers` is false") : [],
  );
}
