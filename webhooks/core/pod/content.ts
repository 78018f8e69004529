import {
  get,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
  type Path,
} from "antechamber";
import { compareBytes } from "antechamber/go";
import { hashAnnotation, hashWithoutImageAnnotation } from "../../kruise/shared/names.ts";
import { stringAt } from "../../kruise/shared/read.ts";
import { type Clause, type Contribution, Unreadable } from "./clause.ts";
import { type MetadataPatch, metadataPatchOf } from "./metadata.ts";
import { type RecordTails, recordTails } from "./records.ts";
import { type ResourcesPolicy, resourcesPolicyOf } from "./resources.ts";
import { type Transfer, transferOf } from "./transfer.ts";

/**
 * What one spec of a SidecarSet, the current one or a recorded one, or of an InjectionPolicy adds to pods: prepared once, not
 * for each pod.
 */
export interface Content {
  readonly set: string;
  /** Absent for a SidecarSet. */
  readonly kind?: "InjectionPolicy";
  /** Names of all containers and init containers of the spec. */
  readonly names: ReadonlySet<string>;
  readonly records: RecordTails;
  readonly metadata: readonly MetadataPatch[];
  readonly initContainers: readonly Sidecar[];
  readonly containers: readonly Sidecar[];
  readonly imagePullSecrets: readonly Contribution[];
  readonly app?: AppAddition;
}

/** What an InjectionPolicy adds to the pod's own containers. */
export interface AppAddition {
  readonly clause: Clause;
  readonly isForInitContainers: boolean;
  readonly env: readonly JsonObject[];
  readonly volumeMounts: readonly JsonObject[];
  readonly volumes: Sidecar["volumes"];
}

/** A container of a SidecarSet or InjectionPolicy. */
export interface Sidecar {
  readonly name: string;
  readonly clause: Clause;
  /** The core container: without the fields of SidecarSets, and with `IS_INJECTED` in its env. */
  readonly container: JsonObject;
  readonly envNames: ReadonlySet<string>;
  /** Whether its own env has `IS_INJECTED` already. */
  readonly isMarkedTwice: boolean;
  /** Paths of its own mounts and devices. */
  readonly paths: readonly string[];
  readonly isBefore: boolean;
  readonly isNative: boolean;
  /** Present if the container is injected twice, to be updated without interruption. */
  readonly hotUpgrade?: { readonly emptyImage: string };
  readonly sharesMounts: boolean;
  readonly sharesDevices: boolean;
  readonly transfers: readonly Transfer[];
  readonly resourcesPolicy?: ResourcesPolicy;
  /** The volumes that it mounts, in order; a volume that the SidecarSet does not define has no object. */
  readonly volumes: readonly (Contribution | { readonly name: string })[];
}

/** The env entry that marks a container as injected. */
const injectedMark: JsonObject = { name: "IS_INJECTED", value: "true" };

/** Prepares what a SidecarSet or InjectionPolicy injects. Throws Unreadable if a field has another type than in the API. */
export function contentOf(
  sidecarSet: JsonObject,
  owner: Pick<Clause, "set" | "kind"> = { set: stringAt(own(sidecarSet, "metadata"), "name") },
): Content {
  const { set } = owner;
  const annotations = get(sidecarSet, "metadata", "annotations");
  const spec = own(sidecarSet, "spec");
  const listOf = <Value>(key: string, read: (item: JsonObject, clause: Clause) => Value): readonly Value[] =>
    listAt(spec, key, { ...owner, path: ["spec"] }).map((item, index) => {
      const clause: Clause = { ...owner, path: ["spec", key, index] };
      return read(objectOf(item, clause), clause);
    });
  // Of two volumes with one name the last one counts (pkg/webhook/pod/mutating/sidecarset.go,
  // getVolumesMapInSidecarSet).
  const volumes = new Map(listOf("volumes", contributionOf).map((volume) => [volume.name, volume]));
  const initContainers = listOf("initContainers", (item, clause) => sidecarOf(item, clause, volumes));
  const containers = listOf("containers", (item, clause) => sidecarOf(item, clause, volumes));
  const listed = [...initContainers.filter(({ isNative }) => isNative), ...containers];
  const records = recordTails({
    set,
    hash: stringAt(annotations, hashAnnotation),
    hashWithoutImage: stringAt(annotations, hashWithoutImageAnnotation),
    controllerRevision: stringAt(own(sidecarSet, "status"), "latestRevision"),
    sidecarList: [...new Set(listed.map(({ name }) => name))].sort(compareBytes),
  });
  const app = appOf(spec, { ...owner, path: ["spec", "app"] }, volumes);
  return {
    ...owner,
    ...(app === undefined ? {} : { app }),
    records,
    names: new Set([...initContainers, ...containers].map(({ name }) => name)),
    metadata: listOf("patchPodMetadata", metadataPatchOf),
    initContainers: initContainers.map((each) => (each.isNative ? each : withoutHotUpgrade(each))),
    containers,
    imagePullSecrets: listOf("imagePullSecrets", contributionOf),
  };
}

