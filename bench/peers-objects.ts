import { writeJson } from "../src/json/exact.ts";
import { isArray, type JsonObject } from "../src/json/json.ts";

const group = "home.antechamber.dev";

/** So many different Rooms of v1, each of about so many bytes: lights, their status and managedFields grow with the size. */
export function rooms(count: number, bytes: number, first = 0): readonly JsonObject[] {
  const lights = lightsFor(bytes);
  return Array.from({ length: count }, (_, index) => room(first + index, lights));
}

/** The review that asks for objects at a version, as an API server sends it: with an empty response. */
export function conversionReview(version: string, objects: readonly JsonObject[]): JsonObject {
  return {
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: {
      uid: "4b3a0c1e-0000-4000-8000-000000000001",
      desiredAPIVersion: `${group}/${version}`,
      objects: [...objects],
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

function lightsFor(bytes: number): number {
  const [one, two] = [1, 2].map((lights) => writeJson(room(0, lights)).length);
  const perLight = (two ?? 0) - (one ?? 0);
  return Math.max(1, Math.round((bytes - (one ?? 0)) / perLight) + 1);
}

function room(index: number, lights: number): JsonObject {
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
      annotations: { [`${group}/default-transition`]: "400ms" },
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
      accessories: [
        { vendor: "acme", model: `m-${index}`, options: { delay: index % 100, zones: [1, 2, 3], eco: true } },
      ],
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
