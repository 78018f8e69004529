import { describe, expect, it } from "vitest";
import { fieldInSpoke, fieldsInSpoke } from "../../src/conversion/field.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { fieldOf, type Path } from "../../src/json/path.ts";
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
