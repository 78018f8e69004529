import { expect, it } from "vitest";
import { writeSerialized } from "../../src/conversion/carriers.ts";
import { convertSerialized } from "../../src/conversion/convert.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { type Engine, servingEngine } from "../../src/laws/engine.ts";

const seed = Number(process.env.SEED);
const { all } = await loadKinds(["webhooks"]);

// An answer is written from parts: what the laws draw, hostile carriers too, says by its text what it says as a value.
it.each(all.map((kind) => [kind.name, kind] as const))(
  "what is written of a converted %s is the converted object",
  (_, kind) => {
    let written = 0;
    const convert: Engine["convert"] = (object, chain, from, to) => {
      const converted = servingEngine.convert(object, chain, from, to);
      const text = writeSerialized(convertSerialized(object, chain, from, to)).join("");
      if (text !== writeJson(converted)) expect(parseJson(text)).toEqual(converted);
      written++;
      return converted;
    };
    const laws = ["GetPut", "Hostile"];
    const verdicts = checkLaws(kind, { runs: 15, seed, laws, engine: { ...servingEngine, convert } });
    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    expect(written).toBeGreaterThan(100);
  },
);
