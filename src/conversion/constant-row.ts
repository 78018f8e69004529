import type { Json } from "../json/json.ts";
import type { At, PathIn, Result } from "./field-types.ts";
import type { AnyRow, Parts, Row } from "./lens.ts";
import { sharedInRow } from "./rows.ts";

/** Values by the paths of their fields. */
type Values = Readonly<Record<string, Json>>;

type ValuesIn<T, Given> = {
  readonly [Path in keyof Given]: PathIn<T, Path> extends Path
    ? Result<At<T, Path>>
    : `${Path & string} is not a field`;
};

/**
 * A row with fields that only one version has, because they are always the same:
 * `constant(move("status.node.name", "status.nodeName"), { older: { "status.node.kind": "Node" } })`. They are written
 * with the fields of the row and never alone. Another value there has no counterpart.
 */
export function constant<
  Older = unknown,
  Newer = unknown,
  const OlderValues extends Values = Values,
  const NewerValues extends Values = Values,
>(
  row: Row<NoInfer<Older>, NoInfer<Newer>>,
  values: {
    readonly older?: OlderValues & ValuesIn<NoInfer<Older>, OlderValues>;
    readonly newer?: NewerValues & ValuesIn<NoInfer<Newer>, NewerValues>;
  },
): Row<Older, Newer>;
export function constant(
  row: AnyRow,
  { older = {}, newer = {} }: { readonly older?: Values; readonly newer?: Values },
): AnyRow {
  // Names of a row's fields are the author's own, without an "=".
  const pathsOf = (values: Values) =>
    Object.fromEntries(Object.keys(values).map((path) => [`=${path}`, path]));
  return {
    ...row,
    shared: sharedInRow(row),
    lossy: { ...lossyOf(row), ...reasonsFor(older), ...reasonsFor(newer) },
    older: { ...row.older, ...pathsOf(older) },
    newer: { ...row.newer, ...pathsOf(newer) },
    up: (parts) => withValues(row.up(parts), newer),
    down: (parts) => withValues(row.down(parts), older),
  };
}

/** Why each field of the row is lossy, by its short name. */
function lossyOf({ older, newer, lossy = {} }: AnyRow): Readonly<Record<string, string>> {
  if (typeof lossy !== "string") return lossy;
  return Object.fromEntries([...Object.keys(older), ...Object.keys(newer)].map((name) => [name, lossy]));
}

function reasonsFor(values: Values): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(values).map((path) => [`=${path}`, "it is always the same"]));
}

function withValues(parts: Parts, values: Values): Parts {
  if (Object.values(parts).every((value) => value === undefined)) return parts;
  const constants = Object.entries(values).map(([path, value]) => [`=${path}`, value] as const);
  return { ...parts, ...Object.fromEntries(constants) };
}
