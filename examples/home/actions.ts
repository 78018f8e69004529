import type { Applied, Room } from "./cluster.ts";
import { valueAt } from "./conditions.ts";

/** What each action changes in a Room: a field of the items of a list. `dim` says the value itself. */
const changes = {
  switch_on: { list: "lights", field: "brightness", value: 1 },
  switch_off: { list: "lights", field: "brightness", value: 0 },
  dim: { list: "lights", field: "brightness", value: undefined },
  lock: { list: "locks", field: "state", value: "Locked" },
  unlock: { list: "locks", field: "state", value: "Unlocked" },
} as const;

type List = "lights" | "locks";
const fieldOf = { lights: "brightness", locks: "state" } as const;

/** What a switch on the wall sends. */
interface Action {
  readonly action: keyof typeof changes;
  /** The name of a Room. */
  readonly room: string;
  readonly namespace: string;
  /** Names of its lights, or of its locks; all of them if absent. */
  readonly lights?: readonly string[];
  readonly locks?: readonly string[];
  /** For `dim`: from 0 to 1. */
  readonly brightness?: number;
}

/** An action that cannot be carried out, with the HTTP status of the response. */
export class ActionRejected extends Error {
  override readonly name = "ActionRejected";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const properties = ["action", "room", "namespace", "lights", "locks", "brightness"];

/** Reads an action from JSON. Throws ActionRejected with a sentence for the first thing that is wrong. */
export function actionOf(text: string): Action {
  const body = objectOf(text);
  const unknown = Object.keys(body).find((name) => !properties.includes(name));
  if (unknown !== undefined)
    throw badRequest(`unknown property ${JSON.stringify(unknown)}; known: ${properties.join(", ")}`);
  const { action, room, namespace = "default", lights, locks, brightness } = body;
  if (!isActionName(action)) throw badRequest(`action must be one of ${Object.keys(changes).join(", ")}`);
  if (typeof room !== "string" || room === "") throw badRequest("room must be the name of a Room");
  if (typeof namespace !== "string") throw badRequest("namespace must be a string");
  if (lights !== undefined && !isListOfNames(lights)) throw badRequest("lights must be a list of names");
  if (locks !== undefined && !isListOfNames(locks)) throw badRequest("locks must be a list of names");
  const dimmed = { ...(action === "dim" && { brightness: fractionOf(brightness) }) };
  return { action, room, namespace, ...(lights && { lights }), ...(locks && { locks }), ...dimmed };
}

function objectOf(text: string): { readonly [name: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`the body must be JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest('the body must be an object such as {"action":"switch_on","room":"kitchen"}');
  return { ...value };
}

function isActionName(value: unknown): value is Action["action"] {
  return typeof value === "string" && Object.hasOwn(changes, value);
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function fractionOf(brightness: unknown): number {
  if (typeof brightness === "number" && brightness >= 0 && brightness <= 1) return brightness;
  throw badRequest("dim needs a brightness from 0 to 1");
}

export function badRequest(message: string): ActionRejected {
  return new ActionRejected(400, message);
}

/** The field manager of what actions ask for. */
export const manager = "home-actions";

/**
 * The declarative form of an action: what server-side apply sends. It repeats what earlier actions asked of other lights,
 * since a manager that leaves out a field which it applied before removes it. Throws ActionRejected if the Room does not
 * name the light.
 */
export function appliedBy(action: Action, room: Room): Applied {
  const { name, namespace } = room.metadata;
  const { list, value = action.brightness } = changes[action.action];
  const chosen = namesOf(list, action, room);
  const itemsOf = (each: List) =>
    (room.spec?.[each] ?? []).flatMap((item) => {
      const field = fieldOf[each];
      if (each === list && chosen.has(item.name)) return [{ name: item.name, [field]: value }];
      return isOwned(room, each, item.name) ? [{ name: item.name, [field]: valueAt(item, field) }] : [];
    });
  const [lights, locks] = [itemsOf("lights"), itemsOf("locks")];
  const spec = { ...(lights.length > 0 && { lights }), ...(locks.length > 0 && { locks }) };
  return { kind: "Room", metadata: { name, namespace }, spec };
}

function namesOf(list: List, action: Action, room: Room): ReadonlySet<string> {
  const all = new Set((room.spec?.[list] ?? []).map(({ name }) => name));
  const chosen = new Set(action[list] ?? all);
  const missing = [...chosen].find((name) => !all.has(name));
  if (missing === undefined) return chosen;
  const known = [...all].join(", ") || "none";
  throw new ActionRejected(
    422,
    `room ${action.room} has no ${list.slice(0, -1)} ${missing}; it has: ${known}`,
  );
}

/** Whether an earlier action set the field of an item, as the Room's managedFields record. */
function isOwned({ metadata }: Room, list: List, name: string): boolean {
  const path = ["fieldsV1", "f:spec", `f:${list}`, `k:${JSON.stringify({ name })}`, `f:${fieldOf[list]}`];
  return (metadata.managedFields ?? []).some(
    (entry) =>
      entry.manager === manager && entry.operation === "Apply" && valueAt(entry, ...path) !== undefined,
  );
}
