import { readFileSync } from "node:fs";
import { parse } from "yaml";

type Recorded = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const read = (file: string): Recorded => parse(readFileSync(file, "utf8")) ?? {};

/** The section of docs/evidence/findings.md that compares webhooks alone with webhooks behind the guard. */
export function findingsTable(): string {
  const [alone, behind] = [read("test/cases/webhook-findings.yaml"), read("test/cases/guard-findings.yaml")];
  const rows = Object.entries(behind).flatMap(([project, kinds]) =>
    Object.entries(kinds).map(([plural, left]) => {
      const before = (alone[project]?.[plural] ?? []).filter(isFault);
      return { project, plural, before: before.length, left };
    }),
  );
  const sum = (count: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + count(row), 0);
  const cells = rows.map(
    ({ project, plural, before, left }) =>
      `| ${project} | ${plural} | ${before} | ${left.length} | ${explained(left)} |`,
  );
  return [
    begin,
    "| project | kind | findings alone | behind the guard | what is left |",
    "|---|---|---|---|---|",
    ...cells,
    `| all | | ${sum(({ before }) => before)} | ${sum(({ left }) => left.length)} | |`,
    end,
  ].join("\n");
}

/** The lines around the table. */
export const begin =
  "<!-- Generated from test/cases/*-findings.yaml: RECORD=1 npx vitest run test/guard/findings-table.test.ts -->";
export const end = "<!-- end of the generated table -->";

/** Whether a line is a fault, and not a note. */
function isFault(line: string): boolean {
  return !/^(?:added|invalid|kept by annotations|looser) /.test(line);
}

/** Why each finding is left; one without an explanation is an error. */
function explained(lines: readonly string[]): string {
  const sorts = lines.map((line) => {
    const sort = reasons.find(({ is }) => is.test(line));
    if (sort === undefined) throw new Error(`no explanation of: ${line}`);
    return sort.text;
  });
  return [...Map.groupBy(sorts, (text) => text)].map(([text, { length }]) => `${length}: ${text}`).join("; ");
}

const reasons: readonly { readonly is: RegExp; readonly text: string }[] = [
  {
    is: /^lost .* edit\): by an edit of \S+\.name at /,
    text: "an item that is renamed at the other version inherits nothing",
  },
  {
    is: /^hidden .* keeps it in an annotation alone$/,
    text: "both versions have the field, and the webhook answers without it: carried, and shown with `--same-fields`",
  },
];
