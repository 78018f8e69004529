import { describe, expect, it } from "vitest";
import { unload } from "../src/conversion/carriers.ts";
import { convert } from "../src/conversion/convert.ts";
import type { JsonObject } from "../src/json/json.ts";
import { versionIndex } from "../src/kind.ts";
import { loadKinds } from "../src/kinds.ts";
import { goldenCases, normalObject } from "./support/golden.ts";

const kinds = await loadKinds(["webhooks"]);
const kind = kinds.find("apps.kruise.io", "SidecarSet");
if (kind === undefined) throw new Error("there is no kind SidecarSet");
const { ladder } = kind;
const cases = goldenCases("convert").map((each) => [each.name, each] as const);

describe("conversion of SidecarSets", () => {
  it.each(cases)("%s", (_name, { input, output }) => {
    const object = input.object as JsonObject;
    const [from, to] = [object.apiVersion, input.desiredAPIVersion].map((each) => versionIndex(kind, each));
    if (output.status !== "Success") return;
    if (from === undefined || to === undefined) throw new Error("versions");
    const answer = unload(convert(object, ladder, from, to)).object;
    expect(normalObject(answer)).toEqual(normalObject(output.object as JsonObject));
  });
});
