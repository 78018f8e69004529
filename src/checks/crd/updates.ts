import { get, isObject, type JsonObject, set } from "../../json/json.ts";
import { smallest } from "../../laws/smallest.ts";
import { type RevisionVersion, readAs } from "./revision.ts";

/** An update that one revision accepts and another refuses. */
export interface Update {
  readonly place: string;
  readonly message: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

interface Sides {
  readonly old: RevisionVersion;
  readonly new: RevisionVersion;
}

/** How many pairs of objects are tried: each object with each other one. */
const mostObjects = 24;

/** The smallest update among some objects that the new version alone refuses, because of a transition rule. */
export function refusedUpdate(sides: Sides, objects: readonly JsonObject[]): Update | undefined {
  const valid = objects.filter((object) => sides.new.store(object).allowed).slice(0, mostObjects);
  for (const before of valid) {
    for (const after of valid) {
      if (before !== after && refusalOf(sides, before, after) !== undefined)
        return shrunk(sides, before, after);
    }
  }
  return undefined;
}

function shrunk(sides: Sides, before: JsonObject, after: JsonObject): Update {
  const isShown = (from: JsonObject, to: JsonObject) =>
    sides.old.store(from).allowed &&
    sides.new.store(from).allowed &&
    sides.new.store(to).allowed &&
    refusalOf(sides, from, to) !== undefined;
  const to = smallest(after, (each) => isShown(before, each));
  const from = smallest(before, (each) => isShown(each, to));
  return { place: "", message: refusalOf(sides, from, to) ?? "", before: from, after: to };
}

/** The new version's words about an update that the old one accepts. */
function refusalOf(sides: Sides, before: JsonObject, after: JsonObject): string | undefined {
  const stored = sides.old.store(before).object;
  if (stored === undefined || !sides.old.write(after, stored).allowed) return undefined;
  const answer = sides.new.write(after, readAs(sides.new, stored));
  return answer.allowed ? undefined : messageOf(answer.status);
}

/** What the new revision does with an object that the old one has stored. */
export interface Stored {
  /** The answer to an update that changes a label: whether ratcheting lets the object stay as it is. */
  readonly update: "accepted" | "refused";
  /** The same for its status, where that has an endpoint. */
  readonly status?: "accepted" | "refused";
  readonly message?: string;
  /** Whether clients with types of the new schema cannot decode it, so that their list of all objects fails. */
  readonly breaksLists?: boolean;
}

/** Whether the API server's words are about a value of another type; null is none to most decoders. */
export function isOfType(message: string): boolean {
  return / must be of type /.test(message) && !message.startsWith('Invalid value: "null"');
}

/** Judges updates of an object that the old version has stored, after the new revision is in force. */
export function storedUnder(sides: Sides, object: JsonObject): Stored | undefined {
  const stored = sides.old.store(object).object;
  if (stored === undefined) return undefined;
  const read = readAs(sides.new, stored);
  const update = sides.new.write(labelled(read), read);
  const status = sides.new.hasStatus ? sides.new.write(read, read, "status") : undefined;
  const refused = [update, status].find((answer) => answer?.allowed === false);
  return {
    update: verdict(update),
    ...(status === undefined ? {} : { status: verdict(status) }),
    ...(refused === undefined ? {} : { message: messageOf(refused.status) }),
  };
}

/** The object with another label. */
export function labelled(object: JsonObject): JsonObject {
  const { metadata } = object;
  return set(object, "metadata", { ...(isObject(metadata) ? metadata : {}), labels: { touched: "true" } });
}

function verdict({ allowed }: { readonly allowed: boolean }): "accepted" | "refused" {
  return allowed ? "accepted" : "refused";
}

/** The causes of a rejection as one sentence, without the name of the object. */
function messageOf(status: JsonObject | undefined): string {
  const message = String(get(status, "message") ?? "rejected");
  return message.replace(/^\S+ ".*?" is invalid: /s, "");
}
