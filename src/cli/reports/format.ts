import { githubOf } from "./github.ts";
import { junitOf } from "./junit.ts";
import type { CheckReport } from "./report.ts";
import { sarifOf } from "./sarif.ts";

/** The formats of `CheckReport`, for the option --output of a command. */
export const reportFormats = ["junit", "sarif", "github"] as const;

/** One of these formats. */
export type ReportFormat = (typeof reportFormats)[number];

/** Whether an output format is one of a `CheckReport`. */
export function isReportFormat(format: string): format is ReportFormat {
  return reportFormats.some((each) => each === format);
}

/** A report as text, without a line end after the last line; empty if the format has nothing to say. */
export function formatReport(report: CheckReport, format: ReportFormat): string {
  switch (format) {
    case "junit":
      return junitOf(report);
    case "sarif":
      return sarifOf(report);
    case "github":
      return githubOf(report);
  }
}
