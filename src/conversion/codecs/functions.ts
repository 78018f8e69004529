import { didYouMean } from "../../json/alike.ts";

/** Throws unless a codec has both of its functions. */
export function requireCodec(codec: unknown): void {
  if (codec === undefined) return;
  if (typeof codec === "function")
    throw new Error(
      `${codec.name === "" ? "the codec" : codec.name} is a function; a codec is { up, down }, as durationTo("s") returns it`,
    );
  requireFunctions("a codec", codec, ["up", "down", "lossy", "derived"]);
}

/** Throws unless a value has the two functions `up` and `down`. Names that are not known may be meant for one that is missing. */
export function requireFunctions(what: string, value: unknown, known: readonly string[]): void {
  const missing = ["up", "down"].find((name) => !isRecord(value) || typeof value[name] !== "function");
  if (missing === undefined) return;
  const unknown = Object.keys(isRecord(value) ? value : {}).filter((key) => !known.includes(key));
  const meant = unknown.find((key) => didYouMean(key, [missing]) !== "");
  const found = meant === undefined ? "" : `; did you mean ${missing} by ${meant}?`;
  throw new Error(`${what} has two functions, up and down; ${missing} is missing${found}`);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
