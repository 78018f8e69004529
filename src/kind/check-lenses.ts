import { faultsOfRows, type RowFault } from "./check-rows.ts";
import type { Fault } from "./fault.ts";
import { sourceOf } from "./import-fault.ts";
import type { Version } from "./kind.ts";
import { literalBefore, literalIn } from "./source.ts";
import { authorFrames } from "./stack.ts";

/** What is wrong with the rows of the lenses of a kind, oldest version first, at the lines that write them. */
export async function faultsOfLenses(
  versions: readonly (Version | undefined)[],
  file: string,
): Promise<readonly Fault[]> {
  const faults = versions.map((version, index) => faultsOfLens(version, versions[index + 1], file));
  return (await Promise.all(faults)).flat();
}

async function faultsOfLens(
  version: Version | undefined,
  newer: Version | undefined,
  file: string,
): Promise<readonly Fault[]> {
  if (version?.lens === undefined || newer === undefined) return [];
  const { lens } = version;
  const found = faultsOfRows(lens, version, newer);
  // Of a lens that fits the other way round, each path would be a fault.
  if (found.length > 1 && faultsOfRows(lens, newer, version).length === 0)
    return [await faultOfOrder(version.name, newer.name, file)];
  return Promise.all(
    found.map(async ({ sentence, ...row }) => ({ ...(await placeOfRow(row, file)), sentence })),
  );
}

async function faultOfOrder(name: string, newer: string, file: string): Promise<Fault> {
  const place = literalIn(await sourceOf(file), name);
  const sentence = `the lens of version ${name} leads from ${newer} to ${name}; list ${newer} before ${name}: versions are listed oldest first`;
  return { file, sentence, ...(place === undefined ? {} : { place }) };
}

/** A path of a row as its author wrote it, and that of the other version which follows it, if there is one. */
type RowLiteral = Omit<RowFault, "sentence"> & { readonly next?: string };

/** Where a row of a lens writes a path: at or after a call that led to the lens, the innermost first. */
export async function placeOfRow(
  { literal, nth, next, madeAt }: RowLiteral,
  file: string,
): Promise<Omit<Fault, "sentence">> {
  const frames = authorFrames(madeAt);
  for (const frame of frames) {
    const [source, { line }] = [await sourceOf(frame.file), frame.place];
    const place =
      next === undefined ? literalIn(source, literal, line, nth) : literalBefore(source, literal, next, line);
    if (place !== undefined) return { file: frame.file, place };
  }
  return frames[0] ?? { file };
}
