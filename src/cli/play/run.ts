import { writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../errors.ts";
import { pageWith } from "../../play/page-file.ts";
import { watchFolders } from "../watch.ts";
import { examplesIn } from "./examples.ts";
import { galleryOf, pageText } from "./page-text.ts";
import { startPlayServer } from "./server.ts";

/** The input and output of `antechamber play`: the address is printed, changes are noted. */
interface PlayIo {
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly folder: string;
}

/** The options of `antechamber play`. */
interface PlayOptions {
  readonly webhooks: readonly string[];
  readonly port: number;
  /** The file of a page that was built elsewhere. */
  readonly built?: string;
}

/**
 * Serves the page with the kinds of folders, and shows each change of their files in the pages that are open.
 * @throws {UsageError} if the port is taken or the page was not built
 * @throws {InvalidKinds} if a folder has no kind
 */
export async function play({ webhooks, port, built }: PlayOptions, { print, note, folder }: PlayIo) {
  const page = await pageText(built);
  const gallery = galleryOf(page);
  const examples = async () => [...(await examplesIn(webhooks, { folder, note })), ...gallery];
  await examples();
  const server = await startPlayServer({ page, examples, port });
  const folders = webhooks.map((each) => path.resolve(folder, each));
  const watching = watchFolders(folders, (file) => {
    note(`${path.relative(folder, file)} changed`);
    // A folder that is gone for a moment, as Git leaves it, keeps what the pages have.
    server.refresh().catch((error: Error) => note(error.message));
  });
  await watching.ready;
  print(server.url);
  note("The versions of your kinds are side by side there. Ctrl-C ends it.");
  const stop = async () => {
    watching.stop();
    await server.stop();
  };
  return { url: server.url, failed: new Promise<string>(() => {}), stop };
}

/** Writes the page with the kinds of folders into a file. @throws {UsageError} if it cannot be written */
export async function writePage(
  { webhooks, page: file, built }: Pick<PlayOptions, "webhooks" | "built"> & { readonly page: string },
  { note, folder }: PlayIo,
): Promise<void> {
  const page = await pageText(built);
  const examples = [...(await examplesIn(webhooks, { folder, note })), ...galleryOf(page)];
  await writeFile(path.resolve(folder, file), pageWith(page, { examples })).catch((error: Error) => {
    throw new UsageError(`--page ${file}: ${error.message}`);
  });
  note(`${file} is written: open it in a browser`);
}
