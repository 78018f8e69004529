import { writeJson } from "../../json/exact.ts";
import { NotSynced } from "../../kind/lister.ts";
import { UnreadableReview } from "../../review/answer.ts";
import { STATUS_CODES } from "./http.ts";

/** The response to a request that cannot be answered with a review: an HTTP status and one sentence. */
export interface Rejection {
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rejects a request that cannot be read. */
export function badRequest(message: string): Rejection {
  return { code: 400, message };
}

/** Rejects for now. client-go's rest.Request, with which an API server calls webhooks, repeats a 5xx after the seconds of its Retry-After. */
export function unavailable(message: string): Rejection {
  return { code: 503, message, headers: { "Retry-After": "1" } };
}

/** Rejects a body for which, or for whose answer, there is no memory now. */
export const overloaded = unavailable("too many large bodies at once; ask again in a second");

/** A review cannot be answered now, for a reason that the client of the API server should read. */
export class NotNow extends Error {}

/** Rejects for now, but not for a second: asked again until its timeout is over, an API server would say only that it is. */
export function notNow(message: string): Rejection {
  return { code: 503, message };
}

/** The rejection for an error that a handler threw; a 500 if the error is a fault of this service. */
export function rejectionOfError(error: unknown): Rejection {
  if (error instanceof UnreadableReview) return badRequest(error.message);
  // The API server asks again, up to ten times within its timeout; by then the objects may have been listed.
  if (error instanceof NotSynced) return unavailable(error.message);
  if (error instanceof NotNow) return notNow(error.message);
  return { code: 500, message: "the service failed at this review; its log says more" };
}

/** A rejection as a `metav1.Status`; an API server shows its message to the user in place of client-go's general sentence. */
export function rejectionBody({ code, message }: Rejection): string {
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

/** A rejection as the text of a whole HTTP response, for a connection whose request could not be parsed. */
export function rawResponse(rejection: Rejection): string {
  const body = rejectionBody(rejection);
  const lines = [
    `HTTP/1.1 ${rejection.code} ${STATUS_CODES[rejection.code] ?? "Rejected"}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** The reasons that apimachinery (`pkg/apis/meta/v1/types.go`, StatusReason) defines for HTTP status codes. */
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
