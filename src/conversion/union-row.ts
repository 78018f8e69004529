import type { Json } from "../json/json.ts";
import { fieldsAt, toKeys } from "./field-path.ts";
import type { FieldPath, PathIn } from "./field-types.ts";
import type { AnyRow, Parts, Row } from "./lens.ts";
import { requireRows } from "./row-arguments.ts";

/** Where the name of the branch stands, in the older or in the newer version. */
type NamedIn<Older, Newer, Path> =
  | { readonly older: PathIn<Older, Path>; readonly newer?: never }
  | { readonly newer: PathIn<Newer, Path>; readonly older?: never };

/**
 * A field that says of what kind others are ↔ fields for each kind, of which one is there:
 * `union({ older: "spec.source.kind" }, { Secret: [move("spec.source.name", "spec.secretRef.name")] })`. Where no branch is
 * there, or several are, nothing is mapped: each version keeps its own. So it does for a kind without fields, whose branch is empty.
 * @throws {Error} if the path is missing, or a branch is not a list of rows
 */
export function union<Older = unknown, Newer = unknown, const Path extends FieldPath = string>(
  by: NamedIn<NoInfer<Older>, NoInfer<Newer>, Path>,
  branches: Readonly<Record<string, readonly Row<Older, Newer>[]>>,
): Row<Older, Newer>;
export function union(
  by: { readonly older?: FieldPath; readonly newer?: FieldPath },
  branches: Readonly<Record<string, readonly AnyRow[]>>,
): AnyRow {
  const name = by.older ?? by.newer;
  if (name === undefined || Object.keys(branches).length === 0)
    throw new Error(
      'union needs the path of the field that names the branch, and rows for each: union({ older: "spec.kind" }, { … })',
    );
  const all = Object.entries(branches);
  for (const [, rows] of all) requireRows("union", rows);
  const named = by.older === undefined ? "newer" : "older";
  const pathsOf = (side: "older" | "newer") => ({
    ...Object.fromEntries(
      all.flatMap(([, rows]) =>
        rows.flatMap((row) => Object.values(row[side]).map((path) => [keyOf(path), path])),
      ),
    ),
    ...(side === named ? { [branchKey]: name } : {}),
  });
  const toBranch = (way: Way, parts: Parts) =>
    converted(branches, typeof parts[branchKey] === "string" ? parts[branchKey] : "", way, parts);
  const fromBranch = (way: Way, parts: Parts) => {
    const [found, ...others] = all.flatMap(([branch]) => {
      const made = converted(branches, branch, way, parts);
      return isNothing(made) ? [] : [{ ...made, [branchKey]: branch }];
    });
    return found === undefined || others.length > 0 ? {} : found;
  };
  return {
    older: pathsOf("older"),
    newer: pathsOf("newer"),
    // What an applier gives up of a branch must not take the rest of it along.
    union: { by: { [named]: name }, branches },
    shared: fieldsAt(pathsOf("newer")),
    ...saidOf(all.flatMap(([, rows]) => rows)),
    up: (parts) => (named === "older" ? toBranch : fromBranch)("up", parts),
    down: (parts) => (named === "older" ? fromBranch : toBranch)("down", parts),
  };
}

/** What the rows of branches say of their fields besides how they are mapped, by the short names that these have in the union. */
function saidOf(rows: readonly AnyRow[]): Pick<AnyRow, "lossy" | "derived"> {
  const lossy = rows.flatMap((row) =>
    [...Object.entries(row.older), ...Object.entries(row.newer)].flatMap(([name, path]) => {
      const reason = typeof row.lossy === "object" ? row.lossy[name] : row.lossy;
      return reason === undefined ? [] : [[keyOf(path), reason] as const];
    }),
  );
  const derivedIn = (side: "older" | "newer") => rows.flatMap(({ derived }) => derived?.[side] ?? []);
  return {
    ...(lossy.length === 0 ? {} : { lossy: Object.fromEntries(lossy) }),
    derived: { older: derivedIn("older"), newer: derivedIn("newer") },
  };
}

type Way = "up" | "down";

/** The short name of the field that names the branch; those of the others are their paths. */
const branchKey = "=branch";

/** What the rows of a branch make of the fields of the other version, by their paths. */
function converted(
  branches: Readonly<Record<string, readonly AnyRow[]>>,
  branch: string,
  way: Way,
  parts: Parts,
): Parts {
  const rows = Object.hasOwn(branches, branch) ? (branches[branch] ?? []) : [];
  return Object.assign({}, ...rows.map((row) => convertedBy(row, way, parts)));
}

function convertedBy(row: AnyRow, way: Way, parts: Parts): Parts {
  const [from, to] = way === "up" ? [row.older, row.newer] : [row.newer, row.older];
  const given = mapped(from, (path) => parts[keyOf(path)]);
  const made = row[way](given);
  return Object.fromEntries(Object.entries(to).map(([name, path]) => [keyOf(path), made[name]]));
}

function mapped(paths: AnyRow["older"], valueAt: (path: FieldPath) => Json | undefined): Parts {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, valueAt(path)]));
}

function keyOf(path: FieldPath): string {
  return toKeys(path).join(".");
}

function isNothing(parts: Parts): boolean {
  return Object.values(parts).every((value) => value === undefined);
}
