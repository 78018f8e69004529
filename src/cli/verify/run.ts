import path from "node:path";
import { Incomplete, Interrupted, RejectedError, UsageError } from "../../errors.ts";
import { shownPath } from "../../kind/fault.ts";
import type { Kind } from "../../kind/kind.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { crdName } from "../../manifests/crd.ts";
import type { Style } from "../../offline/lines.ts";
import type { Gauge } from "../console.ts";
import { examplesIn } from "../play/examples.ts";
import { pageText } from "../play/page-text.ts";
import { formatReport, type ReportFormat } from "../reports/format.ts";
import { shellWord } from "../shell-word.ts";
import { checksOf } from "./checks.ts";
import { htmlOf } from "./html.ts";
import type { Question } from "./messages.ts";
import { placed } from "./places.ts";
import { progress } from "./progress.ts";
import { type KindReport, type ReceivedMessage, type Report, reportOf } from "./report.ts";
import { type TextStyle, textOf } from "./text.ts";
import { tryLaws } from "./trial.ts";

/** The options of `antechamber verify`. */
export interface VerifyOptions {
  /** Names of kinds and of laws; empty for all. */
  readonly kind: readonly string[];
  readonly law: readonly string[];
  /** Cases for each claim of each law. */
  readonly runs: number;
  readonly seed?: number;
  /** The milliseconds that all kinds have together. */
  readonly maxTime?: number;
  /** The milliseconds after which a case counts as one that does not end. */
  readonly patience?: number;
  readonly output: "text" | "json" | "html" | "markdown" | ReportFormat;
  /** The file of the page for HTML, if it was built elsewhere. */
  readonly built?: string;
  /** Whether the text has one line for each kind and each broken law. */
  readonly summary?: boolean;
}

/** What `antechamber verify` needs of the process: the report is printed, progress is noted. */
interface VerifyIo extends Gauge, Style {
  readonly print: (text: string) => void;
  readonly now: () => Date;
  /** Draws the seed if none was given. */
  readonly drawSeed: () => number;
  readonly interrupt: AbortSignal;
  /** The command as a reader types it. */
  readonly command: string;
}

/**
 * Tests the laws on the kinds in folders, and prints which held, which were broken, and what each version cannot express.
 * Throws RejectedError if a law is broken, Incomplete if one was not tried to the end, UsageError for an unknown kind or law.
 */
export async function verify(
  folders: readonly string[],
  options: VerifyOptions,
  io: VerifyIo,
): Promise<void> {
  const { output } = options;
  const { coloured, width, command } = io;
  if (output === "markdown")
    throw new UsageError("-o markdown is a report on a webhook: add --url or --kubeconfig");
  // What is missing is said before anything is tried.
  const page = output === "html" ? await pageText(options.built) : "";
  const kinds = kindsOf(options.kind, (await loadKinds(folders)).all);
  const { runs, law, seed = io.drawSeed() } = options;
  io.note(`seed ${seed}: --seed ${seed} repeats this run`);
  const { maxTime, patience = 10_000 } = options;
  const time = maxTime === undefined ? usualTime * Math.max(1, runs / 100) : maxTime / kinds.length;
  const times = { lawsTime: (time * 3) / 4, surveyTime: time / 4, patience };
  const order = { folders: kinds.map(({ folder }) => folder), laws: law, runs, seed, ...times };
  const received: ReceivedMessage[] = [];
  const show = progress(io, (folder) => kinds.find((kind) => kind.folder === folder)?.name ?? folder);
  const onMessage = (message: ReceivedMessage["message"]) => {
    received.push({ message, at: io.now().getTime() });
    show(message);
  };
  const broken = await tryLaws(order, { ...io, onMessage }).catch((error: Error) => error);
  io.rewrite?.("");
  for (const { message } of received) if (message.type === "misuse") throw new UsageError(message.sentence);
  const interrupted = broken !== undefined || io.interrupt.aborted;
  const reproduce = ({ folder, law: name }: Question) =>
    `${command} verify ${shellWord(shownPath(folder))} --law ${name} --seed ${seed} --runs ${runs}`;
  const report = await placed(reportOf(kinds, received, { seed, runs, interrupted }, reproduce), kinds);
  const style = { coloured, width, command, summary: options.summary ?? false };
  const text = output === "html" ? await asHtml(report, page, io) : formatted(report, output, style);
  if (text !== "") io.print(text);
  if (broken !== undefined) throw broken;
  conclude(report, io.interrupt);
}

/** The milliseconds that a kind has for each 100 runs. */
const usualTime = 240_000;

function formatted(
  report: Report,
  output: Exclude<VerifyOptions["output"], "html" | "markdown">,
  style: TextStyle,
): string {
  const near = { ...report, kinds: report.kinds.map(nearKind) };
  switch (output) {
    case "text":
      return textOf(near, style);
    case "json":
      return JSON.stringify(near, null, 2);
    default:
      return formatReport(checksOf(near), output);
  }
}

/** The report with the page in which its counterexamples open. */
async function asHtml(report: Report, page: string, { note }: Pick<VerifyIo, "note">): Promise<string> {
  const folders = report.kinds.map(({ folder }) => folder);
  const examples = await examplesIn(folders, { folder: process.cwd(), note });
  const byFolder = new Map(examples.map((example) => [path.resolve(example.id), example]));
  return htmlOf(
    { ...report, kinds: report.kinds.map(nearKind) },
    page,
    new Map(
      folders.flatMap((folder) => {
        const example = byFolder.get(folder);
        return example === undefined ? [] : [[shownPath(folder), example] as const];
      }),
    ),
  );
}

/** A report with paths from the working directory. */
function nearKind(report: KindReport): KindReport {
  const { folder, file, answers } = report;
  const nearAnswers = answers.map((answer) => {
    const { place } = answer;
    return place === undefined ? answer : { ...answer, place: { ...place, file: shownPath(place.file) } };
  });
  return { ...report, folder: shownPath(folder), file: shownPath(file), answers: nearAnswers };
}

function conclude({ kinds, interrupted }: Report, { reason }: AbortSignal): void {
  const failed = kinds.flatMap(({ name, answers }) =>
    answers
      .filter(({ state }) => state === "failed")
      .map(({ law, version }) => `${name}: ${law} at ${version}`),
  );
  if (failed.length > 0) throw new RejectedError(["Laws are broken:", ...failed].join("\n"));
  if (interrupted) throw new Interrupted("interrupted before all was tried", reason);
  const untried = kinds.flatMap(({ name, answers }) =>
    answers
      .filter(({ state }) => state === "cut short" || state === "not tried")
      .map(({ law, version }) => `${name}: ${law} at ${version}`),
  );
  if (untried.length > 0)
    throw new Incomplete(["No law is broken, but these were not tried to the end:", ...untried].join("\n"));
}

/** The kinds of the given names, kinds or plurals; all if none are given. */
function kindsOf(words: readonly string[], kinds: readonly Kind[]): readonly Kind[] {
  const meant = words.map((word) => {
    const found = kinds.filter((kind) =>
      [kind.name, kind.definition.kind, kind.definition.plural, crdName(kind)].some(
        (name) => name.toLowerCase() === word.toLowerCase(),
      ),
    );
    if (found.length === 0) {
      const names = kinds.map(({ name }) => name).join(", ");
      throw new UsageError(`--kind ${word}: unknown kind; known kinds are ${names}`);
    }
    return found;
  });
  return words.length === 0 ? kinds : kinds.filter((kind) => meant.flat().includes(kind));
}
