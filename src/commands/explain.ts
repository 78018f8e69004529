import { type Carried, carriedBy } from "../conversion/explain.ts";
import { writeJson } from "../json/exact.ts";
import { get, type Json, type JsonObject } from "../json/json.ts";
import type { Kind } from "../kind.ts";

/** Says line by line what a converted object carries for other versions, and why each version cannot say it itself. */
export function explanation(
  source: string,
  object: JsonObject,
  kind: Kind,
  from: number,
  to: number,
): readonly string[] {
  const [target, origin] = [kind.versions[to]?.name ?? "", kind.versions[from]?.name ?? ""];
  const title = `${source}: ${kind.definition.kind} ${text(get(object, "metadata", "name"))}, ${origin} → ${target}`;
  const carried = [...carriedBy(object)];
  if (carried.length === 0) return [`${title}: ${target} says all of it`];
  return carried.flatMap(([name, values]) => {
    const teller = name === "hub" ? kind.hub.name : name;
    return [`${title}: carries ${count(values.length)} for ${teller}`, ...rows(values, target)];
  });
}

function rows(values: readonly Carried[], target: string): readonly string[] {
  const cells = values.map(({ place, value, why, shown }) => [
    place.join("."),
    value === undefined ? "(absent)" : short(writeJson(value)),
    reason(why, shown, target),
  ]);
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map(
    ([place = "", value = "", why]) =>
      `  ${place.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${why}`,
  );
}

function reason(why: Carried["why"], shown: Json | undefined, target: string): string {
  const said = shown === undefined ? "nothing" : short(writeJson(shown));
  switch (why) {
    case "no word":
      return `${target} has no word for it`;
    case "other word":
      return `by ${target} alone it would come back as ${said}`;
    case "shared word":
      return `${target} says it in one word with others: remembered in case that word goes`;
    case "order":
      return `by ${target} alone the items would come back in another order`;
    case "default":
      return `without it a default of the hub would show in ${target}`;
  }
}

function short(value: string): string {
  return value.length > 60 ? `${value.slice(0, 59)}…` : value;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "without a name";
}

function count(values: number): string {
  return values === 1 ? "one value" : `${values} values`;
}
