import type { Cause, Json, Path } from "antechamber";
import { writeJson } from "antechamber/json";

/** An invalid value, with one cause for each detail (apimachinery, util/validation/field). */
export function invalid(
  path: Path,
  value: Json | undefined,
  ...details: readonly string[]
): readonly Cause[] {
  return details.map((detail) => cause(path, "FieldValueInvalid", `Invalid value: ${shown(value)}`, detail));
}

/** A missing value. */
export function required(path: Path, detail = ""): readonly Cause[] {
  return [cause(path, "FieldValueRequired", "Required value", detail)];
}

/** A value that is not allowed. */
export function forbidden(path: Path, detail: string): readonly Cause[] {
  return [cause(path, "FieldValueForbidden", "Forbidden", detail)];
}

/** A duplicate value. */
export function duplicate(path: Path, value: Json): readonly Cause[] {
  return [cause(path, "FieldValueDuplicate", `Duplicate value: ${shown(value)}`)];
}

/** A reference to something that does not exist. */
export function notFound(path: Path, value: Json, detail = ""): readonly Cause[] {
  return [cause(path, "FieldValueNotFound", `Not found: ${shown(value)}`, detail)];
}

/** A value outside the list of supported values. */
export function notSupported(path: Path, value: Json, supported: readonly string[]): readonly Cause[] {
  const words = supported.map((each) => JSON.stringify(each)).join(", ");
  return [
    cause(path, "FieldValueNotSupported", `Unsupported value: ${shown(value)}`, `supported values: ${words}`),
  ];
}

/** A string with too many bytes. */
export function tooLong(path: Path, most: number): readonly Cause[] {
  return [cause(path, "FieldValueTooLong", "Too long", `may not be more than ${most} bytes`)];
}

/** A value of a wrong type. */
export function wrongType(path: Path, expected: string): readonly Cause[] {
  return [cause(path, "FieldValueTypeInvalid", "Invalid value", `must be ${expected}`)];
}

function cause(path: Path, reason: Cause["reason"], head: string, detail = ""): Cause {
  return { path, reason, message: detail === "" ? head : `${head}: ${detail}` };
}

const longest = 200;

function shown(value: Json | undefined): string {
  const text = writeJson(value ?? null);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
