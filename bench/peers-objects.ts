import { sorted } from "../src/conversion/tree.ts";
import { writeJson } from "../src/json/exact.ts";
import { isArray, type JsonObject } from "../src/json/json.ts";

const group = "home.antechamber.dev";

/**
 * So many different Rooms of v1, each of about so many bytes: seven tenths of what a large one has more are lights with their status
 * and managedFields, two are accessories, the rest is an annotation.
 */
export function rooms(count: number, bytes: number, first = 0): readonly JsonObject[] {
  const size = sizeFor(bytes);
  return Array.from({ length: count }, (_, index) => room(first + index, size));
}

/**
 * The review that asks for objects at a version, as an API server sends it: with an empty response, and with the keys of objects in
 * order, as Go writes maps.
 */
export function conversionReview(version: string, objects: readonly JsonObject[]): JsonObject {
  return {
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: {
      uid: "4b3a0c1e-0000-4000-8000-000000000001",
      desiredAPIVersion: `${group}/${version}`,
      objects: objects.map(sorted),
    },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

/** The objects in the answer to such a review. Throws if it failed. */
export function convertedObjects(answer: JsonObject): readonly JsonObject[] {
  const { convertedObjects, result } = answer.response as JsonObject;
  if ((result as JsonObject).status !== "Success" || !isArray(convertedObjects))
    throw new Error(`the conversion failed: ${writeJson(answer).slice(0, 500)}`);
  return convertedObjects as readonly JsonObject[];
}

interface Size {
  readonly lights: number;
  readonly accessories: number;
  readonly note: number;
}

function sizeFor(bytes: number): Size {
  const least: Size = { lights: 2, accessories: 1, note: 0 };
  const lengthOf = (more: Partial<Size>) => writeJson(room(0, { ...least, ...more })).length;
  const missing = Math.max(0, bytes - lengthOf({}));
  const fitting = (share: number, perItem: number) => Math.floor((missing * share) / perItem);
  const lights = least.lights + fitting(0.7, lengthOf({ lights: 3 }) - lengthOf({}));
  const accessories = least.accessories + fitting(0.2, lengthOf({ accessories: 2 }) - lengthOf({}));
  return { lights, accessories, note: Math.max(0, bytes - lengthOf({ lights, accessories })) };
}

function room(index: number, { lights, accessories, note }: Size): JsonObject {
  const names = Array.from({ length: lights }, (_, light) => `lamp-${light}`);
  const brightness = (light: number) => ((index * 7 + light * 13) % 101) / 100;
  return {
    apiVersion: `${group}/v1`,
    kind: "Room",
    metadata: {
      name: `room-${index}`,
      namespace: "home",
      uid: `4b3a0c1e-0000-4000-8000-${String(index).padStart(12, "0")}`,
      generation: 3,
      resourceVersion: String(100_000 + index),
      creationTimestamp: "2026-03-01T08:15:30Z",
      labels: { "app.kubernetes.io/part-of": "home", wing: index % 2 === 0 ? "north" : "south" },
      annotations: {
        [`${group}/default-transition`]: "400ms",
        ...(note === 0 ? {} : { [`${group}/note`]: "warm ".repeat(note / 5) }),
      },
      managedFields: [managedFields(names)],
    },
    spec: {
      lights: names.map((name, light) => ({
        name,
        brightness: brightness(light),
        color: (index + light) % 2 === 0 ? { kelvin: 2000 + 100 * (light % 40) } : { rgb: "#ffaa00" },
        transition: light % 2 === 0 ? "300ms" : "1.5s",
      })),
      locks: [
        { name: "front", state: "Locked" },
        { name: "back", state: index % 2 === 0 ? "Locked" : "Unlocked" },
      ],
      climate: { targetCelsius: 15.5 + (index % 10), mode: "Heat" },
      location: { floor: index % 5, building: "west" },
      accessories: Array.from({ length: accessories }, (_, accessory) => ({
        vendor: accessory % 2 === 0 ? "acme" : "lumen",
        model: `m-${index}-${accessory}`,
        options: { delay: (index + accessory) % 100, zones: [1, 2, 3], eco: true },
      })),
    },
    status: {
      observedGeneration: 3,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "AllLightsSet",
          message: `${lights} of ${lights} lights are as asked`,
          lastTransitionTime: "2026-03-01T08:16:02Z",
          observedGeneration: 3,
        },
      ],
      lights: names.map((name, light) => ({ name, currentBrightness: brightness(light) })),
    },
  };
}

/** Of a client that applied all lights: about a third of an object, as of real ones. */
function managedFields(names: readonly string[]): JsonObject {
  const owned = names.map((name) => [
    `k:{"name":"${name}"}`,
    { ".": {}, "f:brightness": {}, "f:name": {}, "f:transition": {} },
  ]);
  return {
    manager: "kubectl-client-side-apply",
    operation: "Update",
    apiVersion: `${group}/v1`,
    time: "2026-03-01T08:15:30Z",
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:metadata": { "f:labels": { ".": {}, "f:wing": {} } },
      "f:spec": { "f:climate": { "f:mode": {} }, "f:lights": Object.fromEntries(owned) },
    },
  };
}
