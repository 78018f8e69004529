import { attribute, escaped } from "./markup.ts";
import { type Check, type CheckReport, isFailed, type Suite } from "./report.ts";

/** A report as JUnit XML, which CI servers read. Warnings are in the output of their suite. */
export function junitOf({ name, suites }: CheckReport): string {
  const all = suites.flatMap(({ checks }) => checks);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${attribute(name)}" ${countsOf(all)}>`,
    ...suites.flatMap(suiteOf),
    "</testsuites>",
  ].join("\n");
}

function suiteOf(suite: Suite): readonly string[] {
  const { name, checks } = suite;
  const output = outputOf(suite);
  return [
    `  <testsuite name="${attribute(name)}" ${countsOf(checks)}>`,
    ...propertiesOf(suite),
    ...checks.flatMap(caseOf),
    ...(output === "" ? [] : [`    <system-out>${escaped(output)}</system-out>`]),
    "  </testsuite>",
  ];
}

function propertiesOf({ properties = {} }: Suite): readonly string[] {
  const each = Object.entries(properties).map(
    ([name, value]) => `<property name="${attribute(name)}" value="${attribute(value)}"/>`,
  );
  return each.length === 0 ? [] : [`    <properties>${each.join("")}</properties>`];
}

function outputOf({ output, checks }: Suite): string {
  const warnings = checks
    .flatMap(({ findings }) => findings)
    .filter(({ level }) => level === "warning")
    .map(({ message }) => `Warning: ${message}`);
  return [...(output === undefined ? [] : [output]), ...warnings].join("\n");
}

function caseOf(check: Check): readonly string[] {
  const { group, name, seconds, skipped } = check;
  const time = seconds === undefined ? "" : ` time="${seconds.toFixed(3)}"`;
  const open = `    <testcase classname="${attribute(group)}" name="${attribute(name)}"${time}`;
  if (skipped !== undefined)
    return [`${open}>`, `      <skipped message="${attribute(skipped)}"/>`, "    </testcase>"];
  if (!isFailed(check)) return [`${open}/>`];
  return [`${open}>`, `      ${failureOf(check)}`, "    </testcase>"];
}

/** One failure for all errors of a check: most readers show only the first. */
function failureOf({ findings }: Check): string {
  const errors = findings.filter(({ level }) => level === "error");
  const [first] = errors;
  const details = errors.map(({ message, details: more, place }) => {
    const where = place === undefined ? "" : `${place.file}:${place.line}: `;
    return more === undefined ? `${where}${message}` : `${where}${message}\n${more}`;
  });
  return `<failure type="${attribute(first?.rule ?? "")}" message="${attribute(first?.message ?? "")}">${escaped(details.join("\n"))}</failure>`;
}

function countsOf(checks: readonly Check[]): string {
  const failures = checks.filter(isFailed).length;
  const skipped = checks.filter((each) => each.skipped !== undefined).length;
  const measured = checks.flatMap(({ seconds }) => (seconds === undefined ? [] : [seconds]));
  const time =
    measured.length === 0 ? "" : ` time="${measured.reduce((sum, each) => sum + each, 0).toFixed(3)}"`;
  return `tests="${checks.length}" failures="${failures}" errors="0" skipped="${skipped}"${time}`;
}
