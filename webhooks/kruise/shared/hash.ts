import { createHash } from "node:crypto";
import { get, isArray, isObject, type Json, type JsonObject, set } from "antechamber";
import { writeGo } from "./go-type.ts";
import { sidecarContainer } from "./recorded-types.ts";

/**
 * The hash by which Kruise tells whether a pod has what a SidecarSet says now (sidecarset.md 2.11): of its containers,
 * and of the init containers if one of them stays. Of both versions the same.
 */
export function hashOf(sidecarSet: JsonObject): string {
  return hashOfText(encodedOf(sidecarSet));
}

/** The same without images, which may change in a running pod. */
export function hashWithoutImageOf(sidecarSet: JsonObject): string {
  return hashOfText(encoded(sidecarSet, withoutImage));
}

/** The text that is hashed. */
export function encodedOf(sidecarSet: JsonObject): string {
  return encoded(sidecarSet, (container) => container);
}

/** Whether a container of a SidecarSet is an init container that stays. */
export function isNativeSidecar(initContainer: Json): boolean {
  return get(initContainer, "restartPolicy") === "Always";
}

/** Letters and digits that say nothing rude and are not mistaken for others, by what is left of a character's code. */
export function safeEncoded(text: string): string {
  return [...text].map((each) => alphabet[(each.codePointAt(0) ?? 0) % alphabet.length]).join("");
}

// k8s.io/apimachinery, util/rand: the letters of generated names.
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

function encoded(sidecarSet: JsonObject, told: (container: Json) => Json): string {
  const [containers, initContainers] = ["containers", "initContainers"].map((name) => {
    const list = get(sidecarSet, "spec", name);
    return isArray(list) ? list.map(told) : undefined;
  });
  const write = (list: Json | undefined) => writeGo({ list: sidecarContainer }, list);
  const stays = initContainers?.some(isNativeSidecar) ? `,"initContainers":${write(initContainers)}` : "";
  return `{"containers":${write(containers)}${stays}}`;
}

function withoutImage(container: Json): Json {
  return isObject(container) ? set(container, "image", undefined) : container;
}

function hashOfText(text: string): string {
  return safeEncoded(createHash("sha256").update(text).digest("hex"));
}
