import { isArray, type Json, type JsonObject, own } from "antechamber";
import { cacheText } from "antechamber/json";
import { stringAt } from "../../kruise/shared/read.ts";
import type { Clause, Fault } from "./clause.ts";
import type { Sidecar } from "./content.ts";
import type { Detail } from "./planned.ts";
import type { PodView, Shareable } from "./pod-view.ts";
import { computeResources, resourcesOf } from "./resources.ts";
import { transferred } from "./transfer.ts";

/** A sidecar as it is added to a pod, and which parts of it come from the pod. */
export interface BuiltSidecar {
  readonly container: JsonObject;
  readonly details: readonly Detail[];
}

/** What building sidecars for one pod depends on. */
export interface BuildContext {
  readonly pod: PodView;
  /** The pod's annotations, including those of `patchPodMetadata`. */
  readonly annotations: ReadonlyMap<string, string>;
  /** Names of all containers of all SidecarSets that match. */
  readonly names: () => ReadonlySet<string>;
  readonly wholeBytes: boolean;
  readonly note: (clause: Clause, message: string) => void;
}

/** Builds a sidecar for a pod, with the env, mounts, devices and resources that it derives from the pod. */
export function buildSidecar(
  sidecar: Sidecar,
  context: BuildContext,
): BuiltSidecar | { readonly fault: Fault } {
  const resources = resourcesFor(sidecar, context);
  if ("fault" in resources) return resources;
  const { pod } = context;
  const { container, clause } = sidecar;
  const mounts = sidecar.sharesMounts ? free(pod.mounts(), sidecar.paths) : [];
  const devices = sidecar.sharesDevices
    ? free(pod.devices(), [...sidecar.paths, ...mounts.map(({ path }) => path)])
    : [];
  const env = envFor(sidecar, context);
  if (mounts.length + devices.length + env.length === 0 && resources.built === undefined) {
    return { container: cacheText(container), details: [] };
  }
  return {
    container: {
      ...container,
      ...resources.built,
      ...appended(
        container,
        "env",
        env.map(({ entry }) => entry),
      ),
      ...appended(
        container,
        "volumeMounts",
        mounts.map(({ object }) => object),
      ),
      ...appended(
        container,
        "volumeDevices",
        devices.map(({ object }) => object),
      ),
    },
    details: [
      ...env.map((each) => ({
        what: `env ${stringAt(each.entry, "name")}`,
        from: each.from,
        clause: each.clause,
      })),
      ...mounts.map((each) => sharedDetail("mount", each, "shareVolumePolicy", clause)),
      ...devices.map((each) => sharedDetail("device", each, "shareVolumeDevicePolicy", clause)),
      ...resources.details,
    ],
  };
}

interface AddedEnv {
  readonly entry: Json;
  readonly from: string;
  readonly clause: Clause;
}

/** Transferred env comes before that of shared mounts; a name that exists already stays as it is. */
function envFor(sidecar: Sidecar, { pod, annotations, note }: BuildContext): readonly AddedEnv[] {
  if (sidecar.transfers.length === 0 && !sidecar.sharesMounts) return [];
  const moved = transferred(sidecar.transfers, pod, annotations, ({ clause }, name, container) =>
    note(
      clause,
      container === ""
        ? `no container to take env ${name} from`
        : `container ${container} has no env ${name}`,
    ),
  ).map(({ entry, container, clause }) => ({ entry, from: `of container ${container}`, clause }));
  // OpenKruise adds these even for mounts that it leaves out because their path is taken.
  const named = (sidecar.sharesMounts ? pod.namedEnv() : []).map(({ entry, container, path }) => ({
    entry,
    from: `of container ${container}, for the subPathExpr of ${path}`,
    clause: within(sidecar.clause, "shareVolumePolicy"),
  }));
  const names = new Set(sidecar.envNames);
  return [...moved, ...named].filter(({ entry }) => {
    const name = stringAt(entry, "name");
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

/**
 * The mounts or devices whose path is still free; paths are compared as strings (util.MergeVolumeMounts of OpenKruise).
 */
function free(shareables: readonly Shareable[], paths: readonly string[]): readonly Shareable[] {
  const taken = new Set(paths);
  return shareables.filter(({ path }) => {
    if (taken.has(path)) return false;
    taken.add(path);
    return true;
  });
}

function appended(container: JsonObject, key: string, more: readonly Json[]): JsonObject {
  if (more.length === 0) return {};
  const list = own(container, key);
  return { [key]: [...(isArray(list) ? list : []), ...more] };
}

function sharedDetail(what: string, { path, container }: Shareable, field: string, clause: Clause): Detail {
  return { what: `${what} ${path}`, from: `of container ${container}`, clause: within(clause, field) };
}

function within(clause: Clause, key: string): Clause {
  return { ...clause, path: [...clause.path, key] };
}

type ResourcesFor =
  | { readonly built: JsonObject | undefined; readonly details: readonly Detail[] }
  | { readonly fault: Fault };

function resourcesFor(sidecar: Sidecar, { pod, names, wholeBytes }: BuildContext): ResourcesFor {
  const { resourcesPolicy } = sidecar;
  if (resourcesPolicy === undefined) return { built: undefined, details: [] };
  const { clause } = resourcesPolicy;
  const computed = computeResources(resourcesPolicy, pod, names(), { wholeBytes });
  if ("fault" in computed) return { fault: { clause, message: computed.fault } };
  return {
    built: { resources: resourcesOf(computed) },
    details: computed.map(({ rule, amount }) => ({
      what: `resources.${rule.list}.${rule.resource} ${amount}`,
      from: `by ${rule.text}`,
      clause,
    })),
  };
}
