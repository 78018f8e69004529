import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { CheckReport, Finding, Place } from "./report.ts";

/** A report in SARIF 2.1.0: a result for each finding, for code scanning and editors. */
export function sarifOf({ suites }: CheckReport): string {
  const checks = suites.flatMap((suite) => suite.checks);
  const found = checks.flatMap(({ group, name, findings }) =>
    findings.map((finding) => ({ finding, check: `${group}: ${name}` })),
  );
  const rules = [...new Set(found.map(({ finding }) => finding.rule))].map((id) => ({ id }));
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "antechamber", rules } },
        columnKind: "utf16CodeUnits",
        results: found.map(({ finding, check }) => resultOf(finding, check)),
      },
    ],
  };
  return JSON.stringify(log, null, 2);
}

function resultOf({ level, rule, message, details, place }: Finding, check: string) {
  return {
    ruleId: rule,
    level,
    message: { text: `${check}: ${details === undefined ? message : `${message}\n${details}`}` },
    ...(place === undefined ? {} : { locations: [{ physicalLocation: locationOf(place) }] }),
  };
}

function locationOf({ file, line, column }: Place) {
  return {
    artifactLocation: { uri: uriOf(file) },
    region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) },
  };
}

/** A relative path stays relative, so that code scanning finds the file in the repository. */
function uriOf(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.split(/[/\\]/).map(encodeURIComponent).join("/");
}
