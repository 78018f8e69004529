import { equal } from "../json/equal.ts";
import { parseJson } from "../json/exact.ts";
import { isObject, type Json } from "../json/json.ts";
import { writeYaml } from "../json/yaml.ts";
import type { Line } from "./lines.ts";

/** A line of a difference: of both, of what is expected (`-`), or of what is there (`+`). */
export interface DiffLine {
  readonly mark: " " | "-" | "+";
  readonly line: string;
}

/**
 * The difference of two values, line by line as YAML; a value that is not there says so. Texts that are JSON objects,
 * such as a carrier or a whole object's bytes, are opened where the difference lies inside.
 */
export function yamlDiff(expected: Json | undefined, actual: Json | undefined): readonly DiffLine[] {
  const [before, after] = [opened(expected), opened(actual)];
  return equal(before, after)
    ? lineDiff(yamlLines(expected), yamlLines(actual))
    : lineDiff(yamlLines(before), yamlLines(after));
}

/** What is different, line by line as YAML, with two lines around each change. */
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

function opened(value: Json | undefined): Json | undefined {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, opened(inner) ?? null]));
  if (typeof value !== "string" || !value.startsWith("{")) return value;
  try {
    return opened(parseJson(value));
  } catch {
    // Text that only begins like JSON is shown as it is.
    return value;
  }
}

/** Beyond this many pairs of lines the two are set one under the other. */
const mostPairs = 1_000_000;

function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const gone = (line: string): DiffLine => ({ mark: "-", line });
  const come = (line: string): DiffLine => ({ mark: "+", line });
  if (before.length * after.length > mostPairs) return [...before.map(gone), ...after.map(come)];
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < before.length && b < after.length) {
    const [mine, other] = [before[a] ?? "", after[b] ?? ""];
    if (mine === other) {
      lines.push({ mark: " ", line: mine });
      a += 1;
      b += 1;
    } else if ((common[a + 1]?.[b] ?? 0) >= (common[a]?.[b + 1] ?? 0)) {
      lines.push(gone(mine));
      a += 1;
    } else {
      lines.push(come(other));
      b += 1;
    }
  }
  return [...lines, ...before.slice(a).map(gone), ...after.slice(b).map(come)];
}

/** How many lines the rests of two texts have in common, in order, for each place in the one and in the other. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let a = before.length - 1; a >= 0; a--) {
    const [row, next] = [table[a] as Uint32Array, table[a + 1] as Uint32Array];
    for (let b = after.length - 1; b >= 0; b--) {
      row[b] = before[a] === after[b] ? (next[b + 1] ?? 0) + 1 : Math.max(next[b] ?? 0, row[b + 1] ?? 0);
    }
  }
  return table;
}
