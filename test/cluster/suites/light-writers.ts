import { setTimeout as wait } from "node:timers/promises";
import { get, isObject, type Json, set } from "../../../src/json/json.ts";
import type { Answer } from "../client.ts";
import { expectOk, pathOf } from "../kinds.ts";
import type { ApiServer } from "../server.ts";
import {
  fieldsOf,
  firstState,
  type LightState,
  newLight,
  shows,
  type Version,
  written,
} from "./light-model.ts";

/** A write that was refused, or broke off. */
export interface FailedWrite {
  /** When it began and ended, in the time of `performance.now()`. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** From when a replica was killed until it was known to be gone, in the time of `performance.now()`. */
export interface Death {
  readonly from: number;
  readonly to: number;
}

/**
 * Whether a write was under way when a replica was killed, or began while connections still went to it. However busy the machine
 * is, no other one may fail.
 */
export function isNear(deaths: readonly Death[], { from, to }: Pick<FailedWrite, "from" | "to">): boolean {
  return deaths.some((death) => from < death.to && to > death.from);
}

/** What came of all writes. */
export interface Written {
  readonly failed: readonly FailedWrite[];
  /** Answers that show what no order of the writes can have made. */
  readonly wrong: readonly string[];
  readonly milliseconds: readonly number[];
  readonly seconds: number;
}

/** Writes Lights at both versions and remembers what each of them must say. */
export interface Writers {
  /** How many writes went well so far. */
  readonly count: () => number;
  readonly stop: () => Promise<Written>;
  /** What the API server has of them and should not have, by name and version; empty where all is as it must be. */
  readonly compare: () => Promise<readonly string[]>;
}

/** One Light, and what it may say: more than one thing where a write broke off and may have been stored or not. */
interface Light {
  readonly name: string;
  states: readonly LightState[];
  writes: number;
}

/** Creates Lights and writes them at a steady pace, one write of each at a time, whether or not others are through. */
export async function startWriters(server: ApiServer, count: number, aSecond: number): Promise<Writers> {
  const lights = await Promise.all(
    Array.from({ length: count }, (_, index) => begin(server, `lamp-${index}`)),
  );
  const idle = [...lights];
  const result = { failed: [] as FailedWrite[], wrong: [] as string[], milliseconds: [] as number[] };
  const begun = performance.now();
  let isEnding = false;
  const running = new Set<Promise<void>>();
  const one = async (light: Light) => {
    const from = performance.now();
    const failure = await write(server, light, result.wrong);
    const to = performance.now();
    if (failure === undefined) result.milliseconds.push(to - from);
    else result.failed.push({ from, to, text: failure });
    idle.push(light);
  };
  const writing = (async () => {
    for (let turn = 0; !isEnding; turn++) {
      await wait(Math.max(0, begun + (turn * 1_000) / aSecond - performance.now()));
      // A machine that is too slow for the pace writes as fast as it can.
      while (idle.length === 0) await Promise.race(running);
      const call: Promise<void> = one(idle.shift() as Light).finally(() => running.delete(call));
      running.add(call);
    }
    await Promise.all(running);
  })();
  return {
    count: () => result.milliseconds.length,
    stop: async () => {
      isEnding = true;
      await writing;
      return { ...result, seconds: (performance.now() - begun) / 1_000 };
    },
    compare: async () => (await Promise.all(lights.map((light) => compare(server, light)))).flat(),
  };
}

async function begin(server: ApiServer, name: string): Promise<Light> {
  await expectOk(server.request("POST", pathOf("lights", "v1"), { body: Buffer.from(newLight(name)) }));
  const light = { name, states: [written(firstState, "v1beta1", 1)], writes: 1 };
  const body = { spec: fieldsOf(written(firstState, "v1beta1", 1), "v1beta1") };
  await expectOk(server.request("PATCH", pathOf("lights", "v1beta1", name), { body }));
  return light;
}

/** Writes a Light once; why it failed, if it did. */
async function write(server: ApiServer, light: Light, wrong: string[]): Promise<string | undefined> {
  const number = (++light.writes % 97) + 1;
  // At the old version twice as often; half of it by reading and putting back, as a client without patches does.
  const at: Version = light.writes % 3 === 0 ? "v1" : "v1beta1";
  const next = light.states.map((state) => written(state, at, number));
  const fields = fieldsOf(next[0] as LightState, at);
  const how = light.writes % 3 === 1 ? put : patch;
  const answer = await how(server, pathOf("lights", at, light.name), fields);
  if (typeof answer === "string" || answer.status !== 200) {
    light.states = distinct([...light.states, ...next]);
    return typeof answer === "string" ? answer : `${answer.status} ${get(answer.body, "message")}`;
  }
  const fitting = next.filter((state) => shows(answer.body, state, at));
  if (fitting.length === 0) wrong.push(`${light.name} at ${at}: ${JSON.stringify(get(answer.body, "spec"))}`);
  light.states = distinct(fitting.length === 0 ? next : fitting);
  return undefined;
}

function patch(server: ApiServer, path: string, fields: Json): Promise<Answer | string> {
  return server.request("PATCH", path, { body: { spec: fields } }).catch((error: Error) => error.message);
}

async function put(server: ApiServer, path: string, fields: Json): Promise<Answer | string> {
  try {
    const read = await server.request("GET", path);
    if (read.status !== 200 || !isObject(read.body)) return read;
    const spec = get(read.body, "spec");
    const body = set(read.body, "spec", {
      ...(isObject(spec) ? spec : {}),
      ...(isObject(fields) ? fields : {}),
    });
    return await server.request("PUT", path, { body });
  } catch (error) {
    return (error as Error).message;
  }
}

/** Reads a Light at both versions, which have to show the same of the states that it may be in. */
async function compare(server: ApiServer, { name, states }: Light): Promise<readonly string[]> {
  const [older, newer] = await Promise.all(
    (["v1beta1", "v1"] as const).map((at) => expectOk(server.request("GET", pathOf("lights", at, name)))),
  );
  const isRight = states.some((state) => shows(older, state, "v1beta1") && shows(newer, state, "v1"));
  if (isRight) return [];
  const found = [older, newer].map((object) => JSON.stringify(get(object, "spec")));
  return [`${name}: ${found.join(" and ")}, where one of these was to be: ${JSON.stringify(states)}`];
}

function distinct(states: readonly LightState[]): readonly LightState[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()];
}
