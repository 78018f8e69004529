import { isRecord, requireFunctions } from "./codecs/functions.ts";

// What TypeScript rejects in a lens, plain JavaScript and a cast let through: a sentence at the author's line instead of an
// error somewhere in the engine, or of none.

/** Throws unless all arguments are rows. */
export function requireRows(what: "lens" | "each" | "within" | "union", rows: readonly unknown[]): void {
  for (const [index, row] of rows.entries()) {
    if (isRecord(row) && isRecord(row.older) && isRecord(row.newer)) continue;
    const paths = what === "lens" || what === "union" ? "" : "path, path, ";
    if (Array.isArray(row))
      throw new Error(`${what} takes rows, not a list of rows; write ${what}(${paths}...rows)`);
    const isCodec = isRecord(row) && "up" in row;
    const values =
      isCodec && what === "each" ? "; for items that are not objects use move with eachValue(codec)" : "";
    const place = what === "lens" || what === "union" ? index + 1 : index + 3;
    throw new Error(
      `argument ${place} of ${what} is not a row; write rows such as move("floor", "location.floor")${values}`,
    );
  }
}

/** Throws unless a row has the paths of two fields. */
export function requirePaths(what: "move" | "each" | "within", older: unknown, newer: unknown): void {
  if ([older, newer].every(isPath)) return;
  throw new Error(
    `${what} needs two paths, that of the older version first: ${what}("spec.floor", "spec.location.floor")`,
  );
}

/** Throws unless a group names its fields in both versions and has both of its functions. */
export function requireGroup(definition: unknown): void {
  requireFunctions("a group", definition, ["older", "newer", "up", "down", "shared", "spread", "lossy"]);
  for (const side of ["older", "newer"] as const) {
    const paths = isRecord(definition) ? definition[side] : undefined;
    if (isRecord(paths) && Object.values(paths).every(isPath)) continue;
    throw new Error(`${side} of a group must name fields by their paths: ${side}: { floor: "spec.floor" }`);
  }
}

function isPath(value: unknown): boolean {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((step) => typeof step === "string"))
  );
}
