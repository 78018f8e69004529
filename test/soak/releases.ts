import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../src/cluster/local/child.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { register } from "../cluster/home.ts";
import type { ApiServer } from "../cluster/server.ts";
import type { Draw } from "../cluster/suites/draw.ts";
import { untilServed } from "../cluster/suites/served.ts";
import { startTurns } from "../cluster/turns.ts";
import { startService } from "../support/service.ts";

/** A kind of which two releases answer the requests of an API server, drawn for each request. */
export interface Releases {
  readonly kind: Kind;
  readonly stop: () => Promise<void>;
}

const [older, newer] = ["test/cases/releases/older", "test/cases/releases/newer"];

/** Whether two releases answer for a kind. */
export function isServedInTurn({ definition }: Kind): boolean {
  return definition.group === "releases.example.org";
}

/** Starts both releases. The CRD is that of the older one, as while the service is rolled out (docs/guides/evolve.md). */
export async function startReleases(server: ApiServer, draw: Draw): Promise<Releases> {
  const certs = await mkdtemp(join(tmpdir(), "antechamber-certs-"));
  const closing: (() => Promise<unknown>)[] = [() => rm(certs, { recursive: true, force: true })];
  const stop = async () => {
    await Promise.all(closing.map((close) => close()));
  };
  const start = async (folder: string) => {
    const args = ["--cert-dir", certs, "--webhooks", folder, "--kubeconfig", server.kubeconfig];
    const service = await startService(args);
    closing.push(service.stop);
    return service;
  };
  try {
    await makeCertificate(certs);
    const turns = await startTurns(certs, (count) => Math.floor(draw() * count));
    closing.push(turns.close);
    const old = await start(older);
    turns.to(old);
    const url = `https://127.0.0.1:${turns.port}`;
    await register(server, { url, caFile: join(certs, "ca.crt"), webhooks: older, name: "releases" });
    const [kind] = (await loadKinds([older])).all;
    if (kind === undefined) throw new Error(`${older} has no kind`);
    await untilServed(
      server,
      kind.definition,
      kind.versions.map(({ name }) => name),
    );
    turns.to(old, await start(newer));
    return { kind, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function makeCertificate(folder: string): Promise<void> {
  const args = ["src/cli.ts", "certs", "--out", folder, "--host", "127.0.0.1", "--host", "localhost"];
  const { code, stderr } = await run({ command: process.execPath, args }, process.env);
  if (code !== 0) throw new Error(`no certificate: ${stderr}`);
}
