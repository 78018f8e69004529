import { type Cause, type JsonObject, own, type Path } from "antechamber";
import { dnsLabelFaults } from "antechamber/apimachinery";
import { duplicate, forbidden, invalid, notSupported, required } from "../fault.ts";
import { objectsAt, optionalStringAt, stringAt } from "../read.ts";
import { envFaults, envFromFaults } from "./env.ts";
import { deviceFaults, mountFaults, type Volumes } from "./mounts.ts";
import { hostPortFaults, portFaults } from "./ports.ts";
import { probeFaults, probesForbidden } from "./probes.ts";
import { choiceFaults, type PodClaims, podClaims, resizeFaults, resourceFaults } from "./resources.ts";
import { hostProcessFaults, securityFaults } from "./security.ts";
import { checkVolumes, pullPolicyFaults } from "./volumes.ts";

/** What the rules for containers depend on in the rest of the pod. */
interface PodContext {
  /** Its resource claims. */
  readonly claims: PodClaims;
  /** Its terminationGracePeriodSeconds; undefined if that is not known. */
  readonly grace: bigint | undefined;
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
}

/** A pod of which nothing but containers and volumes is known. */
const bare: PodContext = {
  claims: podClaims([]),
  grace: undefined,
  restartPolicy: "Always",
  hostUsers: true,
};

/**
 * The faults that Kubernetes v1.32 finds in a pod with these volumes, containers and init containers
 * (pkg/apis/core/validation, `ValidatePodCreate`), which OpenKruise calls without grace period, claims and options.
 */
export function podFaults(spec: JsonObject): readonly Cause[] {
  const containers = ["containers", "initContainers"].flatMap((list) => listed(spec, list, ["spec"]));
  return [
    ...containersFaults(spec, ["spec"], bare),
    ...hostProcessFaults(spec, ["spec"]),
    ...containers.flatMap(([container, path]) => imageFaults(container, path)),
  ];
}

/** Faults of the volumes, containers and init containers in the spec of a pod (`ValidatePodSpec`). */
export function containersFaults(spec: JsonObject, path: Path, context: PodContext): readonly Cause[] {
  const { valid, causes } = checkVolumes(objectsAt(spec, "volumes"), [...path, "volumes"]);
  const [containers, initContainers] = [
    listed(spec, "containers", path),
    listed(spec, "initContainers", path),
  ];
  const rest: Rest = { ...context, volumes: valid };
  const names = new Set(containers.map(([container]) => stringAt(container, "name")));
  const seen = new Set<string>();
  return [
    ...causes,
    ...containers.flatMap(([container, at]) => containerFaults(container, at, rest, seen)),
    ...hostPortFaults(containers),
    ...initContainers.flatMap(([container, at]) => initContainerFaults(container, at, rest, names)),
  ];
}

/** The containers of a list, each with its path. */
export function listed(
  spec: JsonObject | undefined,
  list: string,
  path: Path,
): readonly (readonly [container: JsonObject, path: Path])[] {
  return objectsAt(spec, list).map((container, index) => [container, [...path, list, index]] as const);
}

interface Rest extends PodContext {
  readonly volumes: Volumes;
}

function containerFaults(
  container: JsonObject,
  path: Path,
  rest: Rest,
  names: Set<string>,
): readonly Cause[] {
  const restart = "may not be set for non-init containers";
  return [
    ...commonFaults(container, path, rest),
    ...uniqueFaults(stringAt(container, "name"), path, names),
    ...probeFaults(container, path, rest.grace),
    ...((own(container, "restartPolicy") ?? null) === null
      ? []
      : forbidden([...path, "restartPolicy"], restart)),
  ];
}

function initContainerFaults(
  container: JsonObject,
  path: Path,
  rest: Rest,
  names: Set<string>,
): readonly Cause[] {
  const [name, restart] = [stringAt(container, "name"), optionalStringAt(container, "restartPolicy")];
  const resize = own(container, "resizePolicy");
  return [
    ...commonFaults(container, path, rest),
    ...(restart === undefined || restart === "Always"
      ? []
      : notSupported([...path, "restartPolicy"], restart, ["Always"])),
    ...(name === "" && !names.has(name) ? [] : uniqueFaults(name, path, names)),
    ...hostPortFaults([[container, path]]),
    ...(restart === "Always" ? probeFaults(container, path, rest.grace) : probesForbidden(container, path)),
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

function commonFaults(container: JsonObject, path: Path, rest: Rest): readonly Cause[] {
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
    ...mountFaults(container, rest.volumes, path),
    ...deviceFaults(container, rest.volumes, path),
    ...pullPolicyFaults(stringAt(container, "imagePullPolicy"), [...path, "imagePullPolicy"]),
    ...resourceFaults(container, path, rest.claims),
    ...resizeFaults(container, path, rest.restartPolicy),
    ...securityFaults(container, path, rest.hostUsers),
  ];
}
