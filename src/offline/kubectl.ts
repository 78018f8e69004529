import { equal } from "../json/equal.ts";
import { get, type Json, type JsonObject, listAt } from "../json/json.ts";

/** A write and the response of the API server. */
interface AnsweredWrite {
  readonly source: string;
  readonly definition: { readonly group: string; readonly kind: string };
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly answer: { readonly allowed: boolean; readonly status?: JsonObject; readonly object?: JsonObject };
}

/** The line that `kubectl apply` prints for a response (kubectl, pkg/cmd/util/helpers.go), and whether it is an error. */
export function kubectlLine({ source, definition, object, old, answer }: AnsweredWrite): {
  readonly line: string;
  readonly error: boolean;
} {
  const name = get(answer.object ?? object, "metadata", "name") ?? "";
  if (answer.allowed) {
    const isSame = old !== undefined && answer.object !== undefined && equal(old, answer.object);
    const verb = old === undefined ? "created" : isSame ? "unchanged" : "configured";
    return { line: `${definition.kind.toLowerCase()}.${definition.group}/${name} ${verb}`, error: false };
  }
  const { status } = answer;
  const [reason, message] = [get(status, "reason"), get(status, "message")];
  const causes = causesOf(get(status, "details", "causes"));
  if (reason === "Invalid" && causes.length > 0) return { line: invalid(status, causes), error: true };
  const doing = `error when ${old === undefined ? "creating" : "applying patch to"} "${source.replace(/:\d+$/, "")}"`;
  const head = typeof reason === "string" ? `Error from server (${reason})` : "Error from server";
  return { line: `${head}: ${doing}: ${message}`, error: true };
}

function invalid(status: JsonObject | undefined, causes: readonly string[]): string {
  const head = `The ${get(status, "details", "kind")} ${JSON.stringify(get(status, "details", "name") ?? "")} is invalid: `;
  const [only] = causes;
  return causes.length === 1 ? `${head}${only}` : [head, ...causes.map((each) => `* ${each}`)].join("\n");
}

/** Each cause once. */
function causesOf(causes: Json | undefined): readonly string[] {
  const lines = listAt(causes).map((cause) => {
    const [field, message] = [get(cause, "field"), get(cause, "message")];
    return typeof field === "string" && field !== "" ? `${field}: ${message}` : String(message);
  });
  return [...new Set(lines)];
}
