import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Applied, apiVersion, type Cluster, rejectionOf } from "./cluster.ts";
import { valueAt } from "./conditions.ts";
import type { Room } from "./rooms.ts";

/** What a switch on the wall sends. */
export interface Action {
  readonly action: "switch_on" | "switch_off" | "dim" | "lock" | "unlock";
  /** The name of a Room. */
  readonly room: string;
  readonly namespace: string;
  /** Names of its lights; all of them if absent. */
  readonly lights?: readonly string[];
  /** Names of its locks; all of them if absent. */
  readonly locks?: readonly string[];
  /** For `dim`: from 0 to 1. */
  readonly brightness?: number;
}

/** An action that cannot be carried out, with the HTTP status that says so. */
export class ActionRejected extends Error {
  override readonly name = "ActionRejected";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const names = ["switch_on", "switch_off", "dim", "lock", "unlock"] as const;
const known = new Set(["action", "room", "namespace", "lights", "locks", "brightness"]);

/** Reads an action from JSON. Throws ActionRejected with a sentence for the first thing that is wrong. */
export function actionOf(text: string): Action {
  const body = parse(text);
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw bad(`unknown property ${JSON.stringify(unknown)}; known: ${[...known].join(", ")}`);
  const action = names.find((name) => name === body.action);
  if (action === undefined) throw bad(`action must be one of ${names.join(", ")}`);
  if (typeof body.room !== "string" || body.room === "") throw bad("room must be the name of a Room");
  const { namespace = "default", brightness } = body;
  if (typeof namespace !== "string") throw bad("namespace must be a string");
  if (action === "dim" && !(typeof brightness === "number" && brightness >= 0 && brightness <= 1))
    throw bad("dim needs a brightness from 0 to 1");
  return {
    action,
    room: body.room,
    namespace,
    ...(typeof brightness === "number" && { brightness }),
    ...listOf(body, "lights"),
    ...listOf(body, "locks"),
  };
}

function parse(text: string): { readonly [name: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(`the body must be JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw bad('the body must be an object such as {"action":"switch_on","room":"kitchen"}');
  return { ...value };
}

function listOf(body: { readonly [name: string]: unknown }, name: "lights" | "locks"): object {
  const value = body[name];
  if (value === undefined) return {};
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
    throw bad(`${name} must be a list of names`);
  return { [name]: value };
}

function bad(message: string): ActionRejected {
  return new ActionRejected(400, message);
}

/** The field manager of what actions ask for. */
export const manager = "home-actions";

/** What an action changes: in one of the lists of a Room, the same field of every chosen item. */
interface Change {
  readonly list: "lights" | "locks";
  readonly chosen: ReadonlySet<string>;
  readonly fields: { readonly brightness: number } | { readonly state: "Locked" | "Unlocked" };
}

/**
 * The declarative form of an action: what server-side apply sends. It repeats what earlier actions asked of other lights,
 * since a manager that leaves out a field which it applied before removes it. Throws ActionRejected if the Room has no
 * such light.
 */
export function appliedBy(action: Action, room: Room): Applied {
  const { name, namespace } = room.metadata;
  const change = changeOf(action, room);
  const lights = itemsOf("lights", room, change);
  const locks = itemsOf("locks", room, change);
  const spec = { ...(lights.length > 0 && { lights }), ...(locks.length > 0 && { locks }) };
  return { kind: "Room", metadata: { name, namespace }, spec };
}

function changeOf(action: Action, room: Room): Change {
  switch (action.action) {
    case "lock":
      return { list: "locks", chosen: chosenOf("locks", action, room), fields: { state: "Locked" } };
    case "unlock":
      return { list: "locks", chosen: chosenOf("locks", action, room), fields: { state: "Unlocked" } };
    default:
      return {
        list: "lights",
        chosen: chosenOf("lights", action, room),
        fields: { brightness: brightnessOf(action) },
      };
  }
}

function brightnessOf({ action, brightness = 1 }: Action): number {
  return action === "switch_off" ? 0 : action === "switch_on" ? 1 : brightness;
}

function chosenOf(list: Change["list"], action: Action, room: Room): ReadonlySet<string> {
  const all = new Set((room.spec?.[list] ?? []).map(({ name }) => name));
  const missing = action[list]?.find((name) => !all.has(name));
  if (missing !== undefined)
    throw new ActionRejected(
      422,
      `room ${action.room} has no ${list.slice(0, -1)} ${missing}; it has: ${[...all].join(", ") || "none"}`,
    );
  return action[list] === undefined ? all : new Set(action[list]);
}

/** The items of a list that actions have changed, with the fields that they set. */
function itemsOf(list: Change["list"], room: Room, change: Change): readonly object[] {
  const field = list === "lights" ? "brightness" : "state";
  return (room.spec?.[list] ?? []).flatMap((item) => {
    const { name } = item;
    if (change.list === list && change.chosen.has(name)) return [{ name, ...change.fields }];
    return isOwned(room, list, name, field) ? [{ name, [field]: valueAt(item, field) }] : [];
  });
}

/** Whether an earlier action set a field of an item, as the Room's managedFields record. */
function isOwned({ metadata }: Room, list: Change["list"], name: string, field: string): boolean {
  return (metadata.managedFields ?? []).some(
    (entry) =>
      valueAt(entry, "manager") === manager &&
      valueAt(entry, "operation") === "Apply" &&
      valueAt(entry, "fieldsV1", "f:spec", `f:${list}`, `k:${JSON.stringify({ name })}`, `f:${field}`) !==
        undefined,
  );
}

export interface FrontEnd {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const mostBytes = 65_536;
const attempts = 5;

/** Serves `POST /actions`, on loopback, without authentication. */
export async function serveActions(cluster: Cluster, port: number): Promise<FrontEnd> {
  const server = createServer(async (request, response) => {
    const { code, body } = await answer(cluster, request).catch(answerToError);
    response
      .writeHead(code, { "content-type": "application/json" })
      .end(`${JSON.stringify(body, null, 2)}\n`);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeIdleConnections();
      await once(server, "close");
    },
  };
}

interface Answer {
  readonly code: number;
  readonly body: object;
}

async function answer(cluster: Cluster, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname !== "/actions")
    throw new ActionRejected(404, `there is no ${pathname}; actions go to /actions`);
  if (request.method !== "POST") throw new ActionRejected(405, "actions are sent with POST");
  const dryRun = searchParams.get("dryRun") ?? "false";
  if (dryRun !== "true" && dryRun !== "false") throw bad("dryRun must be true or false");
  const action = actionOf(await textOf(request));
  return { code: 200, body: await carryOut(cluster, action, dryRun === "true") };
}

/**
 * Applies an action, with the resource version of the Room that it was computed from: the API server answers 409 if
 * another write came in between, and it is computed again. Returns what was applied.
 */
async function carryOut(cluster: Cluster, action: Action, dryRun: boolean): Promise<object> {
  for (let attempt = 1; ; attempt += 1) {
    const room = await cluster.read<Room>("rooms", action.namespace, action.room);
    if (room === undefined)
      throw new ActionRejected(404, `there is no room ${action.room} in namespace ${action.namespace}`);
    const { metadata, ...applied } = appliedBy(action, room);
    const { resourceVersion } = room.metadata;
    try {
      await cluster.apply(
        "rooms",
        { ...applied, metadata: { ...metadata, resourceVersion } },
        manager,
        dryRun,
      );
      return { apiVersion, ...applied, metadata };
    } catch (error) {
      if (rejectionOf(error)?.code !== 409 || attempt === attempts) throw error;
    }
  }
}

function answerToError(error: unknown): Answer {
  if (error instanceof ActionRejected) return { code: error.code, body: { error: error.message } };
  const rejection = rejectionOf(error);
  if (rejection !== undefined) return { code: rejection.code, body: { error: rejection.message } };
  return { code: 502, body: { error: `the API server does not answer: ${(error as Error).message}` } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new ActionRejected(413, `an action has at most ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