// The fields that SidecarContainer adds to a core container (apis/apps/v1beta1/sidecarset_types.go).
const extensions = new Set([
  "podInjectPolicy",
  "upgradeStrategy",
  "shareVolumePolicy",
  "shareVolumeDevicePolicy",
  "transferEnv",
  "resourcesPolicy",
]);

function sidecarOf(item: JsonObject, clause: Clause, volumes: ReadonlyMap<string, Contribution>): Sidecar {
  const name = nameOf(item, clause);
  const own = Object.entries(item).filter(([key]) => !extensions.has(key));
  const env = objectsOf(item, "env", clause);
  const mounts = [...objectsOf(item, "volumeMounts", clause), ...objectsOf(item, "volumeDevices", clause)];
  const policy = get(item, "resourcesPolicy") ?? null;
  const at = (...path: Path): Clause => ({ ...clause, path: [...clause.path, ...path] });
  return {
    name,
    clause,
    container: Object.fromEntries([...own.filter(([key]) => key !== "env"), ["env", [...env, injectedMark]]]),
    envNames: new Set([...env, injectedMark].map((each) => stringAt(each, "name"))),
    isMarkedTwice: env.some((each) => get(each, "name") === injectedMark.name),
    paths: mounts.map((mount) => stringAt(mount, "mountPath") || stringAt(mount, "devicePath")),
    isBefore: get(item, "podInjectPolicy") === "BeforeAppContainer",
    isNative: get(item, "restartPolicy") === "Always",
    ...(get(item, "upgradeStrategy", "upgradeType") === "HotUpgrade"
      ? { hotUpgrade: { emptyImage: stringAt(get(item, "upgradeStrategy"), "hotUpgradeEmptyImage") } }
      : {}),
    sharesMounts: get(item, "shareVolumePolicy", "type") === "enabled",
    sharesDevices: get(item, "shareVolumeDevicePolicy", "type") === "enabled",
    transfers: listAt(item, "transferEnv", clause).map((each, index) =>
      transferOf(objectOf(each, at("transferEnv", index)), at("transferEnv", index)),
    ),
    ...(policy === null
      ? {}
      : {
          resourcesPolicy: resourcesPolicyOf(objectOf(policy, at("resourcesPolicy")), at("resourcesPolicy")),
        }),
    volumes: volumesOf(mounts, volumes),
  };
}

function appOf(
  spec: Json | undefined,
  clause: Clause,
  volumes: ReadonlyMap<string, Contribution>,
): AppAddition | undefined {
  const app = own(spec, "app") ?? null;
  if (clause.kind !== "InjectionPolicy" || app === null) return undefined;
  const item = objectOf(app, clause);
  const volumeMounts = objectsOf(item, "volumeMounts", clause);
  return {
    clause,
    isForInitContainers: own(item, "initContainers") === true,
    env: objectsOf(item, "env", clause),
    volumeMounts,
    volumes: volumesOf(volumeMounts, volumes),
  };
}

function volumesOf(
  mounts: readonly JsonObject[],
  volumes: ReadonlyMap<string, Contribution>,
): Sidecar["volumes"] {
  return mounts.map((mount) => volumes.get(stringAt(mount, "name")) ?? { name: stringAt(mount, "name") });
}

/** A plain init container, which runs only once, is not doubled (pkg/control/sidecarcontrol/util_hotupgrade.go). */
function withoutHotUpgrade(sidecar: Sidecar): Sidecar {
  const { hotUpgrade: _, ...rest } = sidecar;
  return rest;
}

function contributionOf(object: JsonObject, clause: Clause): Contribution {
  return { name: nameOf(object, clause), object, clause };
}

function nameOf(object: JsonObject, clause: Clause): string {
  const name = own(object, "name") ?? "";
  if (typeof name !== "string") throw unreadable(clause, "name", "a string");
  return name;
}

function objectsOf(item: JsonObject, key: string, clause: Clause): readonly JsonObject[] {
  return listAt(item, key, clause).map((each, index) =>
    objectOf(each, { ...clause, path: [...clause.path, key, index] }),
  );
}

function listAt(value: Json | undefined, key: string, clause: Clause): JsonArray {
  const list = own(value, key) ?? [];
  if (!isArray(list)) throw unreadable(clause, key, "a list");
  return list;
}

function objectOf(value: Json, clause: Clause): JsonObject {
  if (!isObject(value)) throw new Unreadable({ clause, message: "must be an object" });
  return value;
}

function unreadable(clause: Clause, key: string, expected: string): Unreadable {
  return new Unreadable({
    clause: { ...clause, path: [...clause.path, key] },
    message: `must be ${expected}`,
  });
}
