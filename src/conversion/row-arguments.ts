import { didYouMean } from "../json/alike.ts";

// What TypeScript rejects in a lens, plain JavaScript and a cast let through: a sentence at the author's line instead of an
// error somewhere in the engine, or of none.

/** Throws unless all arguments are rows. */
export function requireRows(what: "lens" | "each" | "within", rows: readonly unknown[]): void {
  for (const [index, row] of rows.entries()) {
    if (isRecord(row) && isRecord(row.older) && isRecord(row.newer)) continue;
    const paths = what === "lens" ? "" : "path, path, ";
    if (Array.isArray(row))
      throw new Error(`${what} takes rows, not a list of rows; write ${what}(${paths}...rows)`);
    const isCodec = isRecord(row) && "up" in row;
    const values =
      isCodec && what === "each" ? "; for items that are not objects use move with eachValue(codec)" : "";
    const place = what === "lens" ? index + 1 : index + 3;
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

/** Throws unless a codec has both of its functions. */
export function requireCodec(codec: unknown): void {
  if (codec === undefined) return;
  if (typeof codec === "function")
    throw new Error(
      `${codec.name === "" ? "the codec" : codec.name} is a function; a codec is { up, down }, as durationTo("s") returns it`,
    );
  requireFunctions("a codec", codec, ["up", "down", "lossy"]);
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

function requireFunctions(what: string, value: unknown, known: readonly string[]): void {
  const missing = ["up", "down"].find((name) => !isRecord(value) || typeof value[name] !== "function");
  if (missing === undefined) return;
  const unknown = Object.keys(isRecord(value) ? value : {}).filter((key) => !known.includes(key));
  const meant = unknown.find((key) => didYouMean(key, [missing]) !== "");
  const found = meant === undefined ? "" : `; did you mean ${missing} by ${meant}?`;
  throw new Error(`${what} has two functions, up and down; ${missing} is missing${found}`);
}

function isPath(value: unknown): boolean {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((step) => typeof step === "string"))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
