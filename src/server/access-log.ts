import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import type { AdmissionReport, ConversionReport } from "../review/answer.ts";
import { traceparentOf } from "./tracing.ts";

/** What is logged of an answered review besides its report. */
interface LogContext {
  readonly seconds: number;
  readonly isSlow: boolean;
  readonly request: IncomingMessage;
}

/** Logs an answered review: what was denied or failed and why, but no content of its objects. */
export function logReview(
  log: Logger,
  report: ConversionReport | AdmissionReport,
  { seconds, isSlow, request }: LogContext,
): void {
  const own = levels[report.outcome];
  const level = isSlow && own !== "error" ? "warn" : own;
  // Most reviews succeed and most services do not log at debug: the object below is only built if it is written.
  if (!log.isLevelEnabled(level)) return;
  const { message, ...facts } = report;
  const reason = message === undefined ? {} : { reason: message };
  const traceparent = traceparentOf(request);
  const trace = traceparent === undefined ? {} : { traceparent };
  const milliseconds = Math.round(seconds * 1e6) / 1e3;
  log[level](
    { ...facts, ...reason, ...trace, milliseconds, ...(isSlow ? { slow: true } : {}) },
    "review answered",
  );
}

const levels = {
  success: "debug",
  allow: "debug",
  change: "debug",
  deny: "info",
  failure: "warn",
  error: "error",
} as const;
