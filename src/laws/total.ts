import fc from "fast-check";
import { carrierPrefix } from "../conversion/carriers.ts";
import { equal } from "../json/equal.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Difference, differenceOf } from "../judge/differences.ts";
import { sortedKeys } from "./bare.ts";
import { claim, finding, type Law, noSteps } from "./law.ts";
import { historiesOf, type Setting, stepsOf, storedBy, versionAt, wayOf } from "./setting.ts";

/** Law 4. */
export const total: Law = {
  name: "Total",
  statement:
    "No conversion throws, whatever an object contains. Metadata is always present, and only its labels and annotations change.",
  claims: (setting) =>
    allWays(setting).flatMap(([from, to]) =>
      (["valid", "partial", "wild", "any"] as const).map((manner) =>
        claim(
          `${manner} objects`,
          wayOf(setting, from, to),
          setting.objects[from]?.[manner] ?? fc.constant({}),
          (object) =>
            finding(
              object,
              noSteps,
              misconverted(setting, object, setting.engine.convert(object, setting.kind.chain, from, to), to),
            ),
        ),
      ),
    ),
};

/** Law 6. */
export const deterministic: Law = {
  name: "Deterministic",
  statement:
    "The same object gives the same bytes every time, and the same carriers whatever the order of its keys.",
  claims: (setting) =>
    allWays(setting).flatMap(([from, to]) => [
      claim(
        "stored objects and their views",
        wayOf(setting, from, to),
        fc.tuple(historiesOf(setting), fc.nat()),
        ([history, turn]) => {
          const stored = storedBy(setting, history);
          const object =
            from === setting.hub
              ? stored
              : setting.engine.convert(stored, setting.kind.chain, setting.hub, from);
          return finding(object, () => stepsOf(setting, history), variance(setting, object, turn, from, to));
        },
      ),
      ...(["wild", "any"] as const).map((manner) =>
        claim(
          `${manner} objects`,
          wayOf(setting, from, to),
          fc.tuple(setting.objects[from]?.[manner] ?? fc.constant({}), fc.nat()),
          ([object, turn]) => finding(object, noSteps, variance(setting, object, turn, from, to)),
        ),
      ),
    ]),
};

/** A fault of a converted object that the API server or a later reader would reject. */
export function misconverted(
  setting: Setting,
  object: JsonObject,
  answer: JsonObject,
  to: number,
): Difference | undefined {
  const { apiVersion } = versionAt(setting, to);
  const at = (field: string, expected: Json | undefined, actual: Json | undefined) =>
    equal(expected, actual) ? undefined : { field, expected, actual };
  const others = (metadata: Json | undefined): JsonObject => {
    const { labels: _, annotations: __, ...rest } = isObject(metadata) ? metadata : {};
    return rest;
  };
  return (
    at("apiVersion", apiVersion, answer.apiVersion) ??
    at("kind", object.kind, answer.kind) ??
    (isObject(answer.metadata) ? undefined : { field: "metadata", expected: {}, actual: answer.metadata }) ??
    differenceOf(others(object.metadata), others(answer.metadata), ["metadata"]) ??
    // Values that do not survive JSON: undefined, NaN, an object that resembles an exact number.
    differenceOf(answer, parseJson(writeJson(answer)))
  );
}

function variance(
  setting: Setting,
  object: JsonObject,
  turn: number,
  from: number,
  to: number,
): Difference | undefined {
  const convert = (each: JsonObject) => setting.engine.convert(each, setting.kind.chain, from, to);
  const first = convert(object);
  const [once, again] = [writeJson(first), writeJson(convert(parseJson(writeJson(object)) as JsonObject))];
  if (once !== again) return { field: "", expected: once, actual: again };
  const shuffled = convert(turned(object, turn) as JsonObject);
  return (
    differenceOf(carriersOf(first), carriersOf(shuffled)) ??
    differenceOf(sortedKeys(first), sortedKeys(shuffled))
  );
}

/** The values of the annotations that are carriers. */
function carriersOf(object: JsonObject): JsonObject {
  const annotations = get(object, "metadata", "annotations");
  return Object.fromEntries(
    Object.entries(isObject(annotations) ? annotations : {}).filter(([key]) => key.startsWith(carrierPrefix)),
  );
}

/** A value with the keys of its objects in another order. */
function turned(value: Json, turn: number): Json {
  if (isArray(value)) return value.map((item) => turned(item, turn));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, below]) => [key, turned(below, turn)] as const);
  const at = turn % Math.max(1, entries.length);
  const moved = [...entries.slice(at), ...entries.slice(0, at)];
  return Object.fromEntries(turn % 2 === 0 ? moved : moved.toReversed());
}

function allWays({ kind }: Setting): readonly (readonly [from: number, to: number])[] {
  const versions = [...kind.versions.keys()];
  return versions.flatMap((from) => versions.filter((to) => to !== from).map((to) => [from, to] as const));
}
