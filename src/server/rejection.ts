import { STATUS_CODES } from "node:http";
import { writeJson } from "../json/exact.ts";
import { NotSynced } from "../lister.ts";
import { UnreadableReview } from "../review/answer.ts";

/** An answer to what cannot be answered in an envelope: an HTTP status and one sentence. */
export interface Rejection {
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Refuses what cannot be read. */
export function badRequest(message: string): Rejection {
  return { code: 400, message };
}

/** Refuses a body, or headers, of more than a limit. */
export function tooLarge(message: string): Rejection {
  return { code: 413, message };
}

/** Refuses for now. An API server asks again after the second that it is told (kubernetes.md 1.5, 8c). */
export function unavailable(message: string): Rejection {
  return { code: 503, message, headers: { "Retry-After": "1" } };
}

/** Refuses where there is no memory for a body, or for the answer to it. */
export const overloaded = unavailable("too many large bodies at once; ask again in a second");

/** The rejection that an error of a handler means; a 500 for one that is our own fault. */
export function rejectionOf(error: unknown): Rejection {
  if (error instanceof UnreadableReview) return badRequest(error.message);
  // The API server asks again, up to ten times within its timeout: by then it may be known.
  if (error instanceof NotSynced) return unavailable(error.message);
  return { code: 500, message: "the service failed at this review; its log says more" };
}

/** A rejection as a `metav1.Status`, which an API server shows to the user in place of its own general sentence (kubernetes.md 1.6). */
export function statusOf({ code, message }: Rejection): string {
  const reason = reasons.get(code);
  return writeJson({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === undefined ? {} : { reason }),
    code,
  });
}

/** A rejection as the whole text of an HTTP answer, for a connection whose request could not be parsed. */
export function rawAnswerOf(rejection: Rejection): string {
  const body = statusOf(rejection);
  const lines = [
    `HTTP/1.1 ${rejection.code} ${STATUS_CODES[rejection.code] ?? "Refused"}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** The names that Kubernetes has for codes (apimachinery `pkg/apis/meta/v1/types.go`); it has none for the others. */
const reasons: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);
