import { describe, expect, it } from "vitest";
import { detach } from "../src/conversion/carriers.ts";
import type { Json, JsonObject } from "../src/json/json.ts";
import type { Path } from "../src/json/path.ts";
import { versionIndex } from "../src/kind/kind.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import {
  isUnreadable,
  knownPart,
  namesNoSource,
  unknownMembers,
  withoutSecondSource,
} from "./golden-differences.ts";
import { admit } from "./support/admit.ts";
import { type GoldenCase, goldenCases, normalObject } from "./support/golden.ts";

const kinds = await loadKinds(["webhooks"]);
const kind = kinds.find("apps.kruise.io", "SidecarSet");
if (kind === undefined) throw new Error("there is no kind SidecarSet");
const cases = goldenCases("default").map((each) => [each.name, each] as const);

function mutated({ input }: GoldenCase) {
  const { operation = null, version = null } = input;
  return admit("mutate", kinds, { operation, version, object: input.object as JsonObject });
}

// What the schema fills in is the API server's to add, before us or after: it counts on neither side.
function comparable(object: JsonObject): Json {
  const version = kind?.versions[versionIndex(kind, object.apiVersion) ?? 0];
  return normalObject(version?.defaulted(knownPart(detach(object).object)) ?? object);
}

describe("defaults of SidecarSets are OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    const { input, output } = golden;
    const before = input.object as JsonObject;
    const { response, object } = mutated(golden);
    // What cannot be read is refused by validation, or by the schema before; of another version nobody is served.
    const isOfOurs = versionIndex(kind, before.apiVersion) !== undefined;
    if (isUnreadable(before) || namesNoSource(before) || (output.code === 400 && isOfOurs)) {
      expect([output.allowed, response.allowed]).toEqual([false, true]);
      return;
    }
    expect(response.allowed).toBe(output.allowed);
    const wanted = withoutSecondSource((output.object ?? before) as JsonObject, before);
    expect(comparable(object)).toEqual(comparable(wanted));
    const valueAt = (whole: JsonObject, path: Path) =>
      path.reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], whole);
    for (const path of unknownMembers(before)) expect(valueAt(object, path)).toEqual(valueAt(before, path));
  });

  it.each(cases)("%s: what was filled in stays as it is", (_name, golden) => {
    const { operation = null, version = null } = golden.input;
    const { response, object } = mutated(golden);
    if (response.allowed === true) {
      expect(admit("mutate", kinds, { operation, version, object }).object).toEqual(object);
    }
  });
});
