import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { messageOf } from "../src/errors.ts";

/** The result of reading a file. */
export type Reading =
  | { readonly found: "text"; readonly text: string }
  | { readonly found: "nothing" }
  | { readonly found: "fault"; readonly fault: string };

/** Certificates and keys have a few KiB; a bundle of all public root CAs has a fifth of this. */
const readingLimit = 1024 * 1024;

/** Reads a regular file of at most `readingLimit` bytes. Never waits for a writer, and never rejects. */
export async function readSmallFile(path: string): Promise<Reading> {
  try {
    // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readOpened(path, file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { found: "nothing" };
    return fault(`${path} cannot be read: ${messageOf(error)}`);
  }
}

async function readOpened(path: string, file: FileHandle): Promise<Reading> {
  const stat = await file.stat();
  if (!stat.isFile()) return fault(`${path} is not a regular file; put the PEM itself there`);
  if (stat.size > readingLimit) return fault(`${path} has ${stat.size} bytes; ${readingLimit} is the limit`);
  // One byte more than its size: if that is filled, the file has grown since the size was checked.
  const buffer = Buffer.alloc(stat.size + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length);
    if (bytesRead === 0) return { found: "text", text: buffer.toString("utf8", 0, length) };
    length += bytesRead;
  }
  return fault(`${path} grew while it was read`);
}

function fault(sentence: string): Reading {
  return { found: "fault", fault: sentence };
}
