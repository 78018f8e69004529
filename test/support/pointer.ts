import { type Path, tokenOf } from "../../src/json/path.ts";

/** A path as a JSON pointer (RFC 6901): `/metadata/annotations/a~1b`. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${tokenOf(step)}`).join("");
}
