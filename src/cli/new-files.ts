import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { messageOf, UsageError } from "../errors.ts";

/** A file that a user will edit, relative to its folder. */
export interface NewFile {
  readonly file: string;
  readonly content: string | Uint8Array;
}

/** Whether existing files are replaced, and whether nothing is written. */
interface WriteOptions {
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** Writes files and notes each. Throws UsageError, before anything is written, if one exists and `force` is not set. */
export async function writeNewFiles(
  folder: string,
  files: readonly NewFile[],
  { force, dryRun }: WriteOptions,
  { note }: { readonly note: (line: string) => void },
): Promise<void> {
  const targets = files.map(({ file, content }) => ({ file: path.join(folder, file), content }));
  const found = await Promise.all(targets.map(async ({ file }) => ((await exists(file)) ? [file] : [])));
  const existing = found.flat();
  if (existing.length > 0 && !force) {
    const these = existing.length === 1 ? "exists" : "exist";
    throw new UsageError(
      `${existing.join(", ")} ${these}: choose another folder, or replace what is there with --force`,
    );
  }
  for (const { file, content } of targets) {
    if (!dryRun) await write(file, content);
    note(`${dryRun ? "would write" : "wrote"} ${file}`);
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw new UsageError(`${file}: cannot be written: ${error.message}`);
    },
  );
}

async function write(file: string, content: NewFile["content"]): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  } catch (error) {
    throw new UsageError(`${file}: cannot be written: ${messageOf(error)}`);
  }
}
