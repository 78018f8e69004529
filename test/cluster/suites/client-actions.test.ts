import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type Home, startHome } from "../home.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";
import { type PublishedKinds, publishedKinds } from "../published-kinds.ts";
import { type Action, chapters, onOversized } from "./actions.ts";
import { applierCases } from "./appliers.ts";
import { claimOf, judge } from "./judgement.ts";
import { knownActions, knownInCell } from "./known-actions.ts";
import { pageOf, type Row, type Table } from "./page.ts";
import { publishedSides } from "./published-sides.ts";
import { untilServed } from "./served.ts";
import { oversized, oversizedSet, type Side, sidecarSet, sides, statefulSet } from "./sides.ts";
import { type Finding, tryApplier, tryOut } from "./trial.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("what clients do", claims);

// CLIENT_KIND=Light tries the objects of one kind alone, in a tenth of the time; the page stays as it is then.
const only = process.env.CLIENT_KIND;
const page = "docs/evidence/client-actions.md";
const crds = only === undefined ? requirePublished() : undefined;

function claims(): void {
  let home: Home;
  let published: PublishedKinds | undefined;
  const found = new Map<Trial, Finding | Error>();

  // All at once, a few at a time: each trial is an object of its own.
  beforeAll(async () => {
    published = crds === undefined ? undefined : await publishedKinds(crds);
    home = await startHome(["webhooks", ...(published === undefined ? [] : [published.folder])]);
    for (const names of only === undefined ? [sidecarSet, statefulSet] : [])
      await untilServed(home, names, ["v1alpha1", "v1beta1"]);
    for (const { names, native, client } of crds === undefined ? [] : publishedSides)
      await untilServed(home, { group: "", ...names }, [native, client]);
    await home.createNamespace("clients");
    const waiting = tables.flatMap(({ rows }) => rows.flatMap(({ trials }) => trials)).entries();
    const worker = async () => {
      for (const [index, trial] of waiting) {
        const run = (name: string) => trial.run(home, name).catch((error: Error) => error);
        const finding = await run(`object-${index}`);
        found.set(trial, mayBeRepeated(trial, finding) ? await run(`object-${index}-again`) : finding);
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  }, 900_000);
  afterAll(async () => {
    await Promise.all([home?.stop(), published?.remove()]);
  });

  // On a machine that stalls for seconds, etcd or a request may time out. Once per run that is not a finding, but it is
  // reported, with the log of the service.
  let repeated = 0;
  function mayBeRepeated({ object }: Trial, finding: Finding | Error): boolean {
    const failures = finding instanceof Error ? [finding.message] : finding.refused;
    const failed = failures.filter((each) => /^5\d\d |: 5\d\d /.test(each));
    if (failed.length === 0 || repeated > 0) return false;
    repeated++;
    console.warn(`${object} is tried again: ${failed.join("\n")}\n${home.service.logged().slice(-4000)}`);
    return true;
  }

  for (const { title, rows } of tables) {
    describe(title, () => {
      for (const row of rows) {
        it(claimOf(row), () => {
          for (const trial of row.trials) judge(row, trial, findingOf(trial));
        });
      }
    });
  }

  if (crds === undefined && only === undefined) it(publishedLeftOut, () => {});
  else if (crds !== undefined)
    it(`is listed in ${page}`, () => {
      const text = pageOf(tables.map((table) => ({ ...table, rows: table.rows.map(rowOf) })));
      if (process.env.RECORD === "1") writeFileSync(page, text);
      expect(text).toBe(readFileSync(page, "utf8"));
    });

  it.each(crds === undefined ? [] : knownActions.map((each) => [each.finding, each.why, each] as const))(
    "the known fault %s still occurs, or is to be taken out of test/soak/known.yaml: %s",
    (_finding, _why, known) => {
      const cells = tables.flatMap(({ rows }) =>
        rows.flatMap(({ name, trials }) => trials.map((trial) => ({ name, trial }))),
      );
      const isFound = ({ name, trial }: (typeof cells)[number]) =>
        knownInCell(trial.object, name, findingOf(trial)) === known;
      expect(cells.some(isFound)).toBe(true);
    },
  );

  function rowOf({ name, trials }: Trials): Row {
    const cells = trials.map((trial) => {
      const finding = findingOf(trial);
      const fault = knownInCell(trial.object, name, finding)?.why;
      return { object: trial.object, finding, ...(fault === undefined ? {} : { fault }) };
    });
    return { name, cells };
  }

  function findingOf(trial: Trial): Finding {
    const finding = found.get(trial);
    if (finding === undefined) throw new Error(`${trial.object} was not tried`);
    if (finding instanceof Error) throw finding;
    return finding;
  }
}

/** One cell of a table. */
interface Trial {
  readonly object: string;
  readonly instead?: string | undefined;
  readonly writesCarriers: boolean;
  readonly run: (home: Home, name: string) => Promise<Finding>;
}

interface Trials {
  readonly name: string;
  readonly trials: readonly Trial[];
}

const chosen = sides.filter(({ names }) => only === undefined || names.kind === only);

function columnOf({ names, native }: Side): string {
  return `${names.kind} ${native}`;
}

function trialOf(side: Side, action: Action): Trial {
  return {
    object: columnOf(side),
    instead: side.instead,
    writesCarriers: action.writesCarriers === true,
    run: (home, name) => tryOut(home, "clients", name, side, action),
  };
}

// Noise that does not compress: xorshift, so that a run can be repeated.
function noise(bytes: number): string {
  let state = 2_463_534_242;
  const drawn = Buffer.alloc(bytes);
  for (let index = 0; index < bytes; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    drawn[index] = state & 255;
  }
  return drawn.toString("base64");
}

const byChapter = chapters.map(({ title, actions }) => ({
  title,
  says: "",
  columns: chosen.map(columnOf),
  rows: actions.map((action) => ({
    name: action.name,
    trials: chosen.map((side) => trialOf(side, action)),
  })),
}));

const large = [oversized(noise(225_000)), oversizedSet(noise(225_000))];

const bySize = {
  title: "An object too large for our annotation",
  says:
    "300 kB of accessories, and a version with a name of 300 kB: no annotation may be so large, so the copy in status is " +
    "the only one.",
  columns: large.map(columnOf),
  rows: onOversized.map((action) => ({
    name: action.name,
    trials: large.map((side) => trialOf(side, action)),
  })),
};

const ofOthers = {
  title: "Kinds of other projects",
  says:
    "All of these with kinds whose schemas are those of Cluster API, cert-manager and Prometheus Operator, and whose lenses are " +
    "in `test/cases/published`.",
  columns: publishedSides.map(columnOf),
  rows: chapters
    .flatMap(({ actions }) => actions)
    .map((action) => ({ name: action.name, trials: publishedSides.map((side) => trialOf(side, action)) })),
};

const byApplier = {
  title: "Server-side apply by the owner, beside a client of the other version",
  says:
    "An applier stops applying something. What it alone held goes, what others hold stays, and applying the same again " +
    "writes nothing. The other client applied its fields, or wrote them by PUT.",
  columns: ["beside an applier", "beside a PUT"],
  rows: applierCases.map((each) => ({
    name: each.name,
    trials: (["applies", "PUTs"] as const).map((other) => ({
      object: each.names.kind,
      writesCarriers: false,
      run: (home: Home, name: string) => tryApplier(home, "clients", name, each, other),
    })),
  })),
};

const tables: readonly (Omit<Table, "rows"> & { readonly rows: readonly Trials[] })[] = [
  ...byChapter,
  ...(only === undefined ? [bySize, byApplier] : []),
  ...(crds === undefined ? [] : [ofOthers]),
];
