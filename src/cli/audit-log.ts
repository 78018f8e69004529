import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { completeLines } from "../cluster/api/stream.ts";
import {
  type AuditedKind,
  type AuditFacts,
  type AuditLine,
  NotAnEvent,
  readAudit,
} from "../cluster/lifecycle/audit.ts";
import { UsageError } from "../errors.ts";

/** The name of a CRD is that of its resource and its group. */
function auditedKind(crd: string): AuditedKind {
  const [plural = "", ...group] = crd.split(".");
  return { plural, group: group.join(".") };
}

/**
 * What audit logs in files say of kinds, by the names of their CRDs; those that end in `.gz` are decompressed. They are read once,
 * as streams; nothing is said without files. Throws UsageError.
 */
export async function readAuditLogs(
  files: readonly string[],
  crds: readonly string[],
): Promise<ReadonlyMap<string, AuditFacts>> {
  if (files.length === 0) return new Map();
  const found = await readAudit(logsOf(files), crds.map(auditedKind)).catch((error: unknown) => {
    throw error instanceof NotAnEvent ? new UsageError(error.message) : error;
  });
  if (found === undefined) throw new UsageError(`${files.join(", ")}: no event of an audit log`);
  return found;
}

async function* logsOf(files: readonly string[]): AsyncGenerator<AsyncIterable<AuditLine>, void, void> {
  for (const file of files) yield linesOf(file);
}

/** An event has at most twice the size of an object, of 3 MiB, and is escaped. */
const maxLine = 32 * 1024 * 1024;

/** The lines of a file; a last one without a line end is still being written, and left out. */
async function* linesOf(file: string): AsyncGenerator<AuditLine, void, void> {
  let number = 1;
  const tooLong = () => new NotAnEvent(`${file}:${number}: the line is too long`);
  try {
    for await (const text of completeLines(contentOf(file), maxLine, tooLong))
      yield { source: `${file}:${number++}`, text };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  }
}

function contentOf(file: string): AsyncIterable<Buffer> {
  const content = createReadStream(file);
  if (!file.endsWith(".gz")) return content;
  // An error of the file reaches the reader of the decompressed text.
  return pipeline(content, createGunzip(), () => {});
}
