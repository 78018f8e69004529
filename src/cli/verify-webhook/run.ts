import { writeFile } from "node:fs/promises";
import { type Checks, checkKind, foldedAcross, type KindFindings, sizeOf } from "../../checks/index.ts";
import { Incomplete, Interrupted, messageOf, RejectedError, UsageError } from "../../errors.ts";
import type { InputIo } from "../../offline/input.ts";
import type { Style } from "../../offline/lines.ts";
import { counted } from "../../words.ts";
import type { Gauge } from "../console.ts";
import { formatReport, isReportFormat } from "../reports/format.ts";
import { badgeOf } from "./badge.ts";
import { against, readBaseline } from "./baseline.ts";
import { webhookChecks } from "./checks.ts";
import { targetsOf } from "./find.ts";
import { markdownOf } from "./markdown.ts";
import { publicUrl, type RepeatedOptions, repeatCommand, withoutFolders } from "./repeat.ts";
import type { WebhookKind, WebhookReport } from "./report.ts";
import { faultsOf, isComplete, leftOf } from "./sentences.ts";
import type { Target } from "./targets.ts";
import { webhookText } from "./text.ts";

/** The options of `antechamber verify --url` and `--kubeconfig`. */
export interface VerifyWebhookOptions extends RepeatedOptions {
  /** Folders of kinds and names of laws, which do not go together with a webhook. */
  readonly folders: readonly string[];
  readonly law: readonly string[];
  readonly seed?: number;
  /** Whether the text has one line for each finding. */
  readonly summary: boolean;
  /** Whether it is a failure that not all was tried. */
  readonly requireComplete: boolean;
  /** A file with an earlier report. */
  readonly baseline?: string;
  /** A file that is written. */
  readonly badge?: string;
  readonly output: string;
}

/** What it needs of the process. */
interface VerifyWebhookIo extends Gauge, InputIo, Style {
  readonly print: (text: string) => void;
  readonly drawSeed: () => number;
  /** Milliseconds, from any point in time. */
  readonly clock: () => number;
  readonly interrupt: AbortSignal;
  /** The command as a reader types it. */
  readonly command: string;
}

/** The most objects in a review. API servers send a page of a list, which has up to 500. */
const batch = 100;

/**
 * Checks the conversion webhook of CRDs as a black box, and prints what it loses. Throws RejectedError if there are findings
 * that are more than notes, Incomplete if not all was tried, UsageError if it cannot be reached.
 */
export async function verifyWebhook(options: VerifyWebhookOptions, io: VerifyWebhookIo): Promise<void> {
  rejectUnfit(options);
  const seed = options.seed ?? io.drawSeed();
  io.note(`seed ${seed}: --seed ${seed} repeats this run`);
  const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline);
  const { webhook, targets, close } = await targetsOf(options, io);
  const kinds: WebhookKind[] = [];
  try {
    kinds.push(...foldedAcross(await allChecked(targets, seed, options, io)));
  } finally {
    close();
    io.rewrite?.("");
  }
  const report: WebhookReport = {
    webhook,
    seed,
    runs: options.runs,
    complete: kinds.every(isComplete),
    kinds: baseline === undefined ? kinds : kinds.map((kind) => against(kind, baseline)),
  };
  if (options.badge !== undefined) await writeBadge(options.badge, report);
  rejectUnreachable(kinds);
  const text = formatted(report, options, io);
  if (text !== "") io.print(text);
  conclude(report, io.interrupt, options.requireComplete);
}

/** Options of the other use of the command. Throws UsageError. */
function rejectUnfit({ folders, law }: VerifyWebhookOptions): void {
  if (folders.length > 0)
    throw new UsageError(`${folders.join(", ")}: folders of kinds and a webhook are checked one at a time`);
  if (law.length > 0) throw new UsageError("--law is for kinds in folders; a webhook is checked as a whole");
}

/**
 * What was found on each kind. Each has its share of the time that is left; the small ones go first, so that the large ones
 * have what these do not need.
 */
async function allChecked(
  targets: readonly Target[],
  seed: number,
  options: VerifyWebhookOptions,
  io: VerifyWebhookIo,
): Promise<readonly WebhookKind[]> {
  const end = io.clock() + options.maxTime;
  const found = new Map<Target, WebhookKind>();
  const order = targets.toSorted((a, b) => sizeOf(a.subject) - sizeOf(b.subject));
  for (const [index, target] of order.entries()) {
    const now = io.clock();
    const until = now + (end - now) / (order.length - index);
    const made = await checked(target, { seed, until }, options, io);
    found.set(target, { ...made, ...(target.place === undefined ? {} : { place: target.place }) });
  }
  return targets.flatMap((target) => found.get(target) ?? []);
}

