import { expect, it } from "vitest";
import { move, type OpenCodec, table } from "../../src/index.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { areOpposite } from "../../src/values/opposites.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const flag = { type: "boolean" };

function verdictOf(codec?: OpenCodec) {
  const row =
    codec === undefined
      ? move("spec.disableCache", "spec.cache.enabled")
      : move("spec.disableCache", "spec.cache.enabled", codec);
  const kind = smallKind(
    { name: "v1", spec: { disableCache: flag }, lens: lens(row) },
    { name: "v2", spec: { cache: { type: "object", properties: { enabled: flag } } } },
  );
  return checkLaws(kind, { runs: 50, seed: Number(process.env.SEED), laws: ["Mapped"] })[0]?.counterexample;
}

it("Mapped finds a switch that passes as it is to its opposite", () => {
  expect(verdictOf()).toMatchObject({
    claim: "opposite names have opposite values",
    field: "spec.disableCache",
  });
  expect(verdictOf(table([true, false], [false, true]))).toBeUndefined();
});

it.each([
  ["spec.disableAPIServerFloatingIP", "spec.apiServer.enableFloatingIP", true],
  ["status.enabled", "status.disabled", true],
  ["spec.allowedHosts", "spec.deniedHosts", true],
  ["spec.withMetrics", "spec.withoutMetrics", true],
  ["spec.disableCache", "spec.cache.enabled", true],
  ["spec.disableCache", "spec.enableMetrics", false],
  ["spec.disabled", "spec.disableCache", false],
  ["spec.disabled.name", "spec.enabled.name", false],
  ["spec.showIfHidden", "spec.hideIfShown", false],
  ["spec.enableDisabled", "spec.disableEnabled", false],
  ["spec.size", "spec.enabled", false],
  ["spec.noCache", "spec.cache", true],
  ["spec.noHTTPProxy", "spec.client.httpProxy", true],
  ["spec.node", "spec.de", false],
  ["spec.nodeName", "spec.name", false],
  ["spec.notify", "spec.tify", false],
  ["spec.no", "spec.yes", false],
])("%s and %s: opposites %s", (one, other, are) => {
  expect([areOpposite(one, other), areOpposite(other, one)]).toEqual([are, are]);
});
