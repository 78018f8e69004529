import { type Carried, carriedBy, reasonOf, short } from "../../conversion/explain.ts";
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
  const cells = values.map((each) => [
    each.place.join("."),
    each.value === undefined ? "(absent)" : short(writeJson(each.value)),
    reasonOf(each, target),
  ]);
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map(
    ([place = "", value = "", why]) =>
      `  ${place.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${why}`,
  );
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "(no name)";
}

function count(values: number): string {
  return values === 1 ? "one value" : `${values} values`;
}
