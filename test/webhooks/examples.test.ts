import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diff } from "../../src/admission/patch.ts";
import { detach } from "../../src/conversion/carriers.ts";
import { image } from "../../src/conversion/version-chain.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isArray, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";
import { type RunningService, startService } from "../support/service.ts";

const kinds = await loadKinds(["webhooks"]);
const journeys = kinds.all.flatMap((kind) =>
  kind.examples.flatMap((example) =>
    kind.versions.flatMap((version, there) =>
      there === example.version
        ? []
        : [{ kind, ...example, version, there, name: path.relative("webhooks", example.file) }],
    ),
  ),
);

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function converted(object: Json, desiredAPIVersion: Json): Promise<JsonObject> {
  const request = { uid: "there-and-back", desiredAPIVersion, objects: [object] };
  const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
  const { body } = await service.post("/convert", writeJson(review));
  const objects = get(parseJson(body), "response", "convertedObjects");
  return (isArray(objects) ? objects[0] : null) as JsonObject;
}

describe("every example survives a round trip", () => {
  it.each(journeys)("$name through $version.name", async ({ object, version }) => {
    const there = await converted(object, version.apiVersion);
    const back = await converted(there, object.apiVersion as Json);
    expect(there.apiVersion).toBe(version.apiVersion);
    expect(detach(back).object).toEqual(object);
  });

  it("each kind has at least six examples for each version", () => {
    const counts = kinds.all.flatMap((kind) =>
      kind.versions.map((_, version) => kind.examples.filter((each) => each.version === version).length),
    );
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(6);
  });
});

it("what the lenses alone would lose of the examples is listed, and nothing else", () => {
  const losses: Record<string, Json> = {};
  for (const { kind, object, version, there, name } of journeys) {
    const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
    const from = kind.versions.findIndex((each) => each.apiVersion === object.apiVersion);
    const back = image(image(content, kind.chain, from, there), kind.chain, there, from);
    const lost = diff(content, back).map((each) => `${each.op} ${each.path}`);
    if (lost.length > 0) losses[`${name} through ${version.name}`] = lost;
  }
  const file = "test/cases/home-losses.yaml";
  const header =
    "# What two plain functions a version would lose of the examples, there and back, as a JSON Patch would\n# tell it. The complement carries all of it. RECORD=1 makes this file when it is not there.\n";
  if (process.env.RECORD === "1" && !existsSync(file)) writeFileSync(file, header + writeYaml(losses));
  expect(losses).toEqual(readYaml(readFileSync(file, "utf8"))[0]?.value);
});
