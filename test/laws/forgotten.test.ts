import { expect, it } from "vitest";
import { constant, move } from "../../src/index.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { checkLaws } from "../../src/laws/check.ts";
import type { Counterexample } from "../../src/laws/law.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const text = { type: "string" };
const objectOf = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
});

/** What Mapped finds between two versions, each with its spec and status. */
function foundBetween(
  older: { readonly spec: JsonObject; readonly status?: JsonObject },
  newer: { readonly spec: JsonObject; readonly status?: JsonObject },
  between = lens(),
): Counterexample | undefined {
  const kind = smallKind({ name: "v1", lens: between, ...older }, { name: "v2", ...newer });
  return checkLaws(kind, { runs: 50, seed: Number(process.env.SEED), laws: ["Mapped"] })[0]?.counterexample;
}

it("a field of spec is not one of status that was forgotten", () => {
  const [spec, status] = [{ size: text }, { ready: text }];
  const withRules = { ...spec, rules: text };
  expect(foundBetween({ spec: withRules, status }, { spec, status: { ...status, rules: text } })).toBe(
    undefined,
  );
  expect(foundBetween({ spec, status: { ...status, rules: text } }, { spec: withRules, status })).toBe(
    undefined,
  );
});

it("a field whose value is always the same is written by its row", () => {
  const older = { spec: { ref: objectOf("kind", "name") } };
  const newer = { spec: { refName: text, refKindLabel: text } };
  const row = move("spec.ref.name", "spec.refName");
  expect(foundBetween(older, newer, lens(row))).toMatchObject({ field: "spec.ref.kind" });
  const always = constant(row, { older: { "spec.ref.kind": "Secret" } });
  expect(foundBetween(older, newer, lens(always))).toBeUndefined();
});

it("a field of an object that both versions have is not one of another object", () => {
  const older = { spec: { identityRef: objectOf("kind", "name") } };
  const bastion = { type: "object", properties: { identityRef: objectOf("region", "kind") } };
  const newer = { spec: { identityRef: objectOf("name"), bastion } };
  expect(foundBetween(older, newer)).toBeUndefined();
});

it("half of the words are too few for a field below another parent", () => {
  const lists = (name: string) => ({
    type: "object",
    properties: { [name]: { type: "array", items: text } },
  });
  expect(
    foundBetween({ spec: { bastion: lists("networks") } }, { spec: { network: lists("subnets") } }),
  ).toBe(undefined);
});

it("a field that went into an object is still found, also where both versions have that object", () => {
  const older = { spec: { keySize: text, privateKey: objectOf("rotation") } };
  const newer = { spec: { privateKey: objectOf("rotation", "size") } };
  expect(foundBetween(older, newer)).toMatchObject({
    field: "spec.keySize",
    expected: "a row that maps it to spec.privateKey.size",
  });
});

it("one run names all fields that were forgotten, and what breaks the law otherwise", () => {
  const flag = { type: "boolean" };
  const older = { spec: { disableCache: flag, keySize: text, timeout: text } };
  const newer = {
    spec: { enableCache: flag, keySizeText: text, timeoutText: text, textOfTimeout: text },
  };
  const found = foundBetween(older, newer, lens(move("spec.disableCache", "spec.enableCache")));
  expect(found).toMatchObject({ claim: "opposite names have opposite values" });
  expect(found?.also).toEqual([
    "spec.keySize: a row that maps it to spec.keySizeText, but no row reads it, nor writes the other",
    "spec.timeout: a row that maps it to spec.timeoutText or spec.textOfTimeout, but no row reads it, nor writes the other",
  ]);
});
