import type { Logger } from "pino";
import type { AdmissionReport, ConversionReport } from "../review/answer.ts";

/** What is told of an answered review beside its report. */
export interface Circumstances {
  readonly seconds: number;
  readonly isSlow: boolean;
  readonly traceparent: string | undefined;
}

/** Tells the log of an answered review: what was refused and why, never what was in it. */
export function logReview(
  log: Logger,
  report: ConversionReport | AdmissionReport,
  { seconds, isSlow, traceparent }: Circumstances,
): void {
  const own = levels[report.outcome];
  const level = isSlow && own !== "error" ? "warn" : own;
  // Most reviews succeed, and most logs do not want to hear of it: no object is built for nothing.
  if (!log.isLevelEnabled(level)) return;
  const { message, ...facts } = report;
  const reason = message === undefined ? {} : { reason: message };
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
