import { chmod, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { messageOf, RejectedError } from "../../errors.ts";
import { equal } from "../../json/equal.ts";
import type { Json } from "../../json/json.ts";
import { readJsonText } from "../../json/json-text.ts";
import type { InputText } from "../../offline/input.ts";
import { editYaml, lostComment } from "../../yaml/edit.ts";
import { lineEndAt, withLineEnds } from "../../yaml/line-ends.ts";
import { type ChangedObject, valuesAfter } from "../changed-text.ts";

/** A file as it was read, and its changed objects. */
interface FileChange {
  readonly text: InputText;
  readonly changed: readonly ChangedObject[];
}

/**
 * Writes changed objects into their files, and returns the files that changed. Comments, quotes and the order of keys stay. All
 * texts are made before the first is written, and each file is replaced as a whole: whatever fails, every file has either its
 * old text or its new one. Throws RejectedError if a comment could not be kept, or if a file changed since it was read.
 */
export async function replaceFiles(changes: readonly FileChange[]): Promise<readonly string[]> {
  const replacements = changes.map(({ text, changed }) => ({ text, after: textAfter(text, changed) }));
  const different = replacements.filter(({ text, after }) => text.text !== after);
  const files: string[] = [];
  for (const { text, after } of different) {
    await replaceFile(text, after).catch((error: unknown) => {
      const done = files.length === 0 ? "no file was changed" : `changed before: ${files.join(", ")}`;
      throw new RejectedError(`${text.file}: ${messageOf(error)}; ${done}`, { cause: error });
    });
    files.push(text.file);
  }
  return files;
}

function textAfter(text: InputText, changed: readonly ChangedObject[]): string {
  const values = valuesAfter(text, changed);
  const isJson = readJsonText(text.text.replace(/^\ufeff/, "")) !== undefined;
  if (isJson) return writtenLike(text, values);
  const after = editYaml(text.text, values);
  const lost = lostComment(text.text, after);
  if (lost === undefined) return after;
  throw new RejectedError(
    `${text.file}: the comment "${lost}" cannot be kept, since anchors or merge keys depend on what changes; no file was changed. ` +
      "Write the values out, or convert this file without --in-place",
  );
}

/** JSON documents with the indentation, the line ends and the byte order mark of the text before. */
function writtenLike({ text, documents }: InputText, values: readonly Json[]): string {
  const before = documents.map(({ value }) => value);
  if (equal([...before], [...values])) return text;
  const [, mark = "", indent = ""] = /^(\ufeff?)(?:[{[]\r?\n([ \t]+))?/.exec(text) ?? [];
  const written = values.map((value) => JSON.stringify(value, null, indent)).join("\n");
  return mark + withLineEnds(text.endsWith("\n") ? `${written}\n` : written, lineEndAt(text, 0));
}

/** Replaces a file through a temporary one in its folder; a link still leads to it, and it keeps its mode. */
async function replaceFile({ file, text }: InputText, after: string): Promise<void> {
  const target = await realpath(file);
  const [before, { mode }] = [await readFile(target), await stat(target)];
  if (!before.equals(Buffer.from(text))) throw new Error("it changed while it was converted");
  const temporary = `${target}.${process.pid}.tmp`;
  const handle = await open(temporary, "wx", mode);
  try {
    await handle.writeFile(after);
    await handle.sync();
    await handle.close();
    await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
