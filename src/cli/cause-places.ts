import { get, type Json, listAt } from "../json/json.ts";
import { shownPath } from "../kind/fault.ts";
import type { InputObject } from "../offline/input.ts";
import type { Line } from "../offline/lines.ts";
import type { Finding, Place } from "./reports/report.ts";

/** The place in a file of a field that an API server names in a rejection. */
interface FieldPlace {
  readonly field: string;
  readonly line: number;
  readonly column?: number;
}

/** The places of the fields that a rejection names, each once. */
export function fieldPlaces(input: InputObject, status: Json | undefined): readonly FieldPlace[] {
  const causes = causesOf(status);
  const fields = causes.length === 0 ? strictFields(status) : causes.flatMap(({ field }) => field || []);
  return [...new Set(fields)].map((field) => ({ field, ...input.find(field) }));
}

/** A place as a line below the rejection. */
export function placeLine({ file }: InputObject): (place: FieldPlace) => Line {
  return ({ field, line, column }) => {
    const position = column === undefined ? `${line}` : `${line}:${column}`;
    return { text: `  at ${file}:${position}${field === "" ? "" : `: ${field}`}` };
  };
}

/** A rejection as findings: one for each cause, or one for a rejection without causes. */
export function findingsOf(input: InputObject, status: Json | undefined): readonly Finding[] {
  const causes = causesOf(status);
  if (causes.length === 0) {
    const rule = String(get(status, "reason") ?? "Rejected");
    const [field = ""] = strictFields(status);
    return [{ level: "error", rule, message: String(get(status, "message")), ...placeAt(input, field) }];
  }
  return causes.map(({ field, message, reason }) => ({
    level: "error",
    rule: reason,
    message: field === "" ? message : `${field}: ${message}`,
    ...placeAt(input, field),
  }));
}

/** Warnings as findings, at the object. */
export function warningFindings(input: InputObject, warnings: readonly Json[]): readonly Finding[] {
  return warnings.map((warning) => ({
    level: "warning",
    rule: "Warning",
    message: String(warning),
    ...placeAt(input, ""),
  }));
}

/** Standard input has no place that a tool could open. */
function placeAt({ file, find }: InputObject, field: string): { readonly place?: Place } {
  return file === "stdin" ? {} : { place: { file: shownPath(file), ...find(field) } };
}

/** The fields that strict decoding names. It gives no causes, only a text (apimachinery, runtime/error.go, strictDecodingError). */
function strictFields(status: Json | undefined): readonly string[] {
  const message = String(get(status, "message") ?? "");
  const [, errors = ""] = /strict decoding error: (.*)$/s.exec(message) ?? [];
  return [...errors.matchAll(/(?:unknown|duplicate) field "([^"]+)"/g)].map(([, field = ""]) => field);
}

function causesOf(status: Json | undefined) {
  return listAt(status, "details", "causes").map((cause) => ({
    field: fieldIn(cause),
    message: String(get(cause, "message") ?? ""),
    reason: String(get(cause, "reason") ?? "Invalid"),
  }));
}

/** The field of a cause; empty for one about the whole object, for which an API server writes `<nil>`. */
function fieldIn(cause: Json): string {
  const field = get(cause, "field");
  return typeof field !== "string" || field === "<nil>" ? "" : field;
}
