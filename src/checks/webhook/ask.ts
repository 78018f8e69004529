import type { JsonObject } from "../../json/json.ts";

/** What comes back for one review. */
export type Reply =
  | { readonly state: "answered"; readonly status: number; readonly text: string }
  /** The connection was closed without an answer, as Go does after a panic in a handler. */
  | { readonly state: "closed"; readonly sentence: string }
  /** No answer came in time. */
  | { readonly state: "silent"; readonly sentence: string }
  /** No connection can be made: the process has ended, or is not reachable. */
  | { readonly state: "unreachable"; readonly sentence: string };

/** Sends one ConversionReview, as JSON text, to a conversion webhook. It does not reject. */
export type Ask = (review: string) => Promise<Reply>;

/** What a webhook made of one object. */
export type Outcome =
  /** As an API server would go on with it; `answer` is what the webhook sent. */
  { readonly state: "converted"; readonly object: JsonObject; readonly answer: JsonObject } | Failure;

/** Why an object was not converted. */
export type Failure =
  /** Deliberate if the webhook says so in its result; else the answer is one that an API server rejects. */
  | { readonly state: "refused"; readonly sentence: string; readonly isDeliberate?: boolean }
  | { readonly state: "crashed"; readonly sentence: string };

/** The webhook can no longer be reached. */
export class WebhookDied extends Error {
  override readonly name = "WebhookDied";
  /** Whether it accepts connections and does not answer. */
  readonly isHanging: boolean;
  /** What was sent last: one of these ended it. */
  readonly suspects: readonly JsonObject[];
  readonly desired: string;

  constructor(sentence: string, suspects: readonly JsonObject[], desired: string, isHanging: boolean) {
    super(sentence);
    this.isHanging = isHanging;
    this.suspects = suspects;
    this.desired = desired;
  }
}

/** The time for the checks is over, or the user has interrupted them. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}
