import { createHash } from "node:crypto";
import { get, isArray, isObject, type Json, type JsonObject, set } from "antechamber";
import { writeGo } from "./go-type.ts";
import { sidecarContainer } from "./recorded-types.ts";

/**
 * The hash by which Kruise recognises pods that are up to date with a SidecarSet: of its containers, and of the init
 * containers if one of them is a native sidecar (pkg/control/sidecarcontrol/hash.go, SidecarSetHashV1beta1). It is the same
 * for both versions.
 */
export function hashOf(sidecarSet: JsonObject): string {
  return hashOfText(encodedOf(sidecarSet));
}

/** The hash without images, which may change in a running pod (SidecarSetHashWithoutImageV1beta1). */
export function hashWithoutImageOf(sidecarSet: JsonObject): string {
  return hashOfText(encoded(sidecarSet, withoutImage));
}

/** The JSON text that is hashed. */
export function encodedOf(sidecarSet: JsonObject): string {
  return encoded(sidecarSet, (container) => container);
}

/** Whether an init container is a native sidecar, which keeps running beside the containers. */
function isNativeSidecar(initContainer: Json): boolean {
  return get(initContainer, "restartPolicy") === "Always";
}

/**
 * Maps every character to one of 27 letters and digits, by its code modulo 27 (apimachinery, util/rand,
 * SafeEncodeString).
 */
function safeEncoded(text: string): string {
  return [...text].map((each) => alphabet[(each.codePointAt(0) ?? 0) % alphabet.length]).join("");
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

function encoded(sidecarSet: JsonObject, map: (container: Json) => Json): string {
  const [containers, initContainers] = ["containers", "initContainers"].map((name) => {
    const list = get(sidecarSet, "spec", name);
    return isArray(list) ? list.map(map) : undefined;
  });
  const write = (list: Json | undefined) => writeGo({ list: sidecarContainer }, list);
  const native = initContainers?.some(isNativeSidecar) ? `,"initContainers":${write(initContainers)}` : "";
  return `{"containers":${write(containers)}${native}}`;
}

function withoutImage(container: Json): Json {
  return isObject(container) ? set(container, "image", undefined) : container;
}

function hashOfText(text: string): string {
  return safeEncoded(createHash("sha256").update(text).digest("hex"));
}
