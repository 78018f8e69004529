import { type Carried, carriedBy } from "../../conversion/explain.ts";
import { writeJson } from "../../json/exact.ts";
import { get, type Json, type JsonObject } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";

/**
 * Lists the values that a converted object carries for other versions, or that are dropped from it, and why its own version
 * cannot express them.
 */
export function explanation(
  source: string,
  object: JsonObject,
  kind: Kind,
  from: number,
  to: number,
  isDropped = false,
): readonly string[] {
  const [target, origin] = [kind.versions[to]?.name ?? "", kind.versions[from]?.name ?? ""];
  const title = `${source}: ${kind.definition.kind} ${text(get(object, "metadata", "name"))}, ${origin} → ${target}`;
  const carried = [...carriedBy(object)];
  if (carried.length === 0) return [`${title}: ${target} expresses everything`];
  return carried.flatMap(([name, values]) => {
    const owner = name === "hub" ? kind.hub.name : name;
    const verb = isDropped ? "drops" : "carries";
    return [`${title}: ${verb} ${count(values.length)} for ${owner}`, ...rows(values, target)];
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
  const converted = shown === undefined ? "nothing" : short(writeJson(shown));
  switch (why) {
    case "no word":
      return `${target} has no field for it`;
    case "other word":
      return `from ${target} alone it would be converted back to ${converted}`;
    case "shared word":
      return `${target} has one field for it and others: kept in case that field is removed`;
    case "order":
      return `from ${target} alone the items would be converted back in another order`;
    case "default":
      return `without it a default of the hub would appear in ${target}`;
  }
}

function short(value: string): string {
  return value.length > 60 ? `${value.slice(0, 59)}…` : value;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "(no name)";
}

function count(values: number): string {
  return values === 1 ? "one value" : `${values} values`;
}
