import { isArray, type JsonObject, own, set } from "antechamber";

/** The two containers that stand for one, so that it is updated without a gap: one works, one waits (sidecarset.md 2.9). */
export interface Pair {
  readonly working: JsonObject;
  readonly waiting: JsonObject;
  /** Annotations that tell each of them which version it is. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

/** Doubles a container; the one that waits has the empty image, or none where there is none. */
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

/** The names of the two: the first one works at first. */
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
