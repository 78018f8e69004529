import { readSmallFile } from "../../certs/reading.ts";
import { UsageError } from "../errors.ts";

/**
 * The text of the PEM file that an option names, if it names one.
 * @throws {UsageError} if there is none, or if it cannot be read
 */
export async function pemText<File extends string | undefined>(
  option: string,
  file: File,
): Promise<string | Extract<File, undefined>>;
export async function pemText(option: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const read = await readSmallFile(file);
  if (read.found === "text") return read.text;
  throw new UsageError(`${option}: ${read.found === "fault" ? read.fault : `${file} does not exist`}`);
}
