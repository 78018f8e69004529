import type { Cause } from "../admission/verdict.ts";
import { type JsonObject, textAt } from "../json/json.ts";
import { fieldOf } from "../json/path.ts";

/** A refusal as the API server words its own (apimachinery, errors.NewInvalid). */
export function invalidStatus(causes: readonly Cause[], request: JsonObject, kind = "object"): JsonObject {
  const name = textAt(request, "name") || textAt(request, "object", "metadata", "name");
  const details = causes.map(({ path, reason, message, field }) => ({
    reason,
    message,
    ...(field !== undefined ? { field } : path.length > 0 ? { field: fieldOf(path) } : {}),
  }));
  const all = details.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  const sentences = [...new Set(all)];
  const list = sentences.length === 1 ? sentences[0] : `[${sentences.join(", ")}]`;
  return {
    status: "Failure",
    message: `${kind} ${JSON.stringify(name)} is invalid: ${list}`,
    reason: "Invalid",
    details: {
      ...(name === "" ? {} : { name }),
      group: textAt(request, "kind", "group"),
      kind: textAt(request, "kind", "kind"),
      causes: details,
    },
    code: 422,
  };
}
