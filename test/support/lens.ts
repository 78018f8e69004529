import { type Lens, lensIn, type Row } from "../../src/conversion/lens.ts";
import { lens as definedBy } from "../../src/conversion/rows.ts";

/** A lens from rows, as the engine reads it. */
export function lens(...rows: readonly Row[]): Lens {
  return lensIn(definedBy(...rows));
}
