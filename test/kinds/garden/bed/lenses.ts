import {
  get,
  group,
  isArray,
  isInteger,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  lens,
  move,
  set,
  toDouble,
} from "antechamber";

/** A list of names with possible duplicates ↔ rows by name; a renamed size; a flag for any moisture. */
export const v1alpha1 = lens(
  move("spec.rows", "spec.rows", {
    up: (names) =>
      isArray(names) ? [...new Set(names.filter(isText))].map((name) => ({ name })) : undefined,
    down: (rows) => (isArray(rows) ? rows.map((row) => get(row, "name")).filter(isText) : undefined),
    lossy: "rows have distinct names",
  }),
  move("spec.dimensions", "spec.size"),
  move("status.wet", "status.moisture", {
    up: (wet) => (typeof wet === "boolean" ? (wet ? 100 : 0) : undefined),
    down: (moisture) => (isInteger(moisture) ? toDouble(moisture) > 0 : undefined),
    lossy: "a flag for any moisture",
  }),
);

/** One field for the sun of all rows; plants as strings; moisture in hundredths. */
export const v1alpha2 = lens(
  group({
    older: { rows: "spec.rows", sunny: "spec.sunny" },
    newer: { rows: "spec.rows" },
    up: ({ rows, sunny }) => ({ rows: isArray(rows) ? rows.map((row) => withSun(row, sunny)) : undefined }),
    down: ({ rows }) => ({
      rows: isArray(rows) ? rows.map(withoutSun) : undefined,
      sunny: isArray(rows) ? sunOf(rows) : undefined,
    }),
    shared: ["spec.rows.sun"],
    lossy: { rows: "a text without a slot is not a plant" },
  }),
  move("status.moisture", "status.moisture", {
    up: (older) => (isInteger(older) ? toDouble(older) / 100 : undefined),
    down: (newer) =>
      isNumber(newer) && Number.isFinite(toDouble(newer)) ? Math.round(toDouble(newer) * 100) + 0 : undefined,
    lossy: "whole percents",
  }),
);

/** A size as a string ↔ width and length; older versions have no field for water. */
export const v1beta1 = lens(
  group({
    older: { size: "spec.size" },
    newer: { width: "spec.size.width", length: "spec.size.length" },
    up: ({ size }) => {
      const [, width, length] = (isText(size) && /^(\d{1,2})x(\d{1,2})$/.exec(size)) || [];
      return width === undefined || length === undefined
        ? {}
        : { width: Number(width), length: Number(length) };
    },
    down: ({ width, length }) => ({
      size: isInteger(width) && isInteger(length) ? `${toDouble(width)}x${toDouble(length)}` : undefined,
    }),
    shared: ["spec.size.width", "spec.size.length"],
    lossy: { size: "numbers have no leading zeros" },
  }),
);

function withSun(row: Json, sunny: Json | undefined): Json {
  if (!isObject(row)) return row;
  const plants = get(row, "plants");
  const planted = isArray(plants) ? set(row, "plants", plants.filter(isText).flatMap(plantOf)) : row;
  return typeof sunny === "boolean" ? set(planted, "sun", sunny ? "Full" : "None") : planted;
}

function plantOf(text: string): readonly JsonObject[] {
  const [, kind, slot] = /^(.+)@(\d)$/s.exec(text) ?? [];
  return kind === undefined ? [] : [{ kind, slot: Number(slot) }];
}

function withoutSun(row: Json): Json {
  if (!isObject(row)) return row;
  const plants = get(row, "plants");
  const bare = set(row, "sun", undefined);
  return isArray(plants) ? set(bare, "plants", [...new Set(plants.flatMap(textOf))]) : bare;
}

function textOf(plant: Json): readonly string[] {
  const [kind, slot] = [get(plant, "kind"), get(plant, "slot")];
  return isText(kind) && isInteger(slot) ? [`${kind}@${toDouble(slot)}`] : [];
}

function sunOf(rows: readonly Json[]): boolean | undefined {
  const suns = new Set(rows.map((row) => get(row, "sun")));
  const [sun] = suns;
  return suns.size !== 1 || (sun !== "Full" && sun !== "None") ? undefined : sun === "Full";
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}
