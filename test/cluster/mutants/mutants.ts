import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import {
  type Ask,
  type Checks,
  checkKind,
  type Finding,
  notes,
  type Subject,
  subjectOf,
} from "../../../src/checks/index.ts";
import { webhookClient } from "../../../src/cluster/api/webhook-client.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { type RunningTarget, startTarget, type TargetName } from "../webhook-targets.ts";
import { type Mutation, operators, Panic, Refusal, soundWays } from "./operators.ts";

/** A kind of another project, with mistakes in its conversion that must be found. */
export interface MutatedKind {
  readonly target: TargetName;
  readonly plural: string;
  readonly mutants: readonly Mutant[];
  /** Whether upstream's own conversion is sound, so that nothing may be found. */
  readonly isSound: boolean;
}

/** One mistake, and where it must be found. */
export interface Mutant {
  /** `v1beta1 drop spec.image`. */
  readonly text: string;
  /** `drop`. */
  readonly name: string;
  readonly mutation: Mutation;
  /** The place of the finding, or one above or below it; `any` for any. */
  readonly place: string;
}

interface Written {
  readonly target: TargetName;
  readonly plural: string;
  readonly sound?: boolean;
  readonly mutants?: readonly string[];
}

/** All kinds with their mistakes, as mutants.yaml has them. */
export function mutatedKinds(): readonly MutatedKind[] {
  const written: readonly Written[] = parse(readFileSync(join(import.meta.dirname, "mutants.yaml"), "utf8"));
  return written.map(({ target, plural, sound = false, mutants = [] }) => ({
    target,
    plural,
    isSound: sound,
    mutants: mutants.map(mutantOf),
  }));
}

/** `v1beta1 swap spec.a b => spec.a`: the version that is converted to, the mistake, its place; where it is found, if elsewhere. */
function mutantOf(text: string): Mutant {
  const [left = "", right] = text.split(" => ");
  const [to = "", name = "", place = "", ...args] = left.split(" ");
  const operator = operators[name];
  if (operator === undefined) throw new Error(`${text}: no mistake is called ${name}`);
  return { text, name, mutation: operator(to, place, ...args), place: right ?? place };
}

/** A webhook with a mistake: upstream's own answers, changed on their way. */
export function mutatedAsk(ask: Ask, mutation: Mutation): Ask {
  let count = 0;
  return async (review) => {
    const reply = await ask(review);
    if (reply.state !== "answered") return reply;
    const answer = parseJson(reply.text);
    const response = get(answer, "response");
    const made = get(response, "convertedObjects");
    if (!isArray(made) || !isObject(response) || !isObject(answer)) return reply;
    const request = get(parseJson(review), "request");
    const sent = get(request, "objects");
    const objects = isArray(sent) ? sent.filter(isObject) : [];
    const to = String(get(request, "desiredAPIVersion")).split("/").at(-1) ?? "";
    const respond = (more: JsonObject) => ({
      ...reply,
      text: writeJson({ ...answer, response: { ...response, ...more } }),
    });
    try {
      const convertedObjects = made.filter(isObject).map((each, index) =>
        mutation({
          sent: objects[index] ?? {},
          made: each,
          to,
          before: objects.slice(0, index),
          count: count++,
        }),
      );
      return respond({ convertedObjects });
    } catch (error) {
      if (error instanceof Panic)
        return { state: "closed", sentence: "the connection was closed without an answer" };
      if (!(error instanceof Refusal)) throw error;
      return respond({ convertedObjects: [], result: { status: "Failure", message: error.message } });
    }
  };
}

/** What the checks find of a kind. */
export interface Judged {
  readonly text: string;
  readonly seed: number;
  readonly verdict: "found" | "missed" | "quiet" | "alarm";
  /** What was found that upstream's own conversion does not show. */
  readonly lines: readonly string[];
}

/** Random objects for each pair of versions: as many as by default, or one. */
const manyRuns = 100;
const fewRuns = 1;

/**
 * Runs the checks on a kind: as upstream converts, and with each mistake. A seed decides on random objects alone. So a mistake
 * that is found with one of them is found with every seed, and only the others are judged with the default settings and each.
 */
