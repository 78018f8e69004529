import type { Cause, JsonObject, Path } from "antechamber";
import { quote } from "antechamber/go";
import { invalid, tooLong } from "../fault.ts";
import { entriesAt, objectAt, objectsAt, stringAt } from "../read.ts";
import { annotationFaults } from "./claims.ts";
import { labelFaults } from "./metadata.ts";
import { descending } from "./paths.ts";

/**
 * Faults of the metadata of a pod's template: labels, annotations, and annotations that stood for fields in old releases
 * (k8s.io/kubernetes v1.32, pkg/apis/core/validation, `ValidatePodSpecificAnnotations`).
 */
export function templateMetadataFaults(template: JsonObject, path: Path): readonly Cause[] {
  const [metadata, pod] = [objectAt(template, "metadata"), objectAt(template, "spec")];
  const at = [...path, "metadata"];
  const isOnNode = stringAt(pod, "nodeName") !== "";
  const containers = namesOf(pod);
  return [
    ...labelFaults(metadata, "labels", [...at, "labels"]),
    ...annotationFaults(metadata, [...at, "annotations"]),
    ...sizeFaults(metadata, [...at, "annotations"]),
    ...entriesAt(metadata, "annotations").flatMap(([key, value]) =>
      oldAnnotationFaults(key, String(value), { isOnNode, containers }, [...at, "annotations", key]),
    ),
  ];
}

/** The annotation that seccomp profiles of a container, or of the pod, were in. */
export const seccomp = {
  pod: "seccomp.security.alpha.kubernetes.io/pod",
  container: "container.seccomp.security.alpha.kubernetes.io/",
} as const;

/** The same for AppArmor. */
export const appArmor = { container: "container.apparmor.security.beta.kubernetes.io/" } as const;

const mostBytes = 256 * 1024;

function sizeFaults(metadata: JsonObject | undefined, path: Path): readonly Cause[] {
  const sizes = entriesAt(metadata, "annotations").map(
    ([key, value]) => Buffer.byteLength(key) + Buffer.byteLength(String(value)),
  );
  return sizes.reduce((sum, size) => sum + size, 0) > mostBytes ? tooLong(path, mostBytes) : [];
}

/** What the annotations refer to. */
interface Pod {
  readonly isOnNode: boolean;
  readonly containers: ReadonlySet<string>;
}

function namesOf(pod: JsonObject | undefined): ReadonlySet<string> {
  const lists = ["initContainers", "containers", "ephemeralContainers"];
  return new Set(lists.flatMap((list) => objectsAt(pod, list).map((each) => stringAt(each, "name"))));
}

function oldAnnotationFaults(
  key: string,
  value: string,
  { isOnNode, containers }: Pod,
  path: Path,
): readonly Cause[] {
  if (key === "kubernetes.io/config.mirror") {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    return isOnNode ? [] : invalid(path, value, detail);
  }
  if (key === seccomp.pod || key.startsWith(seccomp.container)) return seccompFaults(value, path);
  return key.startsWith(appArmor.container)
    ? appArmorFaults(value, key.slice(appArmor.container.length), containers, path)
    : [];
}

function seccompFaults(profile: string, path: Path): readonly Cause[] {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return [];
  return profile.startsWith("localhost/")
    ? descending(profile.slice("localhost/".length), path)
    : invalid(path, profile, "must be a valid seccomp profile");
}

function appArmorFaults(
  profile: string,
  container: string,
  containers: ReadonlySet<string>,
  path: Path,
): readonly Cause[] {
  const isProfile =
    ["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith("localhost/");
  return [
    ...(containers.has(container) ? [] : invalid(path, container, "container not found")),
    ...(isProfile ? [] : invalid(path, profile, `invalid AppArmor profile name: ${quote(profile)}`)),
  ];
}
