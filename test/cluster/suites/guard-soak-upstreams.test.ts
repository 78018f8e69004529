import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kind } from "../../../src/kind/kind.ts";
import { startAsker } from "../../soak/asked-lens.ts";
import { expectNothingFound } from "../../soak/expected.ts";
import { relive } from "../../soak/finding.ts";
import { kindOf, readKnown } from "../../soak/known.ts";
import { newTally, soak, type Tally } from "../../soak/soak.ts";
import { askedKind, tried, writeCrd } from "../../soak/upstreams.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { registerAlone, registerGuard, startGuard } from "../guarded.ts";
import { createNamespace, type Home } from "../home.ts";
import { startApiServer } from "../server.ts";
import { haveTargets, startTarget, targetsLeftOut } from "../webhook-targets.ts";

// Random clients of kinds whose conversion is another project's own webhook behind the guard. The judge asks that webhook what it
// makes of what clients wrote. It knows no rows, so it allows no field to change beside another one. SOAK_TARGETS names others of
// `tried`, which `npm run cluster:build -- --part targets` builds.

const targets = (process.env.SOAK_TARGETS ?? "kruise,external-snapshotter,cluster-api").split(",");
const chosen = tried.filter(({ target }) => targets.includes(target));
const mended = readKnown("upstreams-mended.yaml").filter(({ kind }) =>
  chosen.some(({ group }) => kind.endsWith(`.${group}`)),
);
const seconds = Number(process.env.SOAK_SECONDS ?? 0);
const extent = seconds === 0 ? { lives: Number(process.env.SOAK_LIVES ?? 200), seconds: 300 } : { seconds };
const seed = Number(process.env.SOAK_SEED ?? (seconds === 0 ? 1 : process.env.SEED));

if (requireBinaries() === undefined) it(leftOut, () => {});
else if (!haveTargets()) it(targetsLeftOut, () => {});
else describe("random clients of kinds that other projects convert", claims);

function claims(): void {
  const kinds: Kind[] = [];
  /** Kinds of which the API server asks the webhook itself, as it is without a guard. */
  const alone: Kind[] = [];
  let field: Home & { readonly kinds: readonly Kind[] };
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    const server = await startApiServer();
    closing.push(server.stop);
    const folder = mkdtempSync(path.join(tmpdir(), "antechamber-guard-soak-"));
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    let service: Home["service"] | undefined;
    for (const { target: name, plurals, unguarded = [], unknown = [], carried = [] } of chosen) {
      const target = await startTarget(name);
      closing.push(target.stop);
      const asker = startAsker({ url: target.url, ca: readFileSync(target.caFile, "utf8") });
      closing.push(asker.stop);
      const fileOf = (plural: string) => writeCrd(target, plural, unknown, folder);
      const files = plurals.map(fileOf);
      const options = carried.flatMap((each) => ["--carried", each]);
      const guard = await startGuard(target, files, options);
      closing.push(guard.stop);
      await registerGuard(server, guard);
      service = guard.service;
      kinds.push(...files.map((file) => askedKind(file, asker, seed)));
      for (const file of unguarded.map(fileOf)) {
        await registerAlone(server, target, file);
        alone.push(askedKind(file, asker, seed));
      }
    }
    if (service === undefined) throw new Error(`no target is called ${targets.join(" or ")}`);
    await createNamespace(server, "soak");
    const home = { service, createNamespace: (name: string) => createNamespace(server, name) };
    field = { ...server, ...home, kinds };
  }, 300_000);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  async function soaked(these: readonly Kind[], lives: { readonly lives?: number }): Promise<Tally> {
    const tally = newTally();
    const end = Date.now() + extent.seconds * 1000;
    await soak(field, these, { ...lives, seed, end, known: [], tally });
    return tally;
  }

  it.each(mended.map((each) => [each.why, each] as const))(
    "do not find again: %s",
    async (_why, each) => {
      expect(await relive(field, kindOf(kinds, each), each.life)).toBe("no fault");
    },
    60_000,
  );

  it(
    `lose nothing, and are refused nothing, with seed ${seed}`,
    async () => {
      expect(kinds.length).toBeGreaterThan(1);
      const tally = await soaked(kinds, extent);
      await expectNothingFound(field, tally, seed);
    },
    extent.seconds * 1000 + 200_000,
  );

  it("find what the webhook loses without the guard", async () => {
    for (const kind of alone) {
      const { findings } = await soaked([kind], { lives: 20 });
      const checks = [...findings.values()].map(({ fault }) => fault.check);
      expect(checks, kind.name).toContain("lost");
    }
  }, 120_000);
}
