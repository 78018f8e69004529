import { compareRevisions } from "../../checks/index.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import type { JsonObject } from "../../json/json.ts";
import { type InputIo, readInput } from "../../offline/input.ts";
import type { Style } from "../../offline/lines.ts";
import { formatReport, type ReportFormat } from "../reports/format.ts";
import { checksOf } from "./checks.ts";
import type { GitIo } from "./git.ts";
import { storedReports } from "./objects.ts";
import { type CompatReport, countsOf, type KindReport } from "./report.ts";
import { clusterSources, type Sourced, type Sources, withSources } from "./sources.ts";
import { textOf } from "./text.ts";

/** The options of `antechamber compat`. */
interface CompatOptions {
  /** The kubeconfig of the cluster whose CRDs are the old side. */
  readonly kubeconfig?: string;
  /** Whether the stored objects of the cluster are counted that lose values. */
  readonly objects: boolean;
  /** Whether CRDs without `spec.conversion` get a webhook later. */
  readonly converted: boolean;
  /** Objects that are judged beside those that are made. */
  readonly file: readonly string[];
  /** Objects that are drawn by chance for each version. */
  readonly runs: number;
  readonly seed: number;
  readonly output: "text" | "json" | ReportFormat;
}

/** The input and output of `antechamber compat`. */
interface CompatIo extends InputIo, GitIo, Style {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly interrupt: AbortSignal;
}

/**
 * Compares CRDs of two revisions by objects, and prints what changes for clients and for stored objects. Throws RejectedError
 * if something breaks, UsageError for a side that cannot be read.
 */
export async function compat(
  sides: readonly [string, string?],
  options: CompatOptions,
  io: CompatIo,
): Promise<void> {
  const { kubeconfig, objects } = options;
  if (objects && kubeconfig === undefined)
    throw new UsageError("--objects reads the objects of a cluster: pass --kubeconfig, too");
  const seeds = (await readInput(options.file, io, { numbers: "as written" })).map(({ value }) => value);
  const { report, text } = await withBothSides(sides, options, io, async (old, after, name) => {
    const kinds = judged(old, after, seeds, options, io);
    const stored =
      objects && kubeconfig !== undefined ? await storedReports(kubeconfig, old, after, io) : undefined;
    const all = kinds.map((kind) => {
      const counted = stored?.get(kind.name);
      return counted === undefined ? kind : { ...kind, stored: counted };
    });
    const found = { ...name, seed: options.seed, counts: countsOf(all), kinds: all };
    return { report: found, text: formatted(found, after, options.output, io) };
  });
  io.print(text);
  const { breaking } = report.counts;
  if (breaking > 0) throw new RejectedError(`${breaking} breaking ${breaking === 1 ? "change" : "changes"}`);
  if (report.kinds.some(({ stored }) => stored !== undefined && stored.unseen.length > 0))
    throw new RejectedError("nothing breaking was found, but not all objects could be seen");
}

function formatted(
  report: CompatReport,
  after: Sources,
  output: CompatOptions["output"],
  style: Style,
): string {
  if (output === "text") return textOf(report, style);
  if (output === "json") return JSON.stringify(report, null, 2);
  return formatReport(
    checksOf(report, (name) => after.get(name)?.revision.json),
    output,
  );
}

type Names = Pick<CompatReport, "old" | "new">;

async function withBothSides<Result>(
  [first, second]: readonly [string, string?],
  { kubeconfig }: CompatOptions,
  io: CompatIo,
  work: (old: Sources, after: Sources, names: Names) => Promise<Result>,
): Promise<Result> {
  if (kubeconfig !== undefined) {
    if (second !== undefined)
      throw new UsageError("with --kubeconfig the old side is the cluster: name the new side alone");
    return withSources(first, io, async (after) =>
      work(await clusterSources(kubeconfig, after.keys()), after, { old: kubeconfig, new: first }),
    );
  }
  if (second === undefined) throw new UsageError("name the old and the new side, or pass --kubeconfig");
  return withSources(first, io, (old) =>
    withSources(second, io, (after) => work(old, after, { old: first, new: second })),
  );
}

function judged(
  old: Sources,
  after: Sources,
  seeds: readonly JsonObject[],
  options: CompatOptions,
  io: CompatIo,
): readonly KindReport[] {
  const names = [...new Set([...old.keys(), ...after.keys()])].toSorted();
  let noted = io.now().getTime();
  return names.map((name, index) => {
    const time = io.now().getTime();
    if (time - noted > 1_000) io.note(`${index} of ${names.length} kinds compared; now ${name}`);
    if (time - noted > 1_000) noted = time;
    return kindReport(name, old.get(name), after.get(name), seeds, options);
  });
}

function kindReport(
  name: string,
  old: Sourced | undefined,
  after: Sourced | undefined,
  seeds: readonly JsonObject[],
  { runs, seed, converted: isConverted }: CompatOptions,
): KindReport {
  const sources = {
    ...(old === undefined ? {} : { oldSource: old.source }),
    ...(after === undefined ? {} : { newSource: after.source }),
    ...(after?.find === undefined ? {} : { find: after.find }),
  };
  if (old === undefined || after === undefined) {
    const only = old === undefined ? "new" : "old";
    return { name, ...sources, only, findings: [], refusedCrd: [], unshown: [] };
  }
  const compared = compareRevisions(old.revision, after.revision, { runs, seed, seeds, isConverted });
  return { ...compared, ...sources };
}
