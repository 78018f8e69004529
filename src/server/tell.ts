import type { Logger } from "pino";
import type { AdmissionReport, ConversionReport } from "../review/answer.ts";

/** Tells the log of an answered review: what was refused and why, never what was in it. */
export function tell(log: Logger, report: ConversionReport | AdmissionReport, seconds: number): void {
  const level = levels[report.outcome];
  // Most reviews succeed, and most logs do not want to hear of it: no object is built for nothing.
  if (!log.isLevelEnabled(level)) return;
  const { message, ...facts } = report;
  const reason = message === undefined ? {} : { reason: message };
  log[level]({ ...facts, ...reason, milliseconds: Math.round(seconds * 1e6) / 1e3 }, "review answered");
}

const levels = {
  success: "debug",
  allow: "debug",
  change: "debug",
  deny: "info",
  failure: "warn",
  error: "error",
} as const;
