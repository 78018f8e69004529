import { readFileSync } from "node:fs";
import { parse } from "yaml";

type Recorded = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const read = (file: string): Recorded => parse(readFileSync(file, "utf8")) ?? {};

/** The section of docs/evidence/findings.md that compares webhooks alone with webhooks behind the guard. */
export function findingsTable(): string {
  const [alone = {}, behind = {}, same = {}] = ["webhook", "guard", "same-fields"].map((name) =>
    read(`test/cases/${name}-findings.yaml`),
  );
  const rows = Object.entries(behind).flatMap(([project, kinds]) =>
    Object.entries(kinds).map(([plural, left]) => {
      const before = (alone[project]?.[plural] ?? []).filter(isFault);
      const withSame = same[project]?.[plural];
      if (withSame === undefined) throw new Error(`${plural} of ${project} are not tried with --same-fields`);
      return { project, plural, before: placesIn(before), left, withSame };
    }),
  );
  const sum = (count: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + count(row), 0);
  const cells = rows.map(
    ({ project, plural, before, left, withSame }) =>
      `| ${project} | ${plural} | ${before} | ${placesIn(left)} | ${placesIn(withSame)} | ${explained(left, withSame)} |`,
  );
  return [
    begin,
    "| project | kind | places alone | behind the guard | with `--same-fields` | what is left |",
    "|---|---|---|---|---|---|",
    ...cells,
    `| all | | ${sum(({ before }) => before)} | ${sum(({ left }) => placesIn(left))} | ${sum(({ withSame }) => placesIn(withSame))} | |`,
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

/** How many places findings are about: a line may name one, and count those below or beside it. */
function placesIn(lines: readonly string[]): number {
  return lines.reduce(
    (sum, line) => sum + 1 + Number(/ and (\d+) below or beside it/.exec(line)?.[1] ?? 0),
    0,
  );
}

/** Why each finding is left, also those that are left with `--same-fields` alone; one without an explanation is an error. */
function explained(left: readonly string[], withSame: readonly string[]): string {
  const reasonOf = (line: string) => {
    const reason = reasons.find(({ is }) => is.test(line));
    if (reason === undefined) throw new Error(`no explanation of: ${line}`);
    return reason.text;
  };
  const hidden = withSame.find((line) => reasonOf(line) === withoutIt);
  if (hidden !== undefined) throw new Error(`not shown with --same-fields: ${hidden}`);
  const some = Map.groupBy(left, reasonOf);
  const others = withSame.filter((line) => !some.has(reasonOf(line)));
  const words = [...some].map(([text, lines]) => `${placesIn(lines)}: ${text}`);
  const more = [...Map.groupBy(others, reasonOf)].map(
    ([text, lines]) => `with \`--same-fields\` ${placesIn(lines)}: ${text}`,
  );
  return [...words, ...more].join("; ");
}

const withoutIt =
  "both versions have the field, and the webhook answers without it: carried, and shown with `--same-fields`";

const reasons: readonly { readonly is: RegExp; readonly text: string }[] = [
  {
    is: /^hidden \S*network\.subnets\[\]/,
    text: "v1beta2 identifies subnets by `id`, and has no place for those of v1beta1 without one: carried",
  },
  {
    is: /^hidden status\.conditions\[\]\.severity/,
    text: "two old versions have the field, and v1beta2, through which the guard converts, does not: carried",
  },
  {
    is: /^hidden \S*\.topologyAssignment\./,
    text: "v1beta1 has domains where v1beta2 has slices, and the webhook shows a part of them: carried",
  },
  {
    is: /^hidden spec\.(?:timeout|retention\.\w+) /,
    text: "Go does not read `5 minutes`, and the webhook shows `0s` instead: carried",
  },
  {
    is: /^hidden spec\.source\.contextDir /,
    text: "the webhook knows no `source` that has neither a URL nor a container: carried",
  },
  { is: /^hidden .* keeps it in an annotation alone$/, text: withoutIt },
  {
    is: /^differs status\.taskSpec\.sidecars\[\]\.ports\[\]/,
    text: "v1 identifies ports by `protocol` too, which v1beta1 may leave out: carried",
  },
  {
    is: /^(?:lost|became) (\S*Ref)\.\w+(?: and .*)? \(.* edit\): by an edit of \1\.\w+ at /,
    text: "a reference is atomic: edited, it refers to another object, and the old one's details go",
  },
  {
    is: /^lost \S*\[\]\S*(?: and .*)? \(.* edit\): by an edit of \S*\[\d+\]\.\S*(?:\[\d+\]|\.\w+ at )/,
    text: "an item without keys and without a name is edited, and is another item",
  },
  {
    is: /^lost \S*\[\]\S*(?: and .*)? \(.* edit\): by an edit of \S*\[\d+\]\.\w+ at /,
    text: "an item that is renamed, or changed in all that the other version shows of it, inherits nothing",
  },
];
