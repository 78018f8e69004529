import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority } from "../../../certs/authority.ts";
import { checkHost } from "../../../certs/host.ts";
import { factsOf } from "../../../certs/keypair.ts";
import { UsageError } from "../../errors.ts";

/** The options of `antechamber certs`. */
export interface CertsOptions {
  readonly out: string;
  readonly host: readonly string[];
  readonly days: number;
  /** Whether existing files may be replaced. */
  readonly force: boolean;
}

/** The input and output of `antechamber certs`. */
interface CertsIo {
  readonly print: (line: string) => void;
  readonly now: () => Date;
}

/** Writes ca.crt, tls.crt and tls.key for `serve --cert-dir`. The private key of the CA is discarded. */
export async function certs(options: CertsOptions, io: CertsIo): Promise<void> {
  checkOptions(options);
  if (!options.force) await rejectOverwriting(options.out);
  const { host: hosts, days } = options;
  const now = io.now();
  const authority = await createAuthority({ commonName: "antechamber", now, days });
  const pair = await authority.issue({ hosts, now, days });
  await write(options.out, [
    { name: "ca.crt", content: authority.certificate, mode: 0o644 },
    { name: "tls.crt", content: pair.certificate, mode: 0o644 },
    { name: "tls.key", content: pair.key, mode: 0o600 },
  ]);
  for (const line of report(options, factsOf(pair.certificate).notAfter)) io.print(line);
}

interface Output {
  readonly name: string;
  readonly content: string;
  readonly mode: number;
}

function checkOptions({ host, days }: CertsOptions): void {
  if (host.length === 0) {
    throw new UsageError(
      "no host for the certificate; add --host <service>.<namespace>.svc, the name that an API server verifies",
    );
  }
  for (const name of host) {
    const fault = checkHost(name);
    if (fault !== undefined) throw new UsageError(`--host ${fault}`);
  }
  if (!Number.isInteger(days) || days < 1 || days > maxDays) {
    throw new UsageError(`--days ${days}: must be an integer from 1 to ${maxDays}`);
  }
}

async function rejectOverwriting(out: string): Promise<void> {
  const existing: string[] = [];
  for (const name of ["ca.crt", "tls.crt", "tls.key"]) {
    if (await exists(join(out, name))) existing.push(name);
  }
  if (existing.length === 0) return;
  throw new UsageError(
    `${out} already has ${existing.join(", ")}; add --force to replace them, or choose another --out`,
  );
}

/** lstat, not stat: a dangling link would be replaced, too. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw cannotWrite(path, error);
  }
}

/**
 * Writes temporary files and renames them all at the end: a server that reads the directory never sees a partial file, a
 * failed write replaces nothing, and the new key does not take over the mode of an old file.
 */
async function write(out: string, outputs: readonly Output[]): Promise<void> {
  const temporaries = outputs.map((output) => ({
    ...output,
    temporary: join(out, `.${output.name}.${randomUUID()}`),
  }));
  try {
    await mkdir(out, { recursive: true });
    for (const { temporary, content, mode } of temporaries)
      await writeFile(temporary, content, { mode, flag: "wx" });
    for (const { temporary, name } of temporaries) await rename(temporary, join(out, name));
  } catch (error) {
    throw cannotWrite(out, error);
  } finally {
    for (const { temporary } of temporaries) await rm(temporary, { force: true });
  }
}

function report({ out, host }: CertsOptions, notAfter: Date): readonly string[] {
  return [
    `wrote ${join(out, "ca.crt")}: the CA that callers must trust; its private key was discarded`,
    `wrote ${join(out, "tls.crt")}: the certificate`,
    `wrote ${join(out, "tls.key")}: the private key, readable only by you`,
    `hosts: ${host.join(", ")}`,
    `expires: ${notAfter.toISOString()}`,
    "next:",
    `  antechamber serve --cert-dir ${out}`,
    `  # caBundle for the clientConfig of each CRD and webhook configuration:\n  base64 < ${join(out, "ca.crt")} | tr -d '\\n'`,
  ];
}

function cannotWrite(path: string, error: unknown): UsageError {
  return new UsageError(`cannot write ${path}: ${codeOf(error) ?? String(error)}; choose another --out`, {
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Ten years. */
const maxDays = 3650;
