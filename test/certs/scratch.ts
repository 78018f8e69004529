import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that goes when the test ends. */
export async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "antechamber-certs-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
