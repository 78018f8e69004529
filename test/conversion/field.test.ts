import { describe, expect, it } from "vitest";
import { fieldInSpoke, fieldsInSpoke } from "../../src/conversion/field.ts";
import { isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { fieldOf, type Path } from "../../src/json/path.ts";
import { toHub, versionIndex } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";

const kinds = await loadKinds(["webhooks"]);

const room: JsonObject = {
  apiVersion: "home.antechamber.dev/v1",
  kind: "Room",
  metadata: { name: "kitchen" },
  spec: {
    climate: { targetCelsius: 21.5, mode: "Auto" },
    location: { building: "Main house" },
    lights: [
      { name: "ceiling", brightness: 0.5, transition: "2s" },
      { name: "stove", brightness: 0.5, color: { kelvin: 2700 } },
    ],
    locks: [{ name: "door" }],
  },
};

/** The field of v1beta1 for a place in the room above; `-` where there is none. */
function wordFor(...path: Path): string {
  const kind = kinds.find("home.antechamber.dev", "Room");
  if (kind === undefined) throw new Error("there is no Room");
  const found = fieldInSpoke(room, path, kind.chain, 0);
  return found === undefined ? "-" : fieldOf(found);
}

describe("a field of the hub, in the words of a spoke", () => {
  it("is the one that shows something else when it is another", () => {
    expect(wordFor("spec", "climate", "targetCelsius")).toBe("spec.temperature");
    expect(wordFor("spec", "lights", 1, "name")).toBe("spec.lights[1]");
    expect(wordFor("spec", "lights", 1, "brightness")).toBe("spec.brightness");
    expect(wordFor("spec", "lights")).toBe("spec.lights");
    expect(wordFor("spec", "climate")).toBe("spec.temperature");
    expect(wordFor("spec")).toBe("spec");
  });

  it("is found for what is missing, too", () => {
    expect(wordFor("spec", "location", "floor")).toBe("spec.floor");
  });

  it("is none where the spoke has no word", () => {
    for (const path of [
      ["spec", "climate", "mode"],
      ["spec", "lights", 1, "color", "kelvin"],
      ["spec", "lights", 0, "transition"],
      ["spec", "nothing", "of", "this"],
      ["spec", "lights", 7, "name"],
    ]) {
      expect(wordFor(...path)).toBe("-");
    }
  });
});

describe("the field of an object or list", () => {
  const examples = kinds.all.flatMap((kind) =>
    kind.examples.map(({ file, object }) => [file, kind, object] as const),
  );

  it.each(examples)("is never a part of that field: %s", (_file, kind, object) => {
    const version = versionIndex(kind, object.apiVersion) ?? 0;
    const hub = toHub(kind, object, version);
    for (const [spoke] of kind.versions.slice(0, -1).entries()) {
      for (const path of pathsOf(hub.spec ?? null, ["spec"])) {
        const found = fieldInSpoke(hub, path, kind.chain, spoke) ?? [];
        expect({ path, found, isBelow: isBelow(found, path) }).toEqual({ path, found, isBelow: false });
      }
    }
  });

  it("with one member is the object or list itself where the versions agree", () => {
    const kind = kinds.find("apps.kruise.io", "SidecarSet");
    if (kind === undefined) throw new Error("there is no SidecarSet");
    const spec = {
      injectionStrategy: { revision: { policy: "Always" } },
      containers: [{ name: "a" }, { name: "b", transferEnv: [{ envNames: ["X"] }] }],
      patchPodMetadata: [{ annotations: { a: "" } }],
    };
    const object: JsonObject = { apiVersion: "apps.kruise.io/v1beta1", kind: "SidecarSet", spec };
    for (const path of pathsOf(spec, ["spec"])) {
      expect(fieldInSpoke(object, path, kind.chain, 0)).toEqual(path);
    }
  });
});

/** The paths of a value and of everything in it. */
function pathsOf(value: Json, path: Path): readonly Path[] {
  const inner = isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([step, each]) => pathsOf(each, [...path, step]))];
}

function isBelow(path: Path, above: Path): boolean {
  return path.length > above.length && above.every((step, index) => step === path[index]);
}

it("the fields of a room with as many faults as lights are found in the time of a few conversions", () => {
  const kind = kinds.find("home.antechamber.dev", "Room");
  if (kind === undefined) throw new Error("there is no Room");
  const lights = Array.from({ length: 20_000 }, (_, at) => ({ name: `l${at}`, brightness: 0.5 }));
  const find = fieldsInSpoke({ spec: { lights, location: { building: "x" } } }, kind.chain, 0);
  for (const at of lights.keys()) {
    expect(find(["spec", "lights", at, "name"])).toEqual(["spec", "lights", at]);
  }
  expect(find(["spec", "location", "building"])).toBeUndefined();
});
