import { expect, it } from "vitest";
import { carrierField, carrierPrefix } from "../../src/conversion/carriers.ts";
import { convert } from "../../src/conversion/convert.ts";
import { keep } from "../../src/conversion/keeper.ts";
import { get, isObject, type JsonObject } from "../../src/json/json.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

// A status that requires fields has no place for a carrier alone: an API server refuses `status: { conversionData }` with "Required
// value" in every write, also where the required field has a default, which it sets in what clients write and not in what was converted.

const text = { type: "string" };
const ready = { ready: { type: "boolean" } };
const readyByDefault = { ready: { type: "boolean", default: false } };
const open = { status: { note: text } };
const required = { status: ready, required: ["ready"] };
const defaulted = { status: readyByDefault, required: ["ready"] };

function kindOf(older: object, newer: object) {
  const v1beta1 = { name: "v1beta1", spec: { size: text, older: text }, lens: lens(), ...older };
  return smallKind(v1beta1, { name: "v1", spec: { size: text, newer: text }, ...newer });
}

it.each([
  ["by a spoke", kindOf(required, open)],
  ["by a spoke, with a default", kindOf(defaulted, open)],
  ["by the hub", kindOf(open, required)],
  ["by the hub, with a default", kindOf(open, defaulted)],
  ["by both", kindOf(required, required)],
])("all laws hold with fields that are required in status %s", (_by, kind) => {
  const broken = checkLaws(kind, { runs: 40, seed: Number(process.env.SEED) }).filter(({ holds }) => !holds);
  expect(broken).toEqual([]);
});

const metadata = { name: "a", uid: "8a1b7c1e-0001", generation: 1 };
const at = (version: string, rest: JsonObject) => ({
  apiVersion: `small.example.org/${version}`,
  kind: "Small",
  metadata,
  ...rest,
});
const carriersIn = (object: JsonObject) => {
  const annotations = get(object, "metadata", "annotations");
  const keys = Object.keys(isObject(annotations) ? annotations : {});
  return {
    annotation: keys.some((key) => key.startsWith(carrierPrefix)),
    status: get(object, "status", carrierField) !== undefined,
  };
};

it.each([
  ["before a controller writes status", {}, { annotation: true, status: false }],
  ["once it has a field", { ready: true }, { annotation: true, status: true }],
])("a status that requires fields carries %s", (_when, status, expected) => {
  const { chain } = kindOf(required, { status: ready });
  const stored = at("v1", { spec: { newer: "a" }, ...("ready" in status ? { status } : {}) });
  expect(carriersIn(convert(stored, chain, 1, 0))).toEqual(expected);
});

it("what status alone carried is annotated where status has no room any more", () => {
  const { chain } = kindOf({ status: ready }, required);
  const written = at("v1beta1", { spec: { older: "a" }, status: { ready: true } });
  const inStatusAlone = { ...convert(written, chain, 0, 1), metadata };
  const { status: _, ...cleared } = convert(inStatusAlone, chain, 1, 0);
  const stored = convert(cleared, chain, 0, 1);
  expect(carriersIn(stored)).toEqual({ annotation: true, status: false });
  expect(get(convert(stored, chain, 1, 0), "spec", "older")).toBe("a");
});

it("a write of /status gets no status for the carrier alone, unless that is the only copy", () => {
  const { chain } = kindOf({ status: ready }, required);
  const write = { operation: "UPDATE", subresource: "status", atHub: true } as const;
  const stored = convert(at("v1beta1", { spec: { older: "a" } }), chain, 0, 1);
  expect(keep(stored, stored, write, chain)).toEqual(stored);
  const withStatus = convert(at("v1beta1", { spec: { older: "a" }, status: { ready: true } }), chain, 0, 1);
  const cleared = { ...withStatus, status: null };
  expect(carriersIn(keep(cleared, withStatus, write, chain)).status).toBe(false);
  const onlyCopy = { ...withStatus, metadata };
  expect(carriersIn(keep({ ...cleared, metadata }, onlyCopy, write, chain)).status).toBe(true);
});

it("a carrier that holds nothing does not keep a status", () => {
  const { chain } = kindOf(required, required);
  const write = { operation: "UPDATE", subresource: "status", atHub: false } as const;
  const stored = at("v1", { spec: { size: "a" }, status: { ready: true } });
  const shown = { ...convert(stored, chain, 1, 0), metadata };
  expect(carriersIn(shown)).toEqual({ annotation: false, status: true });
  const { status: _, ...cleared }: JsonObject = shown;
  expect(keep(cleared, shown, write, chain)).toEqual(cleared);
});
