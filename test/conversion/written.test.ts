import { expect, it } from "vitest";
import { carrierPrefix, writeSerialized } from "../../src/conversion/carriers.ts";
import { convertSerialized } from "../../src/conversion/convert.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { type JsonObject, objectAt } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { sortedKeys } from "../../src/laws/bare.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { type Engine, servingEngine } from "../../src/laws/engine.ts";

const seed = Number(process.env.SEED);
const { all } = await loadKinds(["webhooks"]);

// An answer is written from parts: what the laws draw, hostile carriers too, says by its text what it says as a value.
it.each(all.map((kind) => [kind.name, kind] as const))(
  "what is written of a converted %s is the converted object",
  (_, kind) => {
    let [written, sums] = [0, 0];
    const convert: Engine["convert"] = (object, chain, from, to) => {
      const converted = servingEngine.convert(object, chain, from, to);
      const text = writeSerialized(convertSerialized(object, chain, from, to)).join("");
      if (text !== writeJson(converted)) expect(parseJson(text)).toEqual(converted);
      // The name of an annotation is a hash of its text: equal leaves must have equal text.
      const before = objectAt(object, "metadata", "annotations");
      for (const [name, carrier] of Object.entries(objectAt(converted, "metadata", "annotations"))) {
        const isNew = name.startsWith(`${carrierPrefix}-`) && before[name] === undefined;
        if (!isNew || typeof carrier !== "string") continue;
        const { hub = null, withheld = null } = parseJson(carrier) as JsonObject;
        expect(writeJson([hub, withheld])).toBe(writeJson(sortedKeys([hub, withheld])));
        sums++;
      }
      written++;
      return converted;
    };
    const laws = ["GetPut", "Hostile"];
    const verdicts = checkLaws(kind, { runs: 15, seed, laws, engine: { ...servingEngine, convert } });
    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    expect(written).toBeGreaterThan(100);
    if (kind.versions.length > 1) expect(sums).toBeGreaterThan(10);
  },
);
