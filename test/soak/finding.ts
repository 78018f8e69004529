import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { writeYaml } from "../../src/yaml/yaml.ts";
import type { ApiServer } from "../cluster/server.ts";
import { leave, settle } from "./client.ts";
import type { Fault } from "./judge.ts";
import { takeStep } from "./life.ts";
import type { Change, Life, Step, Way } from "./step.ts";

/** A fault, and the life that led to it. */
export interface Finding {
  readonly kind: Kind;
  readonly life: Life;
  readonly fault: Fault;
}

/** What makes two faults one: what is wrong, where, without indexes and keys. */
export function signatureOf({ check, version, field }: Fault): string {
  return `${check} at ${version}: ${field.replace(/\[.*?\](?=\.|\[|$)/g, "[]")}`;
}

let lives = 0;

/** Lives a life on an object of its own, up to the first fault; or says that there is none, or that the object cannot be made. */
export async function relive(server: ApiServer, kind: Kind, life: Life): Promise<Finding | string> {
  const tenant = await settle(server, kind, `again-${process.pid}-${lives++}`, life.at, life.object);
  if ("status" in tenant) return `not created: ${tenant.status} ${tenant.text}`;
  try {
    for (const [index, step] of life.steps.entries()) {
      const { faults, isGone } = await takeStep(tenant, step);
      const [fault] = faults;
      if (fault !== undefined)
        return { kind, fault, life: { ...life, steps: life.steps.slice(0, index + 1) } };
      if (isGone) break;
    }
    return "no fault";
  } finally {
    await leave(
      tenant,
      life.steps.some(({ by }) => by === "storage"),
    );
  }
}

/** A smaller life with the same fault, as small as can be found in a time. */
export async function shrunk(server: ApiServer, found: Finding, milliseconds: number): Promise<Finding> {
  const end = Date.now() + milliseconds;
  const wanted = signatureOf(found.fault);
  let best = found;
  for (let goesOn = true; goesOn; ) {
    goesOn = false;
    for (const life of smaller(best.life)) {
      if (Date.now() > end) return best;
      const again = await relive(server, found.kind, life);
      if (typeof again === "string" || signatureOf(again.fault) !== wanted) continue;
      best = again;
      goesOn = true;
      break;
    }
  }
  return best;
}

/** Lives with something left out, the most first. */
function* smaller({ at, object, steps }: Life): Generator<Life> {
  const last = steps.length - 1;
  if (last > 2) yield { at, object, steps: steps.slice(Math.floor(steps.length / 2)) };
  for (const index of steps.keys()) if (index < last) yield { at, object, steps: steps.toSpliced(index, 1) };
  for (const less of lessOf(object, 7)) yield { at, object: less as JsonObject, steps };
  for (const [index, step] of steps.entries()) {
    for (const changes of lessOfChanges(step.changes ?? []))
      yield { at, object, steps: steps.with(index, { ...step, changes }) };
  }
}

function lessOfChanges(changes: readonly Change[]): readonly (readonly Change[])[] {
  if (changes.length < 2) return [];
  return changes.map((_, index) => changes.toSpliced(index, 1));
}

/** The object without one of its fields, down to some depth; identity stays. */
function lessOf(value: Json, depth: number): readonly Json[] {
  if (depth === 0) return [];
  if (isArray(value)) {
    const shorter = value.map((_, index) => value.toSpliced(index, 1));
    return [
      ...shorter,
      ...value.flatMap((item, index) => lessOf(item, depth).map((less) => value.with(index, less))),
    ];
  }
  if (!isObject(value)) return [];
  const names = Object.keys(value).filter((name) => name !== "apiVersion" && name !== "kind");
  return [
    ...names.map((name) => Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))),
    ...names.flatMap((name) =>
      lessOf(get(value, name) ?? null, depth - 1).map((less) => ({ ...value, [name]: less })),
    ),
  ];
}

/** A finding as a document of `known.yaml`, for its letter and sentence to be filled in. */
export function documentOf({ kind, life, fault }: Finding): string {
  const { check, version, field, says } = fault;
  const pattern = field.replaceAll(/\[.*?\](?=\.|\[|$)/g, "[]");
  return writeYaml({
    finding: "new",
    why: says,
    kind: kind.name,
    check,
    version,
    field: pattern,
    at: life.at,
    object: life.object,
    steps: life.steps.map(jsonOf),
  });
}

function jsonOf({ at, by, manager, ago, size, changes }: Step): Json {
  return {
    at,
    by,
    ...(manager === undefined ? {} : { manager }),
    ...(ago === undefined ? {} : { ago }),
    ...(size === undefined ? {} : { size }),
    ...(changes === undefined
      ? {}
      : { changes: changes.map(({ path, value }) => ({ path, ...(value === undefined ? {} : { value }) })) }),
  };
}

/** A step that was written down. */
export function stepOf(json: Json): Step {
  const [manager, ago, size, changes] = ["manager", "ago", "size", "changes"].map((name) => get(json, name));
  return {
    at: String(get(json, "at")),
    by: String(get(json, "by")) as Way,
    ...(typeof manager === "string" ? { manager } : {}),
    ...(typeof ago === "number" ? { ago } : {}),
    ...(typeof size === "number" ? { size } : {}),
    ...(isArray(changes) ? { changes: changes.map(changeOf) } : {}),
  };
}

function changeOf(json: Json): Change {
  const [path, value] = [get(json, "path"), get(json, "value")];
  const steps = (isArray(path) ? path : []).map((step) => (typeof step === "number" ? step : String(step)));
  return { path: steps, ...(value === undefined ? {} : { value }) };
}
