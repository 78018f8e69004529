import { isArray, type JsonObject, own, set } from "antechamber";

/**
 * The two containers that are injected for one, so that it is updated without interruption: one works, one waits
 * (OpenKruise, pkg/webhook/pod/mutating/sidecarset_hotupgrade.go, injectHotUpgradeContainers).
 */
interface Pair {
  readonly working: JsonObject;
  readonly waiting: JsonObject;
  /** The annotations from which each container reads its version. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

/** Doubles a container; the waiting one gets the empty image, or no image if the SidecarSet names none. */
export function pairOf(name: string, container: JsonObject, emptyImage: string): Pair {
  const [working, waiting] = namesOf(name);
  return {
    working: versioned(container, working),
    waiting: set(versioned(container, waiting), "image", emptyImage === "" ? undefined : emptyImage),
    annotations: [
      [versionKey(working), "1"],
      [alternateKey(working), "0"],
      [versionKey(waiting), "0"],
      [alternateKey(waiting), "1"],
    ],
  };
}

/** The names of the two; the first one is the working one at first. */
export function namesOf(name: string): readonly [working: string, waiting: string] {
  return [`${name}-1`, `${name}-2`];
}

function versioned(container: JsonObject, name: string): JsonObject {
  const env = own(container, "env");
  const more = [
    fromAnnotation("SIDECARSET_VERSION", versionKey(name)),
    fromAnnotation("SIDECARSET_VERSION_ALT", alternateKey(name)),
  ];
  return { ...container, name, env: [...(isArray(env) ? env : []), ...more] };
}

function fromAnnotation(name: string, key: string): JsonObject {
  return { name, valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${key}']` } } };
}

function versionKey(container: string): string {
  return `version.sidecarset.kruise.io/${container}`;
}

function alternateKey(container: string): string {
  return `versionalt.sidecarset.kruise.io/${container}`;
}
