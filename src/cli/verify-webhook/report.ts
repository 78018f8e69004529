import type { Finding, KindFindings } from "../../checks/index.ts";
import type { Place } from "../reports/report.ts";

/** What was found on all kinds of a webhook. */
export interface WebhookReport {
  /** The URL, or the name of the service. */
  readonly webhook: string;
  readonly seed: number;
  readonly runs: number;
  /** Whether everything was tried. */
  readonly complete: boolean;
  readonly kinds: readonly WebhookKind[];
}

/** What was found on a kind. */
export interface WebhookKind extends KindFindings {
  /** Where its CRD is; absent if it comes from a cluster. */
  readonly place?: Place;
  /** Findings that the baseline has, too. */
  readonly known?: readonly Finding[];
  /** What the baseline has and this run has not, a line each. */
  readonly stale?: readonly string[];
}