export async function* judgedKind(
  { target, plural, mutants, isSound }: MutatedKind,
  running: RunningTarget,
  seeds: readonly number[],
  chosen: (text: string, index: number) => boolean = () => true,
): AsyncGenerator<Judged, void, void> {
  const client = webhookClient({
    url: running.url,
    ca: readFileSync(running.caFile, "utf8"),
    timeout: 10_000,
  });
  try {
    const subject = subjectIn(running.crd(plural));
    const faults = async (mutation: Mutation, seed: number, runs: number) =>
      faultsOf(subject, mutatedAsk(client.post, mutation), { seed, runs });
    const named = (text: string) => `${target} ${plural}: ${text}`;
    if (isSound)
      for (const [index, [name, mutation]] of Object.entries(soundWays).entries()) {
        if (!chosen(name, index)) continue;
        for (const seed of seeds) {
          const found = await faults(mutation, seed, manyRuns);
          const verdict = found.length === 0 ? "quiet" : "alarm";
          yield { text: named(name), seed, verdict, lines: found.map(lineOf) };
        }
      }
    const picked = mutants.filter(({ text }, index) => chosen(text, index));
    const upstream = new Map<string, ReadonlySet<string>>();
    /** What a mistake shows that upstream's own conversion does not. */
    const shown = async ({ mutation }: Mutant, seed: number, runs: number) => {
      const key = `${seed} ${runs}`;
      const known = upstream.get(key) ?? new Set((await faults(asUpstream, seed, runs)).flatMap(keysOf));
      upstream.set(key, known);
      return (await faults(mutation, seed, runs)).filter((each) =>
        keysOf(each).some((one) => !known.has(one)),
      );
    };
    for (const mutant of picked) {
      const text = named(mutant.text);
      const isFound = (found: readonly Finding[]) => found.some((each) => isAt(each, mutant.place));
      const early = await shown(mutant, seeds[0] ?? 1, fewRuns);
      for (const seed of seeds) {
        const found = isFound(early) ? early : await shown(mutant, seed, manyRuns);
        yield { text, seed, verdict: isFound(found) ? "found" : "missed", lines: found.map(lineOf) };
      }
    }
  } finally {
    client.close();
  }
}

const asUpstream: Mutation = ({ made }) => made;

function subjectIn(file: string): Subject {
  const [document] = readYaml(readFileSync(file, "utf8"));
  const read = subjectOf(isObject(document?.value) ? document.value : {});
  if ("causes" in read) throw new Error(`${file}: ${JSON.stringify(read.causes)}`);
  return read.subject;
}

async function faultsOf(
  subject: Subject,
  ask: Ask,
  drawing: Pick<Checks, "seed" | "runs">,
): Promise<readonly Finding[]> {
  const checks: Checks = {
    ...drawing,
    batch: 100,
    clock: () => performance.now(),
    until: performance.now() + 600_000,
    ignored: [],
    examples: [],
  };
  const { findings } = await checkKind(subject, ask, checks);
  return findings.filter(({ kind }) => !notes.has(kind));
}

function keysOf({ kind, check, versions, place, places }: Finding): readonly string[] {
  return (places.length === 0 ? [place] : places).map((each) =>
    JSON.stringify([kind, check, versions, each]),
  );
}

function isAt({ place, places }: Finding, expected: string): boolean {
  const isWithin = (a: string, b: string) => a === b || (a.startsWith(b) && /^[.[]/.test(a.slice(b.length)));
  return (
    expected === "any" ||
    [place, ...places].some((each) => each !== "" && (isWithin(each, expected) || isWithin(expected, each)))
  );
}

function lineOf({ kind, check, place, versions }: Finding): string {
  return `${kind} ${place || "the whole object"} (${versions.join(" → ")}, ${check})`;
}

/** The kinds of one target, with the target while they are judged. */
export async function withTarget<T>(
  name: TargetName,
  act: (running: RunningTarget) => Promise<T>,
): Promise<T> {
  const running = await startTarget(name);
  try {
    return await act(running);
  } finally {
    await running.stop();
  }
}
