import { compareBytes } from "../../../src/go/text.ts";
import {
  get,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
} from "../../../src/json/json.ts";
import type { Path } from "../../../src/json/path.ts";
import { hashAnnotation, hashWithoutImageAnnotation } from "../../kruise/sidecarset/hash.ts";
import { type Clause, Unreadable } from "./clause.ts";
import { textAt } from "./json-text.ts";
import { type MetadataPatch, metadataPatchOf } from "./metadata.ts";
import { type RecordTails, recordTails } from "./records.ts";
import { type ResourcesPolicy, resourcesPolicyOf } from "./resources.ts";
import { type Transfer, transferOf } from "./transfer.ts";

/** What one spec of a SidecarSet, the current one or a restored one, puts into pods: made once, not for each pod. */
export interface Content {
  readonly set: string;
  /** Names of all containers and init containers, as the spec has them. */
  readonly names: ReadonlySet<string>;
  readonly records: RecordTails;
  readonly metadata: readonly MetadataPatch[];
  readonly initContainers: readonly Sidecar[];
  readonly containers: readonly Sidecar[];
  readonly imagePullSecrets: readonly Asked[];
}

/** An object that a clause asks for: a volume, a secret. */
export interface Asked {
  readonly name: string;
  readonly object: JsonObject;
  readonly clause: Clause;
}

/** A container of a SidecarSet. */
export interface Sidecar {
  readonly name: string;
  readonly clause: Clause;
  /** Without what only a SidecarSet says of it, with `IS_INJECTED` among its env: what a pod gets that changes nothing of it. */
  readonly container: JsonObject;
  readonly envNames: ReadonlySet<string>;
  /** Whether it had the mark already, before it was marked. */
  readonly isMarkedTwice: boolean;
  /** Paths of its own mounts and devices. */
  readonly paths: readonly string[];
  readonly isBefore: boolean;
  readonly isNative: boolean;
  /** Present where the container is doubled, to be updated without a gap. */
  readonly hotUpgrade?: { readonly emptyImage: string };
  readonly sharesMounts: boolean;
  readonly sharesDevices: boolean;
  readonly transfers: readonly Transfer[];
  readonly resourcesPolicy?: ResourcesPolicy;
  /** The volumes that it mounts, in order; those that the SidecarSet does not define have no object. */
  readonly volumes: readonly (Asked | { readonly name: string })[];
}

/** The env that marks a container as injected. */
export const injectedMark: JsonObject = { name: "IS_INJECTED", value: "true" };

/** Prepares what a SidecarSet injects. Throws Unreadable where its spec is not of the API's types. */
export function contentOf(sidecarSet: JsonObject): Content {
  const set = textAt(own(sidecarSet, "metadata"), "name");
  const annotations = get(sidecarSet, "metadata", "annotations");
  const spec = own(sidecarSet, "spec");
  const listOf = <Value>(key: string, read: (item: JsonObject, clause: Clause) => Value): readonly Value[] =>
    listAt(spec, key, { set, path: ["spec"] }).map((item, index) =>
      read(objectOf(item, { set, path: ["spec", key, index] }), { set, path: ["spec", key, index] }),
    );
  // Of two volumes with one name the last counts (sidecarset.md 7).
  const volumes = new Map(listOf("volumes", askedOf).map((volume) => [volume.name, volume]));
  const initContainers = listOf("initContainers", (item, clause) => sidecarOf(item, clause, volumes));
  const containers = listOf("containers", (item, clause) => sidecarOf(item, clause, volumes));
  const listed = [...initContainers.filter(({ isNative }) => isNative), ...containers];
  const records = recordTails({
    set,
    hash: textAt(annotations, hashAnnotation),
    hashWithoutImage: textAt(annotations, hashWithoutImageAnnotation),
    controllerRevision: textAt(own(sidecarSet, "status"), "latestRevision"),
    sidecarList: [...new Set(listed.map(({ name }) => name))].sort(compareBytes),
  });
  return {
    set,
    records,
    names: new Set([...initContainers, ...containers].map(({ name }) => name)),
    metadata: listOf("patchPodMetadata", metadataPatchOf),
    initContainers: initContainers.map((each) => (each.isNative ? each : withoutHotUpgrade(each))),
    containers,
    imagePullSecrets: listOf("imagePullSecrets", askedOf),
  };
}

// What only a SidecarSet says of a container (sidecarset.md 1.1).
const extensions = new Set([
  "podInjectPolicy",
  "upgradeStrategy",
  "shareVolumePolicy",
  "shareVolumeDevicePolicy",
  "transferEnv",
  "resourcesPolicy",
]);

function sidecarOf(item: JsonObject, clause: Clause, volumes: ReadonlyMap<string, Asked>): Sidecar {
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
    envNames: new Set([...env, injectedMark].map((each) => textAt(each, "name"))),
    isMarkedTwice: env.some((each) => get(each, "name") === injectedMark.name),
    paths: mounts.map((mount) => textAt(mount, "mountPath") || textAt(mount, "devicePath")),
    isBefore: get(item, "podInjectPolicy") === "BeforeAppContainer",
    isNative: get(item, "restartPolicy") === "Always",
    ...(get(item, "upgradeStrategy", "upgradeType") === "HotUpgrade"
      ? { hotUpgrade: { emptyImage: textAt(get(item, "upgradeStrategy"), "hotUpgradeEmptyImage") } }
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
    volumes: mounts.map((mount) => volumes.get(textAt(mount, "name")) ?? { name: textAt(mount, "name") }),
  };
}

/** Only containers that run on are doubled; a plain init container is not (sidecarset.md 2.9). */
function withoutHotUpgrade(sidecar: Sidecar): Sidecar {
  const { hotUpgrade: _, ...rest } = sidecar;
  return rest;
}

function askedOf(object: JsonObject, clause: Clause): Asked {
  return { name: nameOf(object, clause), object, clause };
}

function nameOf(object: JsonObject, clause: Clause): string {
  const name = own(object, "name") ?? "";
  if (typeof name !== "string") throw unreadable(clause, "name", "a text");
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
  if (!isObject(value)) throw new Unreadable({ clause, sentence: "must be an object" });
  return value;
}

function unreadable(clause: Clause, key: string, expected: string): Unreadable {
  return new Unreadable({
    clause: { ...clause, path: [...clause.path, key] },
    sentence: `must be ${expected}`,
  });
}
