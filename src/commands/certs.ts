import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority } from "../../certs/authority.ts";
import { checkHost } from "../../certs/host.ts";
import { factsOf } from "../../certs/keypair.ts";
import { UsageError } from "./errors.ts";

/** What `antechamber certs` is told on its command line. */
export interface CertsOptions {
  readonly out: string;
  readonly host: readonly string[];
  readonly days: number;
  /** Whether files that are there already may be replaced. */
  readonly force: boolean;
}

/** What `antechamber certs` needs of the process. */
export interface CertsIo {
  readonly print: (line: string) => void;
  readonly now: () => Date;
}

/** Writes ca.crt, tls.crt and tls.key for `serve --cert-dir`, from an authority whose key is kept nowhere. */
export async function certs(options: CertsOptions, io: CertsIo): Promise<void> {
  checkOptions(options);
  if (!options.force) await refuseToOverwrite(options.out);
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
      "no host to make a certificate for; add --host <service>.<namespace>.svc, which is what an API server asks for",
    );
  }
  for (const name of host) {
    const fault = checkHost(name);
    if (fault !== undefined) throw new UsageError(`--host ${fault}`);
  }
  if (!Number.isInteger(days) || days < 1 || days > longestDays) {
    throw new UsageError(`--days ${days} is not a whole number from 1 to ${longestDays}`);
  }
}

async function refuseToOverwrite(out: string): Promise<void> {
  const there: string[] = [];
  for (const name of ["ca.crt", "tls.crt", "tls.key"]) {
    if (await exists(join(out, name))) there.push(name);
  }
  if (there.length === 0) return;
  throw new UsageError(
    `${out} already has ${there.join(", ")}; add --force to replace them, or choose another --out`,
  );
}

/** lstat, not stat: a link that leads nowhere would be replaced as well. */
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
 * Drafts first, then all are renamed into place at once: a server that reads the directory never sees half a file,
 * what cannot be written replaces nothing, and an old file's mode does not become the new key's.
 */
async function write(out: string, outputs: readonly Output[]): Promise<void> {
  const drafts = outputs.map((output) => ({
    ...output,
    draft: join(out, `.${output.name}.${randomUUID()}`),
  }));
  try {
    await mkdir(out, { recursive: true });
    for (const { draft, content, mode } of drafts) await writeFile(draft, content, { mode, flag: "wx" });
    for (const { draft, name } of drafts) await rename(draft, join(out, name));
  } catch (error) {
    throw cannotWrite(out, error);
  } finally {
    for (const { draft } of drafts) await rm(draft, { force: true });
  }
}

function report({ out, host }: CertsOptions, notAfter: Date): readonly string[] {
  return [
    `wrote ${join(out, "ca.crt")}: the authority that callers must trust; its key is kept nowhere`,
    `wrote ${join(out, "tls.crt")}: the certificate`,
    `wrote ${join(out, "tls.key")}: its private key, readable by you alone`,
    `hosts: ${host.join(", ")}`,
    `expires: ${notAfter.toISOString()}`,
    "next:",
    `  antechamber serve --cert-dir ${out}`,
    `  caBundle, in the clientConfig of each CRD and webhook configuration: base64 < ${join(out, "ca.crt")} | tr -d '\\n'`,
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

/** Ten years: a test authority should not outlive what it tests. */
const longestDays = 3650;
