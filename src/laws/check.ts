import type { Kind } from "../kind/kind.ts";
import { agreement } from "./agreement.ts";
import { crowded } from "./crowded.ts";
import { type Engine, servingEngine } from "./engine.ts";
import { exact } from "./exact.ts";
import { faithful } from "./faithful.ts";
import { fieldWise } from "./field-wise.ts";
import { hostile } from "./hostile.ts";
import { interleaving } from "./interleaving.ts";
import type { Counterexample, Law } from "./law.ts";
import { lists } from "./lists.ts";
import { mapped } from "./mapped.ts";
import { recorded } from "./recorded.ts";
import type { Recording } from "./recording.ts";
import { releases } from "./releases.ts";
import { replaced } from "./replaced.ts";
import { detour, getPut, idempotent, putGet } from "./round-trip.ts";
import { settingOf } from "./setting.ts";
import { statusWriters } from "./status-writers.ts";
import { deterministic, total } from "./total.ts";
import { untouched } from "./untouched.ts";

/** All laws, in the order of their numbers. */
export const laws: readonly Law[] = [
  getPut,
  putGet,
  agreement,
  untouched,
  lists,
  replaced,
  total,
  fieldWise,
  deterministic,
  idempotent,
  detour,
  exact,
  hostile,
  recorded,
  interleaving,
  statusWriters,
  crowded,
  releases,
  faithful,
  mapped,
];

/** The options of `checkLaws`. */
export interface Trials {
  /** Cases for each claim of each law. */
  readonly runs: number;
  /** The same seed draws the same cases. */
  readonly seed: number;
  /** Names of the laws to try; all where it is absent. */
  readonly laws?: readonly string[];
  readonly engine?: Engine;
  /** Objects with carriers that earlier releases wrote. */
  readonly recordings?: readonly Recording[];
  /** Called after each law. */
  readonly onProgress?: (verdict: LawVerdict) => void;
}

/** The result of testing a law. */
export interface LawVerdict {
  readonly law: string;
  readonly statement: string;
  /** Cases tried, over all claims. */
  readonly runs: number;
  readonly holds: boolean;
  readonly counterexample?: Counterexample;
}

/** Tries the laws on a kind, each until its first broken claim. Deterministic by the seed. */
export function checkLaws(kind: Kind, trials: Trials): readonly LawVerdict[] {
  const setting = settingOf(kind, trials.engine ?? servingEngine, trials.recordings);
  const chosen = laws.filter(({ name }) => trials.laws?.includes(name) ?? true);
  return chosen.map(({ name, statement, claims }) => {
    let runs = 0;
    for (const each of claims(setting)) {
      const { runs: tried, counterexample } = each.check(trials.runs, trials.seed);
      runs += tried;
      if (counterexample === undefined) continue;
      const broken = { law: name, statement, runs, holds: false, counterexample };
      trials.onProgress?.(broken);
      return broken;
    }
    const held = { law: name, statement, runs, holds: true };
    trials.onProgress?.(held);
    return held;
  });
}
