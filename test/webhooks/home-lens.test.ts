import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/json/yaml.ts";
import { fromHub, toHub } from "../../src/kind.ts";
import { loadKinds } from "../../src/kinds.ts";

const kinds = await loadKinds(["webhooks"]);
const cases = readYaml(readFileSync("test/cases/home-lens.yaml", "utf8"))[0]?.value as readonly JsonObject[];

it.each(cases.map((each) => [JSON.stringify(each), each] as const))("%s", (_name, given) => {
  const kind = kinds.find("home.antechamber.dev", String(given.kind));
  if (kind === undefined) throw new Error(`no kind ${given.kind}`);
  const [source, way, version] = isObject(given.up)
    ? [given.up, toHub, "v1beta1"]
    : [given.down as JsonObject, fromHub, "v1"];
  const head = (name: string): JsonObject => ({
    apiVersion: `home.antechamber.dev/${name}`,
    kind: given.kind as Json,
    metadata: { name: "x" },
  });
  const converted = way(kind, { ...head(version), ...source }, 0);
  expect(converted).toEqual({
    ...head(version === "v1" ? "v1beta1" : "v1"),
    ...(get(given, "gives") as JsonObject),
  });
});
