import fc from "fast-check";
import { writeJson } from "../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { anyJson, extremeInteger, strangeKeys } from "./any.ts";
import { bareOf, sortedKeys } from "./bare.ts";
import { type Claim, claim, type Law } from "./law.ts";
import { type Setting, trip, wayOf, withMetadata } from "./setting.ts";

/** Law 10. */
export const exact: Law = {
  name: "Exact",
  statement: "64-bit integers stay exact, unknown fields are kept, and `__proto__` is an ordinary key.",
  claims: (setting) =>
    setting.spokes.flatMap((spoke) => [kept(setting, setting.hub, spoke), kept(setting, spoke, setting.hub)]),
};

/**
 * A round trip of an object with strange keys and extreme integers gives the same text, except for the order of keys.
 */
function kept(setting: Setting, from: number, over: number): Claim {
  const field = fc.tuple(fc.nat(30), fc.constantFrom(...strangeKeys), fc.oneof(extremeInteger, anyJson));
  const cases = fc.tuple(
    setting.objects[from]?.valid ?? fc.constant({}),
    fc.array(field, { minLength: 1, maxLength: 4 }),
  );
  return claim(
    "strange fields there and back",
    wayOf(setting, from, over, from),
    cases,
    ([drawn, fields]) => {
      const object = withMetadata(bareOf(fields.reduce(withField, drawn)));
      const back = trip(setting, trip(setting, object, from, over), over, from);
      const [expected, actual] = [jsonOf(object), jsonOf(from === setting.hub ? back : bareOf(back, object))];
      const polluted = Object.keys(Object.prototype).length > 0;
      if (expected === actual && !polluted) return undefined;
      return { object, steps: [], field: polluted ? "Object.prototype" : "", expected, actual };
    },
  );
}

function jsonOf(object: JsonObject): string {
  return writeJson(sortedKeys(object));
}

/** The object with a field added to one of the objects in its spec or status. */
function withField(object: JsonObject, [pick, key, value]: readonly [number, string, Json]): JsonObject {
  const name = pick % 2 === 0 ? "spec" : "status";
  const before = isObject(object[name]) ? object[name] : {};
  return set(object, name, planted(before, pick, key, value));
}

function planted(here: JsonObject, pick: number, key: string, value: Json): JsonObject {
  const inner = Object.entries(here).filter(
    ([, below]) => isObject(below) || (isArray(below) && isObject(below[0])),
  );
  const [name, below] = inner[pick % (inner.length + 1)] ?? [];
  if (name === undefined || below === undefined) return set(here, key, value);
  if (isObject(below)) return set(here, name, planted(below, pick >> 1, key, value));
  const [first, ...rest] = below as readonly Json[];
  return set(here, name, [planted(first as JsonObject, pick >> 1, key, value), ...rest]);
}
