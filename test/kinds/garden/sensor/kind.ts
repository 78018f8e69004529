import {
  defineKind,
  get,
  isInteger,
  isObject,
  type Json,
  type JsonObject,
  lens,
  move,
  toDouble,
  version,
} from "antechamber";

/** Recursive fields that no schema declares; an atomic object; maps of maps; no status. */
const recursive = lens(
  move("spec.branch", "spec.tree", {
    up: (branch) => renamed(branch, "branch", "tree"),
    down: (tree) => renamed(tree, "tree", "branch"),
  }),
  move("spec.place", "spec.place", {
    up: placeOf,
    down: textOf,
    lossy: "the schema has no field y: unquoted, the key is true in YAML 1.1",
  }),
  move("spec.limits", "spec.limits", {
    up: (limits) => mapped(limits, (most) => (typeof most === "number" ? { most } : undefined)),
    down: (limits) => mapped(limits, (limit) => get(limit, "most")),
  }),
);

/** A key renamed wherever it stands, as deep as it goes; an object that has both names has no such image. */
function renamed(value: Json, from: string, to: string, depth = 0): Json | undefined {
  if (!isObject(value)) return value;
  if (depth > 100 || Object.hasOwn(value, to)) return undefined;
  const entries = Object.entries(value).map(
    ([key, below]) => [key === from ? to : key, renamed(below, from, to, depth + 1)] as const,
  );
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined),
  );
}

function placeOf(text: Json): Json | undefined {
  const [, x, y] = (typeof text === "string" && /^(-?\d{1,3}),(-?\d{1,3})$/.exec(text)) || [];
  return x === undefined ? undefined : { x: Number(x) + 0, y: Number(y) + 0 };
}

function textOf(place: Json): Json | undefined {
  const [x, y] = [get(place, "x"), get(place, "y")];
  return isInteger(x) && isInteger(y) ? `${toDouble(x)},${toDouble(y)}` : undefined;
}

function mapped(map: Json, value: (each: Json) => Json | undefined): JsonObject | undefined {
  if (!isObject(map)) return undefined;
  const entries = Object.entries(map).map(([key, each]) => [key, value(each)] as const);
  const said = entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined);
  return said.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(said);
}

export default defineKind({
  group: "garden.example.org",
  kind: "Sensor",
  plural: "sensors",
  scope: "Namespaced",
  versions: [version("v1beta1", recursive), version("v1")],
});
