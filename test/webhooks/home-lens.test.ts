import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { image } from "../../src/conversion/version-chain.ts";
import { isObject, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/json/yaml.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";

const kinds = await loadKinds(["webhooks"]);
const cases = readYaml(readFileSync("test/cases/home-lens.yaml", "utf8"))[0]?.value as readonly JsonObject[];

it.each(cases.map((each) => [JSON.stringify(each), each] as const))("%s", (_name, given) => {
  const kind = kinds.find("home.antechamber.dev", String(given.kind));
  if (kind === undefined) throw new Error(`no kind ${given.kind}`);
  const [source, from, to] = isObject(given.up) ? [given.up, 0, 1] : [given.down as JsonObject, 1, 0];
  expect(image(source, kind.chain, from, to)).toEqual(given.gives);
});
