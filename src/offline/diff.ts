import { diffArrays } from "diff";
import { equal } from "../json/equal.ts";
import { parseJson } from "../json/exact.ts";
import { isObject, type Json } from "../json/json.ts";
import { writeYaml } from "../yaml/yaml.ts";
import type { Line } from "./lines.ts";

/** A line of a difference: in both values, only in the expected one (`-`), or only in the actual one (`+`). */
interface DiffLine {
  readonly mark: " " | "-" | "+";
  readonly line: string;
}

/**
 * The difference of two values, line by line as YAML; a missing value is shown as `(absent)`. Strings that hold a JSON
 * object, such as the annotation of a carrier, are parsed if the difference is inside.
 */
export function yamlDiff(expected: Json | undefined, actual: Json | undefined): readonly DiffLine[] {
  const [before, after] = [parsed(expected), parsed(actual)];
  return equal(before, after)
    ? lineDiff(yamlLines(expected), yamlLines(actual))
    : lineDiff(yamlLines(before), yamlLines(after));
}

/** The lines that differ, as YAML, with two lines of context around each change. */
export function changedLines(before: Json, after: Json): readonly Line[] {
  const lines = yamlDiff(before, after);
  const near = (index: number) =>
    lines.slice(Math.max(0, index - 2), index + 3).some(({ mark }) => mark !== " ");
  return lines.flatMap(({ mark, line }, index): readonly Line[] => {
    if (mark === "+") return [{ text: `+${line}`, tone: "good" }];
    if (mark === "-") return [{ text: `-${line}`, tone: "bad" }];
    if (near(index)) return [{ text: ` ${line}` }];
    return index > 0 && near(index - 1) ? [{ text: " …" }] : [];
  });
}

/** The lines of a value as YAML. */
export function yamlLines(value: Json | undefined): readonly string[] {
  return value === undefined ? ["(absent)"] : writeYaml(value).trimEnd().split("\n");
}

function parsed(value: Json | undefined): Json | undefined {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, parsed(inner) ?? null]));
  if (typeof value !== "string" || !value.startsWith("{")) return value;
  try {
    return parsed(parseJson(value));
  } catch {
    // Text that only starts like JSON is shown unchanged.
    return value;
  }
}

/** Beyond this many changed lines the search for common ones takes seconds; all of one text then stands above the other. */
const maxEditLength = 2_000;

function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = (line: string): DiffLine => ({ mark: "-", line });
  const added = (line: string): DiffLine => ({ mark: "+", line });
  const changes = diffArrays([...before], [...after], { maxEditLength });
  if (changes === undefined) return [...before.map(removed), ...after.map(added)];
  return changes.flatMap((change) =>
    change.value.map((line): DiffLine => {
      if (change.removed) return removed(line);
      return change.added ? added(line) : { mark: " ", line };
    }),
  );
}
