import { setTimeout as wait } from "node:timers/promises";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { type Home, startHome } from "../cluster/home.ts";
import { publishedKinds } from "../cluster/published-kinds.ts";
import { type Draw, drawing, pick } from "../cluster/suites/draw.ts";
import { untilServed } from "../cluster/suites/served.ts";
import { isUnanswered, leave, settle } from "./client.ts";
import { drawObject, drawStep, type Source, sourceOf } from "./draw.ts";
import { type Finding, signatureOf } from "./finding.ts";
import { type Known, knownAs } from "./known.ts";
import { takeStep } from "./life.ts";
import { startReleases } from "./releases.ts";
import type { Step } from "./step.ts";

/** An API server with all kinds under test. */
export interface Field extends Home {
  readonly kinds: readonly Kind[];
}

/**
 * Starts one with the kinds of this repository, those of the tests, those of other projects, and one of which two releases
 * answer in turn, as the seed draws.
 */
export async function startField(crds: string, seed: number): Promise<Field> {
  const published = await publishedKinds(crds);
  const folders = ["webhooks", "test/kinds", "examples/kinds", published.folder];
  const closing: (() => Promise<void>)[] = [published.remove];
  const stop = async () => {
    for (const close of closing.toReversed()) await close();
  };
  try {
    const { all } = await loadKinds(folders);
    const home = await startHome(folders);
    closing.push(home.stop);
    const releases = await startReleases(home, drawing(seed));
    closing.push(releases.stop);
    for (const { definition, versions } of all) {
      const served = versions.filter((version) => version.served).map(({ name }) => name);
      await untilServed(home, definition, served);
    }
    await home.createNamespace("soak");
    return { ...home, kinds: [...all.filter(isJudged), releases.kind], stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/**
 * Some kinds of an office lack `shared` and `spread` on purpose, for the laws to find that. Clients that drop all annotations, as
 * half of them do, drop what a lens says in one: the judge takes annotations for no content.
 */
function isJudged({ definition, chain }: Kind): boolean {
  return definition.group !== "office.example.org" && chain.mapped.annotations.length === 0;
}

/** What a soak is, and what it did so far. */
export interface Soak {
  readonly seed: number;
  /** When it ends; at the latest after so many lives, if a number is given. */
  readonly end: number;
  readonly lives?: number;
  readonly known: readonly Known[];
  readonly tally: Tally;
}

/** Counts of a soak, and its findings by signature. */
export interface Tally {
  lives: number;
  writes: number;
  refused: number;
  /** Applies of which the second changed something, for a reason that docs/reference/limits.md gives. */
  excused: number;
  readonly known: Map<string, number>;
  readonly findings: Map<string, Finding>;
}

/** An empty tally. */
export function newTally(): Tally {
  return { lives: 0, writes: 0, refused: 0, excused: 0, known: new Map(), findings: new Map() };
}

/** Lets objects of the kinds live, a few at a time, until the end. */
export async function soak(
  field: Field,
  kinds: readonly Kind[],
  { seed, end, lives = Number.POSITIVE_INFINITY, known, tally }: Soak,
): Promise<void> {
  const sources = kinds.map(sourceOf);
  const busy = new Set<Source>();
  const worker = async () => {
    while (Date.now() < end && tally.lives < lives) {
      const number = tally.lives++;
      // A seed of its own makes a life the same whatever others do meanwhile.
      const draw = drawing((seed + Math.imul(number, 0x9e3779b9)) >>> 0);
      const source = pick(draw, sources);
      // One object of a kind at a time: the storage version is the kind's, and SidecarSets refuse each other's containers.
      while (busy.has(source)) await wait(5);
      busy.add(source);
      const finding = await live(field, source, { number, draw, end }, tally);
      busy.delete(source);
      if (finding !== undefined) note(finding, known, tally);
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

const mostSteps = 16;

/** The life of one object, up to the first fault. */
async function live(
  field: Field,
  source: Source,
  { number, draw, end }: { readonly number: number; readonly draw: Draw; readonly end: number },
  tally: Tally,
): Promise<Finding | undefined> {
  const { kind } = source;
  const { at, object } = drawObject(source, draw);
  const tenant = await settle(field, kind, `object-${number}`, at, object);
  if ("status" in tenant) {
    if (tenant.status === 422 || isUnanswered(tenant)) {
      tally.refused++;
      return undefined;
    }
    throw new Error(
      `${kind.name} cannot be created: ${tenant.status} ${tenant.text} of ${JSON.stringify(object)}`,
    );
  }
  const steps: Step[] = [];
  try {
    while (steps.length < mostSteps && Date.now() < end) {
      const step = drawStep(source, tenant, draw);
      steps.push(step);
      const { faults, isRefused, isExcused, isGone } = await takeStep(tenant, step);
      tally.writes++;
      if (isRefused) tally.refused++;
      if (isExcused) tally.excused++;
      const [fault] = faults;
      if (fault !== undefined) return { kind, fault, life: { at, object, steps } };
      if (isGone) return undefined;
    }
    return undefined;
  } finally {
    await leave(
      tenant,
      steps.some(({ by }) => by === "storage"),
    );
  }
}

function note(finding: Finding, known: readonly Known[], { known: counts, findings }: Tally): void {
  const as = knownAs(known, finding);
  if (as !== undefined) counts.set(as.finding, (counts.get(as.finding) ?? 0) + 1);
  else {
    const signature = `${finding.kind.name} ${signatureOf(finding.fault)}`;
    const other = findings.get(signature);
    if (other === undefined || other.life.steps.length > finding.life.steps.length)
      findings.set(signature, finding);
  }
}

/** One line of what a soak did. */
export function lineOf({ lives, writes, refused, excused, known, findings }: Tally): string {
  const counts = [...known].sort().map(([letter, times]) => `${letter} ${times} times`);
  return [
    `${lives} objects, ${writes} writes, ${refused} refused as invalid, ${excused} unlike at the second apply`,
    `known: ${counts.join(", ") || "none"}`,
    `new: ${findings.size}`,
  ].join("; ");
}
