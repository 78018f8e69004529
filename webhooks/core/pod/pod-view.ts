import { get, isArray, isObject, type Json, type JsonObject, own } from "antechamber";
import { stringAt } from "../../kruise/shared/read.ts";

/** A mount or device of the pod that sidecars may share. */
export interface Shareable {
  readonly object: JsonObject;
  /** Its `mountPath` or `devicePath`. */
  readonly path: string;
  readonly container: string;
}

/** An env entry that the `subPathExpr` of a shared mount refers to. */
interface NamedEnv {
  readonly name: string;
  readonly entry: Json;
  readonly container: string;
  /** The path of the mount. */
  readonly path: string;
}

/** Lookups in a pod as it came in, each computed once and on first use. */
export class PodView {
  readonly pod: JsonObject;
  readonly labels: Json | undefined;
  readonly containers: readonly JsonObject[];
  readonly initContainers: readonly JsonObject[];
  #volumes: ReadonlyMap<string, JsonObject> | undefined;
  #env: ReadonlyMap<string, ReadonlyMap<string, Json>> | undefined;
  #mounts: readonly Shareable[] | undefined;
  #devices: readonly Shareable[] | undefined;
  #namedEnv: readonly NamedEnv[] | undefined;

  constructor(pod: JsonObject) {
    this.pod = pod;
    this.labels = get(pod, "metadata", "labels");
    this.containers = objectsAt(own(pod, "spec"), "containers");
    this.initContainers = objectsAt(own(pod, "spec"), "initContainers");
  }

  /** The volume of a name. */
  volume(name: string): JsonObject | undefined {
    this.#volumes ??= new Map(
      objectsAt(own(this.pod, "spec"), "volumes").map((each) => [stringAt(each, "name"), each]),
    );
    return this.#volumes.get(name);
  }

  /** An env entry of a container; of two with one name the last one counts. */
  envOf(container: string, name: string): Json | undefined {
    this.#env ??= envByContainer(this.containers);
    return this.#env.get(container)?.get(name);
  }

  /**
   * The mounts of all containers that were not injected (pkg/control/sidecarcontrol/util.go,
   * GetInjectedVolumeMountsAndEnvs).
   */
  mounts(): readonly Shareable[] {
    this.#mounts ??= shareables(this.containers, "volumeMounts", "mountPath");
    return this.#mounts;
  }

  /** The env entries that the subPathExpr of these mounts name; of one name the first one counts. */
  namedEnv(): readonly NamedEnv[] {
    this.#namedEnv ??= envOfPaths(this.containers);
    return this.#namedEnv;
  }

  /** The devices of all containers that were not injected. */
  devices(): readonly Shareable[] {
    this.#devices ??= shareables(this.containers, "volumeDevices", "devicePath");
    return this.#devices;
  }
}

/** Whether a container was injected: its first env entry of the name `IS_INJECTED` is `true`. */
export function isInjected(container: JsonObject): boolean {
  return stringAt(firstEnv(container, "IS_INJECTED"), "value") === "true";
}

function envByContainer(containers: readonly JsonObject[]): ReadonlyMap<string, ReadonlyMap<string, Json>> {
  const found = new Map<string, Map<string, Json>>();
  for (const container of containers) {
    const name = stringAt(container, "name");
    const env = found.get(name) ?? new Map<string, Json>();
    for (const entry of objectsAt(container, "env")) env.set(stringAt(entry, "name"), entry);
    found.set(name, env);
  }
  return found;
}

function shareables(
  containers: readonly JsonObject[],
  list: "volumeMounts" | "volumeDevices",
  path: "mountPath" | "devicePath",
): readonly Shareable[] {
  return containers
    .filter((container) => !isInjected(container))
    .flatMap((container) =>
      objectsAt(container, list).map((object) => ({
        object,
        path: stringAt(object, path),
        container: stringAt(container, "name"),
      })),
    );
}

// An escaped `$$(X)` counts as a reference too, as in OpenKruise (pkg/control/sidecarcontrol/util.go,
// SubPathExprEnvReg).
const reference = /\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)/g;

function envOfPaths(containers: readonly JsonObject[]): readonly NamedEnv[] {
  const found = new Map<string, NamedEnv>();
  for (const container of containers) {
    if (isInjected(container)) continue;
    // Of one name the first entry counts, unlike in `envOf`; in a map, since paths may name many.
    const env = new Map(
      objectsAt(container, "env")
        .toReversed()
        .map((entry) => [stringAt(entry, "name"), entry]),
    );
    for (const mount of objectsAt(container, "volumeMounts")) {
      for (const [, name = ""] of stringAt(mount, "subPathExpr").matchAll(reference)) {
        const entry = env.get(name);
        if (entry === undefined || found.has(name)) continue;
        const path = stringAt(mount, "mountPath");
        found.set(name, { name, entry, container: stringAt(container, "name"), path });
      }
    }
  }
  return [...found.values()];
}

function firstEnv(container: JsonObject, name: string): JsonObject | undefined {
  return objectsAt(container, "env").find((entry) => isObject(entry) && stringAt(entry, "name") === name);
}

/** The objects of the list under a key; other items are left out. Without a list there are none. */
function objectsAt(value: Json | undefined, key: string): readonly JsonObject[] {
  const list = own(value, key);
  return isArray(list) ? list.filter(isObject) : [];
}
