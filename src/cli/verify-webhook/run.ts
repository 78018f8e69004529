import {
  type Checks,
  checkKind,
  type KindFindings,
  notes,
  type Subject,
  WebhookDied,
} from "../../checks/index.ts";
import { Interrupted, RejectedError, UsageError } from "../../errors.ts";
import type { InputIo } from "../../offline/input.ts";
import type { Style } from "../../offline/lines.ts";
import type { Gauge } from "../console.ts";
import { formatReport, isReportFormat } from "../reports/format.ts";

import { webhookChecks } from "./checks.ts";
import { targetsOf } from "./find.ts";
import { markdownOf } from "./markdown.ts";
import { publicUrl, type RepeatedOptions, repeatCommand } from "./repeat.ts";
import type { WebhookKind, WebhookReport } from "./report.ts";
import { counted } from "./sentences.ts";
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
  readonly output: string;
}

/** What it needs of the process. */
interface VerifyWebhookIo extends Gauge, InputIo, Style {
  readonly print: (text: string) => void;
  readonly drawSeed: () => number;
  /** Milliseconds, from any point in time. */
  readonly clock: () => number;
  readonly interrupt: AbortSignal;
}

/** The most objects in a review. API servers send a page of a list, which has up to 500. */
const batch = 100;

/**
 * Checks the conversion webhook of CRDs as a black box, and prints what it loses. Throws RejectedError if there are findings
 * that are more than notes, UsageError if it cannot be reached.
 */
export async function verifyWebhook(options: VerifyWebhookOptions, io: VerifyWebhookIo): Promise<void> {
  rejectUnfit(options);
  const seed = options.seed ?? io.drawSeed();
  io.note(`seed ${seed}: --seed ${seed} repeats this run`);
  const { webhook, targets, close } = await targetsOf(options, io);
  const until = io.clock() + options.maxTime;
  const kinds: WebhookKind[] = [];
  try {
    for (const target of targets) {
      const found = await checked(target, { seed, until }, options, io);
      kinds.push({ ...found, ...(target.place === undefined ? {} : { place: target.place }) });
    }
  } finally {
    close();
    io.rewrite?.("");
  }
  const report: WebhookReport = { webhook, seed, runs: options.runs, kinds };
  const text = formatted(report, options, io);
  if (text !== "") io.print(text);
  conclude(report, io.interrupt);
}

/** Options of the other use of the command. Throws UsageError. */
function rejectUnfit({ folders, law }: VerifyWebhookOptions): void {
  if (folders.length > 0)
    throw new UsageError(`${folders.join(", ")}: folders of kinds and a webhook are checked one at a time`);
  if (law.length > 0) throw new UsageError("--law is for kinds in folders; a webhook is checked as a whole");
}

async function checked(
  { subject, ask, examples }: Target,
  { seed, until }: Pick<Checks, "seed" | "until">,
  { runs, ignore }: VerifyWebhookOptions,
  io: VerifyWebhookIo,
): Promise<KindFindings> {
  const progress = progressOf(io);
  const checks: Checks = {
    seed,
    runs,
    until,
    batch,
    examples,
    ignored: ignore,
    clock: io.clock,
    interrupt: io.interrupt,
    onStep: progress.step,
    onReview: progress.review,
  };
  try {
    return await checkKind(subject, ask, checks);
  } catch (error) {
    if (!(error instanceof WebhookDied)) throw error;
    throw new UsageError(unreachable(subject, error.message));
  }
}

function unreachable(subject: Subject, sentence: string): string {
  const isTrust = /certificate|issuer|altnames/i.test(sentence);
  const hint = isTrust
    ? "pass its CA with --ca <file>, the name in its certificate with --server-name, or --insecure-skip-tls-verify"
    : "is it running, and is the URL right?";
  return `the conversion webhook of ${subject.name} cannot be reached: ${sentence}; ${hint}`;
}

/** Shows the step, and how many objects were sent; without a terminal a line at most every two seconds. */
function progressOf({ note, rewrite, clock }: VerifyWebhookIo) {
  let [current, objects, shown] = ["", 0, clock()];
  const show = (every: number) => {
    if (clock() - shown < every) return;
    shown = clock();
    (rewrite ?? note)(`${current}, ${objects} objects sent`);
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

function formatted(report: WebhookReport, options: VerifyWebhookOptions, { coloured, width }: Style): string {
  const { output, summary } = options;
  if (isReportFormat(output)) return formatReport(webhookChecks(report), output);
  switch (output) {
    case "json":
      return JSON.stringify(report, null, 2);
    case "markdown":
      return pageOf(report, options);
    default:
      return webhookText(report, { summary, coloured, width });
  }
}

/** A page that may be published: without credentials that the URL contains. */
function pageOf(report: WebhookReport, options: VerifyWebhookOptions): string {
  const { url } = options;
  const command = repeatCommand(options, report.seed);
  if (url === undefined || publicUrl(url) === url) return markdownOf(report, { command });
  const remark = "The user name, password, query and fragment of the URL are left out.";
  return markdownOf({ ...report, webhook: publicUrl(url) }, { command, remark });
}

function conclude({ kinds }: WebhookReport, interrupt: AbortSignal): void {
  const faults = kinds.flatMap(({ kind, findings }) => {
    const count = findings.filter((each) => !notes.has(each.kind)).length;
    return count === 0 ? [] : [`${kind}: ${counted(count, "finding")}`];
  });
  if (faults.length > 0) throw new RejectedError(["Conversion is not lossless:", ...faults].join("\n"));
  if (interrupt.aborted) throw new Interrupted("interrupted before all was tried");
}
