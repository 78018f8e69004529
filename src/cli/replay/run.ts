import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { RejectedError, UsageError } from "../../errors.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { readInput } from "../../offline/input.ts";
import { offlineListers } from "../../offline/listers.ts";
import { reviewContextOf } from "../../offline/review-context.ts";
import { answerMutation, answerValidation } from "../../review/admission.ts";
import { UnreadableReview, wholeReview } from "../../review/answer.ts";
import { answerConversion } from "../../review/conversion.ts";
import type { AdmissionContext } from "../../review/write.ts";
import type { ReviewIo } from "../console.ts";
import { readGates } from "../gates.ts";
import type { ReportFormat } from "../reports/format.ts";
import { differencesOf, type Webhook } from "./compare.ts";
import { formatted, type Replayed } from "./report.ts";

/** The options of `antechamber replay`. */
interface ReplayOptions {
  readonly webhooks: readonly string[];
  /** Objects for the listers; by default the kinds' own examples. */
  readonly with?: readonly string[];
  readonly featureGates?: string;
  readonly output: "text" | "json" | ReportFormat;
}

/**
 * Answers the reviews that `serve --record` wrote, and prints where an answer is another one than the one recorded. Throws
 * RejectedError if one differs, UsageError for a folder without recordings.
 */
export async function replay(
  folders: readonly string[],
  options: ReplayOptions,
  io: ReviewIo,
): Promise<void> {
  const kinds = await loadKinds(options.webhooks);
  const context = await contextOf(kinds, options, io);
  const files = (await Promise.all(folders.map(recordingsIn))).flat();
  if (files.length === 0) {
    const names = folders.join(", ");
    throw new UsageError(
      `${names}: no recording found; serve --record writes <folder>/<webhook>/<name>.json`,
    );
  }
  const results: Replayed[] = [];
  let noted = io.now().getTime();
  for (const recording of files) {
    results.push(await replayOne(recording, context, io));
    const time = io.now().getTime();
    if (time - noted > 1_000) io.note(`${results.length} of ${files.length} reviews answered`);
    if (time - noted > 1_000) noted = time;
  }
  io.print(`${formatted(results, options.output, io.coloured)}\n`);
  const changed = results.filter(({ differences }) => differences.length > 0).length;
  if (changed > 0) throw new RejectedError(`${changed} of ${results.length} answers differ`);
}

async function contextOf(kinds: Kinds, options: ReplayOptions, io: ReviewIo): Promise<AdmissionContext> {
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const examples = [...kinds.all, ...kinds.natives].flatMap((kind) => kind.examples);
  const listed =
    options.with === undefined ? examples.map(({ object }) => object) : await objectsIn(options.with, io);
  const listers = offlineListers(listed, kinds, { now: io.now, gates });
  return { ...reviewContextOf(kinds, listers, gates, io), mayWait: () => false };
}

async function objectsIn(files: readonly string[], io: ReviewIo): Promise<readonly JsonObject[]> {
  return (await readInput(files, io)).map(({ value }) => value);
}

interface RecordingFile {
  readonly file: string;
  readonly webhook: Webhook;
}

const webhooks: readonly string[] = ["convert", "mutate", "validate"] satisfies readonly Webhook[];

/** The recordings below a folder, at any depth, in order; the folder that a file is in names its webhook. */
async function recordingsIn(folder: string): Promise<readonly RecordingFile[]> {
  const info = await stat(folder).catch(() => undefined);
  if (info?.isDirectory() !== true) throw new UsageError(`${folder}: no such folder`);
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith(".json") && !name.endsWith(".answer.json"))
    .map((name) => path.join(folder, name))
    .toSorted()
    .flatMap((file) => {
      const webhook = path.basename(path.dirname(file));
      return webhooks.includes(webhook) ? [{ file, webhook: webhook as Webhook }] : [];
    });
}

async function replayOne(
  { file, webhook }: RecordingFile,
  context: AdmissionContext,
  io: ReviewIo,
): Promise<Replayed> {
  const review = await documentIn(file, io);
  const recorded = await documentIn(file.replace(/\.json$/, ".answer.json"), io);
  const answer = answerOf(webhook, review, context);
  if (typeof answer === "string") return { file, webhook, differences: [{ field: "", sentence: answer }] };
  return { file, webhook, ...differencesOf(webhook, review, recorded, answer) };
}

async function documentIn(file: string, io: ReviewIo): Promise<JsonObject> {
  const [first, ...more] = await readInput([file], io);
  if (first !== undefined && more.length === 0) return first.value;
  throw new UsageError(`${file}: must hold one JSON object`);
}

/** The answer of this release; or why it gives none. */
function answerOf(webhook: Webhook, review: Json, context: AdmissionContext): JsonObject | string {
  try {
    if (webhook === "convert") return wholeReview(answerConversion(review, context.kinds));
    const answer = webhook === "mutate" ? answerMutation : answerValidation;
    return wholeReview(answer(review, context));
  } catch (error) {
    if (error instanceof UnreadableReview) return error.message;
    throw error;
  }
}
