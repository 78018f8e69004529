import { expect, it } from "vitest";
import { type JsonObject, set } from "../../../src/json/json.ts";
import { changing, checked, crdOf } from "./kinds.ts";

// A reader sees what a finding is about, and neither defaults nor what Go prints for fields that are not set.

const spec = [
  "size: { type: integer, format: int32 }",
  "mode: { type: string, enum: [Fast, Slow], default: Fast }",
  "limits: { type: object, default: {}, properties: { cpu: { type: string, default: '1' } } }",
  "note: { type: string }",
].join("\n");
const crd = crdOf({ v1: { spec }, v2: { spec } });

/** The fields of each view of the one finding at a place. */
async function viewsAt(place: string, change: (spec: JsonObject) => JsonObject) {
  const { findings } = await checked(crd, changing(change));
  const found = findings.find((each) => each.place === place && each.versions[0] === "v1");
  return found?.views.map(({ object }) => object.spec);
}

it("defaults and zero values are left out of the views", async () => {
  const forgetful = (each: JsonObject) => ({ note: "", ...set(each, "size", undefined) });
  expect(await viewsAt("spec.size", forgetful)).toEqual([{ size: 3 }, {}, {}]);
});

it("but not where the finding is about them", async () => {
  const fast = (each: JsonObject) => (each.mode === "Slow" ? { ...each, mode: "Fast" } : each);
  expect(await viewsAt("spec.mode", fast)).toEqual([{ mode: "Slow" }, { mode: "Fast" }, { mode: "Fast" }]);
});

it("nor where the webhook refuses an object, which may be for what is not set", async () => {
  const refuse = (each: JsonObject) => {
    if (each.size === 3) throw new Error("no size is known");
    return each;
  };
  expect(await viewsAt("spec.size", refuse)).toEqual([{ size: 3 }]);
});
