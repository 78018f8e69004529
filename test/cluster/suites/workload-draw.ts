import { isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import type { GoField, GoType } from "../../../webhooks/kruise/shared/go-type.ts";
import { type Draw, pick } from "./draw.ts";
import { amounts, labelNames, resourceNames, shares, texts, typeTexts } from "./workload-words.ts";

/** How values are drawn. */
export interface Taste {
  readonly draw: Draw;
  /** How often a field is there. */
  readonly presence: number;
  /** How often a value has a wrong type. */
  readonly wrongness: number;
  /** How often a value that the words list as invalid is left out. */
  readonly tameness?: number;
}

/** A value of a Go type, for a field of an object that is under another field. */
export function drawGo(type: GoType, taste: Taste, key: string, parent = ""): Json {
  const { draw, wrongness } = taste;
  if (draw() < wrongness) return pick(draw, [true, 7, "text", [], {}, null] as readonly Json[]);
  if (typeof type === "string") return drawScalar(type, taste, key, parent);
  if ("list" in type) {
    const length = Math.floor(draw() * 3.3);
    return Array.from({ length }, () => drawGo(type.list, { ...taste, wrongness: wrongness / 2 }, key, key));
  }
  if ("map" in type) {
    const names = type.map === "quantity" ? resourceNames : labelNames;
    const length = Math.floor(draw() * 3);
    return Object.fromEntries(
      Array.from({ length }, () => [pick(draw, names), drawGo(type.map, taste, "value", key)] as const),
    );
  }
  return drawStruct(type.struct, taste, key);
}

function drawStruct(fields: ReadonlyMap<string, GoField>, taste: Taste, key: string): JsonObject {
  const { draw, presence } = taste;
  // The deeper, the more fields: an object that is there should say something.
  const chance = fields.size > 8 ? presence : Math.max(presence, 0.4);
  const members = [...fields].flatMap(([name, field]) =>
    draw() < chanceOf(name, field, chance)
      ? [[name, drawGo(field.type, { ...taste, wrongness: taste.wrongness / 2 }, name, key)] as const]
      : [],
  );
  return Object.fromEntries(members);
}

/** What the schemas require is always there, what Kubernetes requires nearly always. */
function chanceOf(name: string, { written }: GoField, chance: number): number {
  if (required.has(name) || (written === "always" && ["key", "operator"].includes(name))) return 1;
  return written === "always" || name === "image" ? 0.92 : chance;
}

const required = new Set(["selector", "template", "orderedKey", "weight", "matchSelector"]);

function drawScalar(type: Extract<GoType, string>, taste: Taste, key: string, parent: string): Json {
  const { draw, tameness = 0 } = taste;
  const isTame = draw() < tameness;
  switch (type) {
    case "bool":
      return draw() < 0.5;
    case "int32":
    case "int64":
      return isTame ? pick(draw, [1, 1, 2, 5, 30]) : pick(draw, [0, 1, 1, 2, 5, 30, 80, 301, 70_000, -1]);
    case "intOrString":
      if (isTame) return key === "port" ? 80 : 1;
      return key === "port" ? pick(draw, [80, "http", 0, "-bad"]) : pick(draw, shares);
    case "quantity":
      return isTame ? "1" : pick(draw, amounts);
    case "string": {
      const isNamed = ["name", "type", "key", "value"].includes(key) || key === parent;
      const known = (isNamed ? typeTexts[parent] : undefined) ?? texts[key] ?? typeTexts[key];
      if (isTame) return pick(draw, known === undefined ? ["a", "b", "c-1"] : validOf(known));
      return draw() < 0.03 && !/Time(?:stamp)?$/.test(key) ? "" : pick(draw, known ?? ["a", "b", "c-1"]);
    }
  }
}

/** The words of a list that are valid: the last of several is not. */
function validOf(words: readonly string[]): readonly string[] {
  return words.length > 1 ? words.slice(0, -1) : words;
}

function isKept(key: string): boolean {
  return required.has(key) || ["key", "operator"].includes(key);
}

/** The object with some of its fields removed, replaced or repeated at random. */
export function shaken(value: Json, draw: Draw, rate: number): Json {
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, below]) =>
        draw() < rate && !isKept(key) ? [] : [[key, shaken(below, draw, rate)] as const],
      ),
    );
  }
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).flatMap((each) =>
      draw() < rate ? [] : draw() < rate ? [each, each] : [shaken(each, draw, rate)],
    );
    return items;
  }
  return value;
}
