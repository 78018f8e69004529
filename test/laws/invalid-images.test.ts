import { describe, expect, it } from "vitest";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { surveyOf } from "../../src/laws/index.ts";
import { invalidImages } from "../../src/laws/invalid-images.ts";
import { settingOf, wayOf } from "../../src/laws/setting.ts";
import { smallKind } from "./small-kind.ts";

const { all, find } = await loadKinds(["webhooks", "test/kinds", "examples/kinds"]);
const seed = Number(process.env.SEED);

/** What one version admits and the other forbids: way, field, what is said, and the smallest spec or status of it. */
function foundIn(kind: (typeof all)[number]) {
  const setting = settingOf(kind, servingEngine);
  const ways = setting.spokes.flatMap((spoke) => [
    [setting.hub, spoke] as const,
    [spoke, setting.hub] as const,
  ]);
  return ways.flatMap(([from, to]) =>
    invalidImages(setting, from, to, { runs: 1000, seed }).map(
      ({ field, message, object: { spec, status } }) => ({
        way: wayOf(setting, from, to),
        field,
        message,
        ...(spec === undefined ? {} : { spec }),
        ...(status === undefined ? {} : { status }),
      }),
    ),
  );
}

it("a kind whose newer version forbids what the older one admits gets every rule reported, with the smallest object that breaks it", () => {
  const policy = find("rules.antechamber.dev", "Policy");
  if (policy === undefined) throw new Error("no kind Policy");
  const found = foundIn(policy);
  const way = "v1beta1 → v1";
  const at = (field: string) => found.find((each) => each.field === field);
  expect(found.map(({ field }) => field).sort()).toEqual([
    "spec",
    "spec.limit",
    "spec.options.level",
    "spec.options.mode",
    "spec.slots[0].seconds",
    "spec.slots[0].title",
    "spec.tags[1]",
    "status.phase",
  ]);
  expect(at("spec")).toEqual({
    way,
    field: "spec",
    message: "Invalid value: word must not be bad",
    spec: { word: "bad" },
  });
  expect(at("spec.limit")).toMatchObject({
    way,
    message: "Too long: may not be more than 3 bytes",
    spec: { limit: expect.stringMatching(/^.{4}$/su) },
  });
  expect(at("spec.tags[1]")).toMatchObject({ way, message: expect.stringMatching(/^Duplicate value: /) });
  expect(at("status.phase")).toMatchObject({
    way,
    message: expect.stringContaining('supported values: "Quiet", "Loud"'),
  });
});

describe.each(
  all.filter(({ folder }) => folder.includes("/webhooks/")).map((kind) => [kind.name, kind] as const),
)("%s", (_name, kind) => {
  it("forbids in no version what another one admits", () => {
    expect(foundIn(kind)).toEqual([]);
  });
});

it("a rule that only one number of millions breaks is found by the number in it", () => {
  const spec = {
    size: {
      type: "integer",
      "x-kubernetes-validations": [{ rule: "self != 4711", message: "not that one" }],
    },
  };
  const same = { up: <T>(object: T) => object, down: <T>(object: T) => object };
  const kind = smallKind(
    { name: "v1beta1", spec: { size: { type: "integer" } }, lens: same },
    { name: "v1", spec },
  );
  expect(foundIn(kind)).toEqual([
    {
      way: "v1beta1 → v1",
      field: "spec.size",
      message: expect.stringContaining("not that one"),
      spec: { size: 4711 },
    },
  ]);
});

it("an object that its own version forbids is not reported", () => {
  const same = { up: <T>(object: T) => object, down: <T>(object: T) => object };
  const spec = { word: { type: "string", enum: ["a", "b"] }, note: { type: "string", maxLength: 3 } };
  const kind = smallKind({ name: "v1beta1", spec, lens: same }, { name: "v1", spec });
  expect(foundIn(kind)).toEqual([]);
});

it("the same seed finds the same", () => {
  const policy = find("rules.antechamber.dev", "Policy");
  if (policy === undefined) throw new Error("no kind Policy");
  expect(surveyOf(policy, 7)).toEqual(surveyOf(policy, 7));
});
