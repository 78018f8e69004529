import { type Cause, type Json, type Path, writeJson } from "antechamber";

/** What is wrong with a value, one cause for each sentence (apimachinery, util/validation/field). */
export function invalid(
  path: Path,
  value: Json | undefined,
  ...details: readonly string[]
): readonly Cause[] {
  return details.map((detail) => cause(path, "FieldValueInvalid", `Invalid value: ${shown(value)}`, detail));
}

/** A value is missing. */
export function required(path: Path, detail = ""): readonly Cause[] {
  return [cause(path, "FieldValueRequired", "Required value", detail)];
}

/** A value may not be there. */
export function forbidden(path: Path, detail: string): readonly Cause[] {
  return [cause(path, "FieldValueForbidden", "Forbidden", detail)];
}

/** A value is there twice. */
export function duplicate(path: Path, value: Json): readonly Cause[] {
  return [cause(path, "FieldValueDuplicate", `Duplicate value: ${shown(value)}`)];
}

/** Nothing has the name that is given. */
export function notFound(path: Path, value: Json, detail = ""): readonly Cause[] {
  return [cause(path, "FieldValueNotFound", `Not found: ${shown(value)}`, detail)];
}

/** A value is none of those that there are. */
export function notSupported(path: Path, value: Json, supported: readonly string[]): readonly Cause[] {
  const words = supported.map((each) => JSON.stringify(each)).join(", ");
  return [
    cause(path, "FieldValueNotSupported", `Unsupported value: ${shown(value)}`, `supported values: ${words}`),
  ];
}

/** A text has more bytes than it may. */
export function tooLong(path: Path, most: number): readonly Cause[] {
  return [cause(path, "FieldValueTooLong", "Too long", `may not be more than ${most} bytes`)];
}

/** A value is of a type that cannot be read. */
export function unreadable(path: Path, expected: string): readonly Cause[] {
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
