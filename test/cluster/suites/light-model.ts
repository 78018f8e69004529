import { get, type Json, type JsonObject } from "../../../src/json/json.ts";
import { group } from "../home.ts";

/** What a Light says, as far as the writers of a test change it: something of both versions, and of each alone. */
export interface LightState {
  /** How the writer spelled it that set it last: a percentage at v1beta1, a share at v1. */
  readonly level: { readonly at: Version; readonly percent: number };
  /** Only v1beta1 has a word for it. */
  readonly firmware: string;
  /** Only v1 has a word for it. */
  readonly breakfast: number;
}

export type Version = "v1beta1" | "v1";

/** What cannot be said at v1beta1, nor by a double, and is never changed. */
const serial = "9007199254740993";

export const firstState: LightState = {
  level: { at: "v1", percent: 50 },
  firmware: "1.0",
  breakfast: 0.5,
};

/** A Light as v1 creates it, without its firmware. */
export function newLight(name: string): string {
  const spec = `{"brightness":0.5,"schedule":[{"name":"breakfast","brightness":0.5}],"device":{"serial":${serial}}}`;
  return `{"apiVersion":"${group}/v1","kind":"Light","metadata":{"name":"${name}"},"spec":${spec}}`;
}

/** What the state becomes by a write at a version, with a number that is not the one before. */
export function written(state: LightState, at: Version, number: number): LightState {
  const level = { at, percent: number };
  return at === "v1"
    ? { ...state, level, breakfast: number / 100 }
    : { ...state, level, firmware: `1.${number}` };
}

/** What such a write says: the fields of spec. */
export function fieldsOf({ level: { percent }, firmware, breakfast }: LightState, at: Version): JsonObject {
  return at === "v1"
    ? { brightness: percent / 100, schedule: [{ name: "breakfast", brightness: breakfast }] }
    : { level: `${percent}%`, firmware };
}

/** Whether an object shows a state at a version: all of its spec, and nothing else. */
export function shows(object: Json | undefined, state: LightState, at: Version): boolean {
  return textOf(get(object, "spec")) === textOf(specOf(state, at));
}

function specOf(state: LightState, at: Version): JsonObject {
  const { at: by, percent } = state.level;
  if (at === "v1") return { ...fieldsOf(state, "v1"), device: { serial }, transition: "0s" };
  const level = by === "v1beta1" ? `${percent}%` : percent;
  return { powered: true, level, firmware: state.firmware, fadeSeconds: 0 };
}

/** One text for the same content; an exact number reads as its digits. */
function textOf(value: Json | undefined): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    if ("rawJSON" in each) return each.rawJSON;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
