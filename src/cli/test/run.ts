import path from "node:path";
import { RejectedError, UsageError } from "../../errors.ts";
import { writeJson } from "../../json/exact.ts";
import { type Fault, printFault, shownPath, sortFaults } from "../../kind/fault.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { type FileDocument, readFolder } from "../../kind/read-documents.ts";
import { changedLines } from "../../offline/diff.ts";
import { type Line, painted } from "../../offline/lines.ts";
import { type CaseFailure, type CaseResult, runCase } from "../../testing/run-case.ts";
import { type PlacedCase, readCases } from "../cases.ts";
import { formatReport, isReportFormat, type ReportFormat } from "../reports/format.ts";
import type { CheckReport } from "../reports/report.ts";

/** The options of `antechamber test`. */
interface TestOptions {
  readonly output: "text" | "json" | ReportFormat;
}

/** The output of `antechamber test`. */
interface TestIo {
  readonly print: (text: string) => void;
  /** Whether the report may have colours. */
  readonly coloured: boolean;
}

/** A case with its place and its results. */
interface Tested extends Omit<PlacedCase, "found"> {
  readonly results: readonly CaseResult[];
}

/**
 * Tests the cases in the folders of kinds. Throws RejectedError if one fails, UsageError if there is none, or for a file that
 * holds something else.
 */
export async function test(folders: readonly string[], { output }: TestOptions, io: TestIo): Promise<void> {
  const { all, natives } = await loadKinds(folders);
  const read = all.map(readCases);
  const ofNatives = natives.map(({ folder }) => readFolder(path.join(folder, "cases")));
  const faults = [
    ...read.flatMap((each) => each.faults),
    ...ofNatives.flatMap(({ documents }) => documents.map(notForNatives)),
  ];
  if (faults.length > 0)
    throw new UsageError(["invalid cases:", ...sortFaults(faults).map(printFault)].join("\n"));
  const cases = read.flatMap((each) => each.cases);
  if (cases.length === 0)
    throw new UsageError(
      `${folders.join(", ")}: no cases found; write them to cases/*.yaml in the folder of a kind`,
    );
  const tested = cases.map(({ found, ...place }) => ({ ...place, results: runCase(found, place.kind, all) }));
  io.print(formatted(tested, output, io.coloured));
  const failed = tested.flatMap(failuresOf).length;
  if (failed > 0) throw new RejectedError(countOf(tested, failed));
}

function notForNatives({ file }: FileDocument): Fault {
  return { file, sentence: "is a case of a native kind, which has no versions; use antechamber/testing" };
}

function failuresOf({ results }: Tested): readonly CaseResult[] {
  return results.filter(({ failure }) => failure !== undefined);
}

function countOf(tested: readonly Tested[], failed: number): string {
  const all = tested.reduce((sum, { results }) => sum + results.length, 0);
  return `${failed} of ${all} failed`;
}

function formatted(tested: readonly Tested[], output: TestOptions["output"], coloured: boolean): string {
  if (isReportFormat(output)) return formatReport(reportOf(tested), output);
  if (output === "json") return writeJson(tested.map(jsonOf));
  return linesOf(tested)
    .map((line) => painted(line, coloured))
    .join("\n");
}

function jsonOf({ kind, name, file, position, results }: Tested) {
  return {
    kind: kind.name,
    name,
    file: shownPath(file),
    line: position.line,
    results: results.map(({ claim, failure }) => ({
      claim,
      passed: failure === undefined,
      ...(failure === undefined ? {} : { failure: { ...failure } }),
    })),
  };
}

/** The failures with their differences, then how many cases of each kind were tested. */
function linesOf(tested: readonly Tested[]): readonly Line[] {
  const kinds = Map.groupBy(tested, ({ kind }) => kind.name);
  return [
    ...tested.flatMap((each) =>
      failuresOf(each).flatMap((result) => [...failureLines(each, result), { text: "" }]),
    ),
    ...[...kinds].map(([name, these]) => summaryLine(name, these)),
  ];
}

function failureLines(
  { kind, file, position, name }: Tested,
  { claim, failure }: CaseResult,
): readonly Line[] {
  const place = `${shownPath(file)}:${position.line}`;
  const title = name === place ? claim : `${name}, ${claim}`;
  return [
    { text: `FAILED  ${place}  ${kind.name}: ${title}`, tone: "bad" },
    ...detailLines(failure).map((line) => ({ ...line, text: `  ${line.text}` })),
  ];
}

function detailLines(failure: CaseResult["failure"]): readonly Line[] {
  if (failure === undefined) return [];
  const { sentence } = failure;
  return [{ text: sentence }, ...differenceLines(failure)];
}

/** The difference as lines of a unified diff; the expected ones are good. */
function differenceLines({ expected, actual }: CaseFailure): readonly Line[] {
  if (expected === undefined || actual === undefined) return [];
  return [
    { text: "--- expected", tone: "good" },
    { text: "+++ actual", tone: "bad" },
    ...changedLines(expected, actual).map(swapped),
  ];
}

/** A line in the other tone: what is expected is good. */
function swapped({ text, tone }: Line): Line {
  return tone === undefined ? { text } : { text, tone: tone === "good" ? "bad" : "good" };
}

function summaryLine(name: string, tested: readonly Tested[]): Line {
  const count = tested.reduce((sum, { results }) => sum + results.length, 0);
  const failed = tested.flatMap(failuresOf).length;
  const words = `${name}: ${count - failed} passed${failed === 0 ? "" : `, ${failed} failed`}`;
  return { text: words, tone: failed === 0 ? "good" : "bad" };
}

function reportOf(tested: readonly Tested[]): CheckReport {
  const kinds = Map.groupBy(tested, ({ kind }) => kind.name);
  return {
    name: "antechamber test",
    suites: [...kinds].map(([name, these]) => ({ name, checks: these.flatMap(checksOf) })),
  };
}

function checksOf({ kind, name, file, position, results }: Tested) {
  return results.map(({ claim, failure }) => ({
    group: kind.name,
    name: `${name}: ${claim}`,
    findings:
      failure === undefined
        ? []
        : [
            {
              level: "error" as const,
              rule: "case",
              message: failure.sentence,
              details: differenceLines(failure)
                .map(({ text }) => text)
                .join("\n"),
              place: { file: shownPath(file), line: position.line },
            },
          ],
  }));
}