/** Throws UsageError if no webhook was reached. */
function rejectUnreachable(kinds: readonly WebhookKind[]): void {
  const [first] = kinds;
  if (first?.unreachable !== undefined && kinds.every((each) => each.unreachable !== undefined))
    throw new UsageError(unreachable(first.kind, first.unreachable));
}

async function writeBadge(file: string, report: WebhookReport): Promise<void> {
  try {
    await writeFile(file, badgeOf(report));
  } catch (error) {
    throw new UsageError(`--badge ${file}: ${messageOf(error)}`);
  }
}

async function checked(
  { subject, ask, examples, stored }: Target,
  { seed, until }: Pick<Checks, "seed" | "until">,
  { runs, ignore }: VerifyWebhookOptions,
  io: VerifyWebhookIo,
): Promise<KindFindings> {
  const progress = progressOf(io);
  return await checkKind(subject, ask, {
    seed,
    runs,
    until,
    batch,
    examples,
    ...(stored === undefined ? {} : { stored }),
    ignored: ignore,
    clock: io.clock,
    interrupt: io.interrupt,
    onStep: progress.step,
    onReview: progress.review,
  });
}

function unreachable(kind: string, sentence: string): string {
  const isTrust = /certificate|issuer|altnames/i.test(sentence);
  const hint = isTrust
    ? "pass its CA with --ca <file>, the name in its certificate with --server-name, or --insecure-skip-tls-verify"
    : "is it running, and is the URL right?";
  return `the conversion webhook of ${kind} cannot be reached: ${sentence}; ${hint}`;
}

/** Shows the step, and how many objects were sent; without a terminal a line at most every two seconds. */
function progressOf({ note, rewrite, clock }: VerifyWebhookIo) {
  let [current, objects, shown] = ["", 0, clock()];
  const show = (every: number) => {
    if (clock() - shown < every) return;
    shown = clock();
    (rewrite ?? note)(`${current}, ${counted(objects, "object")} sent`);
  };
  return {
    step: (what: string) => {
      current = what;
      show(rewrite === undefined ? 2_000 : 0);
    },
    review: (count: number) => {
      objects += count;
      show(rewrite === undefined ? 2_000 : 200);
    },
  };
}

function formatted(
  report: WebhookReport,
  options: VerifyWebhookOptions,
  { coloured, width, command }: VerifyWebhookIo,
): string {
  const { output, summary } = options;
  if (isReportFormat(output)) return formatReport(webhookChecks(report), output);
  switch (output) {
    case "json":
      return JSON.stringify(report, null, 2);
    case "markdown":
      return pageOf(report, options, command);
    default:
      return webhookText(report, { summary, coloured, width });
  }
}

/** A page that may be published: without credentials that the URL contains, and without folders of this machine. */
function pageOf(report: WebhookReport, options: VerifyWebhookOptions, name: string): string {
  const { url } = options;
  const repeated = (each: RepeatedOptions) => repeatCommand(name, each, report.seed);
  const command = repeated(withoutFolders(options));
  const isPublic = url === undefined || publicUrl(url) === url;
  const remarks = [
    ...(isPublic ? [] : ["The user name, password, query and fragment of the URL are left out."]),
    ...(command === repeated(options)
      ? []
      : ["Files outside the working directory are named without their folders."]),
  ];
  return markdownOf(isPublic ? report : { ...report, webhook: publicUrl(url) }, { command, remarks });
}

function conclude({ kinds, complete }: WebhookReport, interrupt: AbortSignal, isRequired: boolean): void {
  if (interrupt.aborted) throw new Interrupted("interrupted before all was tried", interrupt.reason);
  const faults = kinds.flatMap((kind) => {
    const count = faultsOf(kind).length;
    return count === 0 ? [] : [`${kind.kind}: ${counted(count, "finding")}`];
  });
  if (faults.length > 0) throw new RejectedError(["Conversion is not lossless:", ...faults].join("\n"));
  if (complete) return;
  const sentence = ["Nothing was lost, but not all was tried:", ...kinds.flatMap(leftOf)].join("\n");
  throw isRequired ? new RejectedError(sentence) : new Incomplete(sentence);
}
