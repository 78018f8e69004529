import type { AnyRow, Lens, Parts } from "../conversion/lens.ts";
import { each, within } from "../conversion/nested-rows.ts";
import { fieldsOfRow, stepsOf } from "../conversion/row-fields.ts";
import { lensOf } from "../conversion/rows.ts";
import { versionChainOf } from "../conversion/version-chain.ts";
import { isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";

/** A call of a function that the author of a kind wrote: a row's, or that of a lens written by hand. */
export interface LensCall {
  /** The versions from which and to which it converts. */
  readonly from: string;
  readonly to: string;
  /** The row's field in the version from which it converts; empty for a whole object. */
  readonly field: string;
  /** The least object that leads to this call. */
  readonly object: JsonObject;
}

/** Receives each call as it begins, and when it has ended. */
export interface Tracer {
  readonly begin: (call: LensCall) => void;
  readonly end: () => void;
}

/** The kind with lenses that report each call of their author's functions. Slower, so it is for finding out what went wrong. */
export function tracedKind(kind: Kind, tracer: Tracer): Kind {
  const versions = kind.versions.map((version, index) => {
    const newer = kind.versions[index + 1];
    if (version.lens === undefined || newer === undefined) return version;
    return { ...version, lens: tracedLens(version.lens, [version.name, newer.name], tracer) };
  });
  return { ...kind, versions, chain: versionChainOf(versions) };
}

type Names = readonly [older: string, newer: string];

function tracedLens(lens: Lens, names: Names, tracer: Tracer): Lens {
  if (lens.rows !== undefined) {
    const { up, down, rows = [] } = lensOf(lens.rows.map((row) => tracedRow(row, names, [], tracer)));
    return { ...lens, up, down, rows };
  }
  const by = (way: "up" | "down") => (object: JsonObject) =>
    traced(tracer, { ...namesFor(way, names), field: "", object }, () => lens[way](object));
  return { ...lens, up: by("up"), down: by("down") };
}

/** A row with what leads to its object: in each version, the steps. */
function tracedRow(row: AnyRow, names: Names, above: readonly Steps[], tracer: Tracer): AnyRow {
  const [from, to] = [row.older.value, row.newer.value];
  if (row.inner !== undefined && typeof from === "string" && typeof to === "string") {
    const { lens, of } = row.inner;
    const step = of === "items" ? ["[]"] : [];
    const here = [from, to].map((path, side) => [...(above[side] ?? []), ...stepsOf(path), ...step]);
    const rows = (lens.rows ?? []).map((inner) => tracedRow(inner, names, here, tracer));
    return { ...row, ...(of === "items" ? each : within)(from, to, ...rows) };
  }
  const fields = fieldsOfRow(row);
  const by = (way: "up" | "down") => (parts: Parts) => {
    const [steps, paths, side] = way === "up" ? [fields.older, row.older, 0] : [fields.newer, row.newer, 1];
    const whole = steps.map((each) => [...(above[side] ?? []), ...each]);
    const object = Object.keys(paths).reduce(
      (made, name, at) => placed(made, whole[at] ?? [], parts[name]),
      {} as JsonObject,
    );
    const field = (whole[0] ?? []).join(".").replaceAll(".[]", "[]");
    return traced(tracer, { ...namesFor(way, names), field, object }, () => row[way](parts));
  };
  return { ...row, up: by("up"), down: by("down") };
}

type Steps = readonly string[];

function traced<T>({ begin, end }: Tracer, call: LensCall, run: () => T): T {
  begin(call);
  try {
    return run();
  } finally {
    end();
  }
}

function namesFor(way: "up" | "down", [older, newer]: Names): Pick<LensCall, "from" | "to"> {
  return way === "up" ? { from: older, to: newer } : { from: newer, to: older };
}

/** An object with a value at a path, of which `[]` is the only item of a list. */
function placed(object: JsonObject, steps: Steps, value: Json | undefined): JsonObject {
  return value === undefined ? object : (placedAt(object, steps, value) as JsonObject);
}

function placedAt(here: Json | undefined, [step, ...rest]: Steps, value: Json): Json {
  if (step === undefined) return value;
  if (step === "[]") return [placedAt(Array.isArray(here) ? here[0] : undefined, rest, value)];
  const object = isObject(here) ? here : {};
  return set(object, step, placedAt(object[step], rest, value));
}
