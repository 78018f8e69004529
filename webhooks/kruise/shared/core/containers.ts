import { type Cause, dnsLabelFaults, type JsonObject, own, type Path } from "antechamber";
import { objectsAt, optionalStringAt, stringAt } from "../read.ts";
import { envFaults, envFromFaults } from "./env.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "./fault.ts";
import { deviceFaults, mountFaults, type Volumes } from "./mounts.ts";
import { hostPortFaults, portFaults } from "./ports.ts";
import { probeFaults, probesForbidden } from "./probes.ts";
import { choiceFaults, resizeFaults, resourceFaults } from "./resources.ts";
import { hostProcessFaults, securityFaults } from "./security.ts";
import { checkVolumes, pullPolicyFaults } from "./volumes.ts";

/**
 * The faults that Kubernetes v1.32 finds in a pod with these volumes, containers and init containers
 * (pkg/apis/core/validation, `ValidatePodCreate`), which OpenKruise calls without grace period, claims and options.
 */
export function podFaults(spec: JsonObject): readonly Cause[] {
  const { valid, causes } = checkVolumes(objectsAt(spec, "volumes"), ["spec", "volumes"]);
  const [containers, initContainers] = ["containers", "initContainers"].map((list) =>
    objectsAt(spec, list).map((container, index) => [container, ["spec", list, index] as Path] as const),
  );
  const names = new Set((containers ?? []).map(([container]) => stringAt(container, "name")));
  const seen = new Set<string>();
  return [
    ...causes,
    ...(containers ?? []).flatMap(([container, path]) => containerFaults(container, path, valid, seen)),
    ...hostPortFaults(containers ?? []),
    ...(initContainers ?? []).flatMap(([container, path]) =>
      initContainerFaults(container, path, valid, names),
    ),
    ...hostProcessFaults([...(initContainers ?? []), ...(containers ?? [])].map(([container]) => container)),
    ...[...(containers ?? []), ...(initContainers ?? [])].flatMap(([container, path]) =>
      imageFaults(container, path),
    ),
  ];
}

function containerFaults(
  container: JsonObject,
  path: Path,
  volumes: Volumes,
  names: Set<string>,
): readonly Cause[] {
  const restart = "may not be set for non-init containers";
  return [
    ...commonFaults(container, path, volumes),
    ...uniqueFaults(stringAt(container, "name"), path, names),
    ...probeFaults(container, path),
    ...((own(container, "restartPolicy") ?? null) === null
      ? []
      : forbidden([...path, "restartPolicy"], restart)),
  ];
}

function initContainerFaults(
  container: JsonObject,
  path: Path,
  volumes: Volumes,
  names: Set<string>,
): readonly Cause[] {
  const [name, restart] = [stringAt(container, "name"), optionalStringAt(container, "restartPolicy")];
  const resize = own(container, "resizePolicy");
  return [
    ...commonFaults(container, path, volumes),
    ...(restart === undefined || restart === "Always"
      ? []
      : notSupported([...path, "restartPolicy"], restart, ["Always"])),
    ...(name === "" && !names.has(name) ? [] : uniqueFaults(name, path, names)),
    ...hostPortFaults([[container, path]]),
    ...(restart === "Always" ? probeFaults(container, path) : probesForbidden(container, path)),
    ...(objectsAt(container, "resizePolicy").length > 0
      ? invalid([...path, "resizePolicy"], resize, "must not be set for init containers")
      : []),
  ];
}

function imageFaults(container: JsonObject, path: Path): readonly Cause[] {
  const image = stringAt(container, "image");
  const isPadded = image.trim() !== image;
  return isPadded ? invalid([...path, "image"], image, "must not have leading or trailing whitespace") : [];
}

function uniqueFaults(name: string, path: Path, names: Set<string>): readonly Cause[] {
  if (names.has(name)) return duplicate([...path, "name"], name);
  names.add(name);
  return [];
}

const messagePolicies = ["File", "FallbackToLogsOnError"];

function commonFaults(container: JsonObject, path: Path, volumes: Volumes): readonly Cause[] {
  const name = stringAt(container, "name");
  return [
    ...(name === ""
      ? required([...path, "name"])
      : invalid([...path, "name"], name, ...dnsLabelFaults(name))),
    ...(stringAt(container, "image") === "" ? required([...path, "image"]) : []),
    ...choiceFaults(stringAt(container, "terminationMessagePolicy"), messagePolicies, [
      ...path,
      "terminationMessagePolicy",
    ]),
    ...portFaults(container, path),
    ...envFaults(container, path),
    ...envFromFaults(container, path),
    ...mountFaults(container, volumes, path),
    ...deviceFaults(container, volumes, path),
    ...pullPolicyFaults(stringAt(container, "imagePullPolicy"), [...path, "imagePullPolicy"]),
    ...resourceFaults(container, path),
    ...resizeFaults(container, path),
    ...securityFaults(container, path),
  ];
}
