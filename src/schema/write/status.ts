import { kindName } from "../../apimachinery/resource.ts";
import { quote } from "../../go/text.ts";
import type { JsonObject } from "../../json/json.ts";

/** A cause as a Status lists it. */
export interface StatusCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** The Status of a rejection for what is wrong with an object (apimachinery, api/errors, NewInvalid). */
export function invalidStatus(
  group: string,
  kind: string,
  name: string,
  found: readonly StatusCause[],
): JsonObject {
  const causes = found.map(({ reason, message, field }) => ({ reason, message, field }));
  return failure(422, "Invalid", `${kindName(group, kind)} ${quote(name)} is invalid: ${joined(found)}`, {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    kind,
    causes,
  });
}

/** The Status of a request that cannot be read. */
export function badRequestStatus(message: string): JsonObject {
  return failure(400, "BadRequest", message);
}

/** A Status of failure. */
export function failure(
  code: number,
  reason: string | undefined,
  message: string,
  details?: JsonObject,
): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** Each sentence once; several in brackets. */
function joined(causes: readonly StatusCause[]): string {
  const sentences = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  return sentences.length === 1 ? sentences.join("") : `[${sentences.join(", ")}]`;
}
