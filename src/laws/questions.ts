import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { type Engine, servingEngine } from "./engine.ts";
import type { Claim, Counterexample, Law, Limits, Trial } from "./law.ts";
import { settingOf } from "./setting.ts";

/** A law for one version of a kind. */
export interface Question {
  readonly law: string;
  readonly statement: string;
  /** The version that is converted to others and back; absent if the kind's versions give no case. */
  readonly version?: string;
  /** What is needed to have a case, if there is none. */
  readonly needs?: string;
  /** Tries a number of cases of each claim, until the first that fails. Deterministic by the seed, but for its limits. */
  readonly ask: (runs: number, seed: number, limits?: Limits) => Trial;
}

/** Every law for every version that it applies to. */
export function questionsOf(
  kind: Kind,
  laws: readonly Law[],
  engine: Engine = servingEngine,
): readonly Question[] {
  const watch = watched(engine);
  const setting = settingOf(kind, watch.engine);
  return laws.flatMap(({ name: law, statement, needs, claims }): readonly Question[] => {
    const byVersion = [...Map.groupBy(claims(setting), (each) => versionOf(each, kind))];
    if (byVersion.length === 0) {
      const wanted = kind.versions.length > 1 && needs !== undefined ? needs : "a second version";
      return [{ law, statement, needs: wanted, ask: () => ({ runs: 0 }) }];
    }
    return byVersion.map(([version, these]) => ({
      law,
      statement,
      version,
      ask: (runs, seed, limits = {}) =>
        askAll(these, runs, seed, limits, (broken) => visible(withCulprit(broken, watch.last(), kind))),
    }));
  });
}

/** The spoke that a claim is about: the first version of its path that is not the hub. */
function versionOf({ versions }: Claim, { hub }: Kind): string {
  return versions.split(" → ").find((name) => name !== hub.name) ?? hub.name;
}

function askAll(
  claims: readonly Claim[],
  runs: number,
  seed: number,
  limits: Limits,
  annotate: (broken: Counterexample) => Counterexample,
): Trial {
  const { milliseconds } = limits;
  let [tried, untried] = [0, 0];
  const end = milliseconds === undefined ? undefined : performance.now() + milliseconds;
  for (const [index, claim] of claims.entries()) {
    // What a claim leaves of its share is the others'.
    const share =
      end === undefined ? {} : { milliseconds: (end - performance.now()) / (claims.length - index) };
    const trial = claim.check(runs, seed, { ...limits, ...share });
    tried += trial.runs;
    untried += trial.untried ?? 0;
    if (trial.counterexample !== undefined)
      return { runs: tried, counterexample: annotate(trial.counterexample) };
  }
  return untried === 0 ? { runs: tried } : { runs: tried, untried };
}

/** A conversion that was requested. */
interface Call {
  readonly object: JsonObject;
  readonly from: number;
  readonly to: number;
}

/** An engine that remembers the conversion that threw, if any did. */
function watched(engine: Engine): { readonly engine: Engine; readonly last: () => Call | undefined } {
  let last: Call | undefined;
  const convert: Engine["convert"] = (object, chain, from, to) => {
    last = { object, from, to };
    const converted = engine.convert(object, chain, from, to);
    last = undefined;
    return converted;
  };
  return { engine: { ...engine, convert }, last: () => last };
}

/** For a case that ended with a throw, the counterexample with the object that was being converted. */
function withCulprit(broken: Counterexample, last: Call | undefined, { versions }: Kind): Counterexample {
  if (broken.expected !== "no throw" || last === undefined) return broken;
  const [from, to] = [versions[last.from]?.name, versions[last.to]?.name];
  return { ...broken, object: last.object, steps: [...broken.steps, `convert from ${from} to ${to}`] };
}

/** A counterexample that shows fields which a lens set to undefined, since JSON would omit them. */
function visible(broken: Counterexample): Counterexample {
  const { expected, actual } = broken;
  return {
    ...broken,
    expected: expected === undefined ? expected : withUndefined(expected),
    actual: actual === undefined ? actual : withUndefined(actual),
  };
}

function withUndefined(value: Json | undefined): Json {
  if (value === undefined) return "undefined, which is not JSON: leave the field out";
  if (isArray(value)) return value.map(withUndefined);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withUndefined(inner)]));
}
