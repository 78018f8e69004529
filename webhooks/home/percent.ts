import { isInteger, isNumber, type Json, toDouble } from "antechamber";

/** The brightness for a level: `50` and `"50%"` are 0.5. Undefined for anything that is not a percentage. */
export function brightnessOfLevel(level: Json | undefined): number | undefined {
  if (isInteger(level)) return finite(toDouble(level) / 100);
  if (typeof level !== "string") return undefined;
  const [, digits] = /^(-?\d{1,15})%$/.exec(level) ?? [];
  return digits === undefined ? undefined : finite(Number(digits) / 100);
}

/** The level for a brightness: hundredths, rounded to the nearest integer, halves up. */
export function levelOfBrightness(brightness: Json | undefined): number | undefined {
  return isNumber(brightness) ? finite(Math.round(toDouble(brightness) * 100)) : undefined;
}

/** The number, with 0 for negative zero; undefined for a number that JSON cannot represent. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value + 0 : undefined;
}
