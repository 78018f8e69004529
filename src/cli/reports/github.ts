import type { CheckReport, Finding } from "./report.ts";

/** A report as workflow commands of GitHub Actions: an annotation for each finding, at its file and line. */
export function githubOf({ suites }: CheckReport): string {
  const checks = suites.flatMap((suite) => suite.checks);
  return checks
    .flatMap(({ group, name, findings }) => findings.map((each) => annotation(each, `${group}: ${name}`)))
    .join("\n");
}

function annotation({ level, rule, message, details, place }: Finding, check: string): string {
  const position = place === undefined ? {} : { file: place.file, line: place.line, col: place.column };
  const properties = Object.entries({ ...position, title: `${check} (${rule})` })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${property(String(value))}`);
  return `::${level} ${properties.join(",")}::${data(details === undefined ? message : `${message}\n${details}`)}`;
}

/** Text of a workflow command, escaped as in @actions/core (command.ts, escapeData). */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** The value of a property, escaped as in @actions/core (command.ts, escapeProperty). */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
