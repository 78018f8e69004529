import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeJson } from "../../../src/json/exact.ts";
import { get, type JsonObject } from "../../../src/json/json.ts";
import { disagreement } from "../../schema/schemas-answers.ts";
import type { Write } from "../../schema/schemas-cases.ts";
import { type DrawnKind, drawCrds, drawKinds } from "../../schema/schemas-draw.ts";
import { engineOf, faultsOf } from "../../schema/schemas-engine.ts";
import {
  askCrd,
  askWrites,
  canBeStored,
  createKinds,
  deleteKinds,
  inTurns,
  panic,
} from "../../schema/schemas-server.ts";
import { shrunk, shrunkCrd } from "../../schema/schemas-shrink.ts";
import { leftOut, releaseOf, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// Random kinds and writes: the engine and a real API server give the same answer to each. SCHEMA_CHECKS=20000 sends more,
// SCHEMA_SEED=7 others. A difference becomes a recorded case. Without a seed each run sends the same, so that none fails by chance.

const version = releaseOf(process.env);
const checks = Number(process.env.SCHEMA_CHECKS ?? 400);
const crdChecks = Math.ceil(checks / 4);
const writesEach = 40;
const kindsAtOnce = 25;
const mostShown = Number(process.env.SCHEMA_SHOWN ?? 5);
const seed = Number(process.env.SCHEMA_SEED ?? 1) % 1_000_000;

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("for random kinds and writes", claims);

function claims(): void {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
  }, 100_000);
  afterAll(() => server?.stop());

  it(
    `the engine answers like a real API server (${checks} writes)`,
    async () => {
      const [found, foundCrds]: [string[], string[]] = [[], []];
      const counts = { kinds: 0, refused: 0, writes: 0, allowed: 0 };
      for (let batch = 0; counts.writes < checks && batch < 10_000; batch++) {
        const left = Math.ceil((checks - counts.writes) / writesEach);
        const drawn = drawKinds(seed + batch * 1000, Math.min(kindsAtOnce, 2 + left), writesEach);
        const good = await goodOnes(drawn, foundCrds, counts);
        await createKinds(
          server,
          good.map(({ crd }) => crd),
        );
        await inTurns(good, 3, (each) => check(each, found, counts));
        report(`${counts.writes} writes, ${found.length} disagreements`);
        await deleteKinds(
          server,
          good.map(({ crd }) => crd),
        );
      }
      console.log(`seed ${seed}: ${JSON.stringify(counts)}, ${found.length} disagreements`);
      expect(found.slice(0, mostShown).join("\n\n")).toBe("");
    },
    100_000 + checks * 100,
  );

  it(
    `the engine rejects the CRDs that a real API server rejects (${crdChecks})`,
    async () => {
      const found: string[] = [];
      const counts = { refused: 0 };
      for (let asked = 0; asked < crdChecks; asked += 100) {
        const crds = drawCrds(seed + asked, Math.min(100, crdChecks - asked));
        await goodOnes(
          crds.map((crd) => ({ crd, writes: [] })),
          found,
          counts,
        );
      }
      console.log(
        `seed ${seed}: ${crdChecks} CRDs, ${counts.refused} refused, ${found.length} disagreements`,
      );
      expect(found.slice(0, mostShown).join("\n\n")).toBe("");
    },
    100_000 + crdChecks * 100,
  );

  /** The kinds that the server accepts; the engine has to reject the others for the same causes. */
  async function goodOnes(drawn: readonly DrawnKind[], found: string[], counts: { refused: number }) {
    const good = await inTurns(drawn, 4, async ({ crd }) => {
      const { why, allowed } = await crdDiffers(crd);
      if (!allowed) counts.refused++;
      if (why === undefined) return allowed;
      const differs = async (smaller: JsonObject) => (await crdDiffers(smaller)).why !== undefined;
      const least = found.length >= mostShown ? crd : await shrunkCrd(crd, differs);
      found.push(`CRD ${writeJson(schemaIn(least))}\n${(await crdDiffers(least)).why}`);
      return false;
    });
    return drawn.filter((_, index) => good[index]);
  }

  async function crdDiffers(crd: JsonObject) {
    const { allowed, message, causes = [] } = await askCrd(server, crd);
    const ours = textsOf(faultsOf(crd, version));
    // The client of a server that panics gets no causes; the engine names the place.
    if (message === panic && [...ours].some((fault) => fault.includes(panic))) return { allowed };
    const theirs = textsOf(causes);
    const [more, less] = [ours.difference(theirs), theirs.difference(ours)];
    // If there are several faults, one that both report is enough.
    const agree = theirs.size > 1 ? ours.intersection(theirs).size > 0 : more.size === 0 && less.size === 0;
    const same = allowed === (ours.size === 0) && agree;
    return { allowed, why: same ? undefined : `server: ${shown(less)}\n  ours: ${shown(more)}` };
  }

  async function check(
    { crd, writes }: DrawnKind,
    found: string[],
    counts: Record<"kinds" | "writes" | "allowed", number>,
  ) {
    const engine = engineOf(crd, version);
    const asked = await inTurns(writes, 4, (write) => differs(write));
    counts.kinds++;
    counts.writes += writes.length;
    for (const { write, why, allowed } of asked) {
      if (allowed) counts.allowed++;
      if (why === undefined) continue;
      const isEnough = found.length >= mostShown;
      const least = isEnough
        ? write
        : await shrunk(write, async (smaller) => (await differs(smaller)).why !== undefined);
      found.push(`${writeJson(schemaIn(crd))}\n${writeJson({ ...least })}\n${(await differs(least)).why}`);
    }

    async function differs(write: Write) {
      // Which of several faults the server reports first may be random.
      for (const times of [1, 8]) {
        if (write.old !== undefined && !(await canBeStored(server, crd, write.old))) {
          return { write, why: undefined, allowed: false };
        }
        const [recorded] = (await askWrites(server, crd, [write], times)).values();
        const { answers = [], old } = recorded ?? {};
        const why = disagreement(answers, engine(write, old));
        if (why === undefined || times > 1) return { write, why, allowed: answers[0]?.allowed === true };
      }
      throw new Error("unreachable");
    }
  }
}

/** The causes without what is random in the server's messages: the generated name of a type. */
function textsOf(causes: readonly JsonObject[]): Set<string> {
  return new Set(causes.map((each) => writeJson(each).replaceAll(/selfType\d+/g, "selfType")));
}

function shown(causes: ReadonlySet<string>): string {
  return (
    [...causes].map((cause) => (cause.length > 700 ? `${cause.slice(0, 700)}…` : cause)).join("\n  ") ||
    "(no more)"
  );
}

/** A long run takes minutes, so it prints its progress. */
function report(line: string): void {
  if (checks > 2000) process.stderr.write(`${line}\n`);
}

function schemaIn(crd: JsonObject): JsonObject {
  const versions = get(crd, "spec", "versions");
  return (versions as readonly JsonObject[])[0] ?? {};
}
