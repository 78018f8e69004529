import { faultsOfRows, type RowFault } from "./check-rows.ts";
import type { Fault } from "./fault.ts";
import { sourceOf } from "./import-fault.ts";
import type { Version } from "./kind.ts";
import { literalIn } from "./source.ts";
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
  return Promise.all(
    faultsOfRows(lens, version, newer).map(async ({ sentence, ...row }) => ({
      ...(await placeOfRow(row, file)),
      sentence,
    })),
  );
}

/** Where a row writes a path: at or after a call that led to the lens, the innermost first. */
async function placeOfRow(
  { literal, nth, madeAt }: Omit<RowFault, "sentence">,
  file: string,
): Promise<Omit<Fault, "sentence">> {
  const frames = authorFrames(madeAt);
  for (const frame of frames) {
    const place = literalIn(await sourceOf(frame.file), literal, frame.place.line, nth);
    if (place !== undefined) return { file: frame.file, place };
  }
  return frames[0] ?? { file };
}
