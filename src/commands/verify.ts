import path from "node:path";
import type { Kind } from "../kind.ts";
import { loadKindsAt } from "../kinds.ts";
import { crdName } from "../manifests/crd.ts";
import { RefusedError, UsageError } from "./errors.ts";
import { junitOf } from "./verify/junit.ts";
import { type Gauge, progress } from "./verify/progress.ts";
import { type Heard, type Report, reportOf } from "./verify/report.ts";
import type { Asked } from "./verify/telling.ts";
import { textOf } from "./verify/text.ts";
import { tryLaws } from "./verify/trial.ts";

/** What `antechamber verify` is told on its command line. */
export interface VerifyOptions {
  /** Names of kinds and of laws; none for all. */
  readonly kind: readonly string[];
  readonly law: readonly string[];
  /** Cases for each claim of each law. */
  readonly runs: number;
  readonly seed?: number;
  readonly output: "text" | "json" | "junit";
}

/** What `antechamber verify` needs of the process: the report is printed, progress is noted. */
export interface VerifyIo extends Gauge {
  readonly print: (text: string) => void;
  /** Whether what is printed may have colours. */
  readonly coloured: boolean;
  readonly now: () => Date;
  /** A seed for whoever gave none. */
  readonly drawSeed: () => number;
  readonly interrupt: AbortSignal;
}

/** The user ended the command before it was done. The process exits with what a shell gives for Ctrl-C. */
class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode = 130;
}

/**
 * Tries the laws on the kinds in folders, and prints what held, what did not, and what versions cannot say of each other.
 * Throws RefusedError where a law fails, UsageError for a kind or law that is not there.
 */
export async function verify(
  folders: readonly string[],
  options: VerifyOptions,
  io: VerifyIo,
): Promise<void> {
  const kinds = kindsOf(options.kind, (await loadKindsAt(folders)).all);
  const { runs, law, seed = io.drawSeed() } = options;
  io.note(`seed ${seed}: --seed ${seed} tries the same again`);
  const order = { folders: kinds.map(({ folder }) => folder), laws: law, runs, seed };
  const heard: Heard[] = [];
  const show = progress(io, (folder) => kinds.find((kind) => kind.folder === folder)?.name ?? folder);
  const hear = (telling: Heard["telling"]) => {
    heard.push({ telling, at: io.now().getTime() });
    show(telling);
  };
  const broken = await tryLaws(order, { ...io, hear }).catch((error: Error) => error);
  io.rewrite?.("");
  for (const { telling } of heard) if (telling.tells === "misuse") throw new UsageError(telling.sentence);
  const interrupted = broken !== undefined || io.interrupt.aborted;
  const again = ({ folder, law: name }: Asked) =>
    `antechamber verify ${quoted(nearest(folder))} --law ${name} --seed ${seed} --runs ${runs}`;
  const report = reportOf(kinds, heard, { seed, runs, interrupted }, again);
  io.print(formatted(report, options.output, io.coloured));
  if (broken !== undefined) throw broken;
  conclude(report);
}

function formatted(report: Report, output: VerifyOptions["output"], coloured: boolean): string {
  const near = {
    ...report,
    kinds: report.kinds.map((each) => ({ ...each, folder: nearest(each.folder) })),
  };
  switch (output) {
    case "text":
      return textOf(near, coloured);
    case "json":
      return JSON.stringify(near, null, 2);
    case "junit":
      return junitOf(near);
  }
}

function conclude({ kinds, interrupted }: Report): void {
  const failed = kinds.flatMap(({ name, answers }) =>
    answers
      .filter(({ state }) => state === "failed")
      .map(({ law, version }) => `${name}: ${law} at ${version}`),
  );
  if (failed.length > 0) throw new RefusedError(["Laws are broken:", ...failed].join("\n"));
  if (interrupted) throw new Interrupted("interrupted before all was tried");
}

/** The kinds that words mean, by name, kind or plural; all where there are no words. */
function kindsOf(words: readonly string[], kinds: readonly Kind[]): readonly Kind[] {
  const meant = words.map((word) => {
    const found = kinds.filter((kind) =>
      [kind.name, kind.definition.kind, kind.definition.plural, crdName(kind)].some(
        (name) => name.toLowerCase() === word.toLowerCase(),
      ),
    );
    if (found.length === 0) {
      const names = kinds.map(({ name }) => name).join(", ");
      throw new UsageError(`--kind ${word}: no kind is called so; there are ${names}`);
    }
    return found;
  });
  return words.length === 0 ? kinds : kinds.filter((kind) => meant.flat().includes(kind));
}

/** A folder as seen from here; one that lies outside as it is. */
function nearest(folder: string): string {
  const relative = path.relative("", folder);
  return relative.startsWith("..") ? folder : relative || ".";
}

/** A word as a shell takes it for one. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
