import { compareBytes } from "../../../src/go/text.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { isArray, isObject, type Json, own } from "../../../src/json/json.ts";
import { goMap, goText } from "./json-text.ts";

/** What a pod's annotations remember of the SidecarSets that went into it: by name, each entry as JSON text. */
export type Records = ReadonlyMap<string, string>;

/** Annotation that lists the SidecarSets of a pod. */
export const injectedListKey = "kruise.io/sidecarset-injected-list";

/** Annotation that says which of two containers of a hot upgrade works. */
export const workingKey = "kruise.io/sidecarset-working-hotupgrade-container";

/**
 * Reads an annotation that holds records, as typed Go would: entries are objects, or plain hashes from a very old
 * OpenKruise, which come out in the new form. Undefined where it is neither.
 */
export function readRecords(text: string | undefined): Records | undefined {
  if (text === undefined || text === "") return new Map();
  const value = parsed(text);
  if (value === null) return new Map();
  if (!isObject(value)) return undefined;
  return readEntries(value, entryOf) ?? readEntries(value, oldEntryOf);
}

/** What the record of a SidecarSet says after its time: made once, not for each pod. */
export interface RecordTails {
  readonly hash: string;
  readonly hashWithoutImage: string;
}

/** What is recorded of a SidecarSet. */
export interface Recorded {
  readonly set: string;
  readonly hash: string;
  readonly hashWithoutImage: string;
  /** Names of containers and native sidecars. */
  readonly sidecarList: readonly string[];
  /** Name of the ControllerRevision that records this spec; empty where none does yet. */
  readonly controllerRevision: string;
}

/** The tails of both records of a SidecarSet; only the one with images names the revision. */
export function recordTails({ set, hash, hashWithoutImage, ...more }: Recorded): RecordTails {
  const list = `[${more.sidecarList.map(goText).join(",")}]`;
  return {
    hash: tail(hash, set, list, more.controllerRevision),
    hashWithoutImage: tail(hashWithoutImage, set, list, ""),
  };
}

/** A record as it is written at an instant, which is a text of Go's already. */
export function recordAt(timestampText: string, recordTail: string): string {
  return entry(timestampText, recordTail);
}

/** An instant as records have it. */
export function timestampOf(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

/** Records as an annotation. */
export function printRecords(records: Records): string {
  return goMap(records);
}

/** The list of SidecarSets with more of them, each once, by their bytes. */
export function listWith(list: string | undefined, names: readonly string[]): string {
  const there = list === undefined || list === "" ? [] : list.split(",");
  return [...new Set([...there, ...names])].sort(compareBytes).join(",");
}

/** The working containers by their sidecar; what cannot be read counts as none. */
export function readWorking(text: string | undefined): ReadonlyMap<string, string> {
  const value = text === undefined ? undefined : parsed(text);
  if (!isObject(value)) return new Map();
  return new Map(
    Object.entries(value).map(([key, each]) => [key, typeof each === "string" ? each : ""] as const),
  );
}

/** Working containers as an annotation. */
export function printWorking(working: ReadonlyMap<string, string>): string {
  return goMap([...working].map(([key, value]) => [key, goText(value)] as const));
}

function readEntries(
  value: Readonly<Record<string, Json>>,
  read: (name: string, each: Json) => string | undefined,
): Records | undefined {
  const records = new Map<string, string>();
  for (const [name, each] of Object.entries(value)) {
    const record = read(name, each);
    if (record === undefined) return undefined;
    records.set(name, record);
  }
  return records;
}

function entryOf(_name: string, value: Json): string | undefined {
  if (value !== null && !isObject(value)) return undefined;
  const timestamp = timestampText(own(value, "updateTimestamp") ?? null);
  const list = listText(own(value, "sidecarList") ?? null);
  const [hash, set, revision] = ["hash", "sidecarSetName", "controllerRevision"].map(
    (key) => own(value, key) ?? "",
  );
  if (typeof hash !== "string" || typeof set !== "string" || typeof revision !== "string") return undefined;
  if (timestamp === undefined || list === undefined) return undefined;
  return entry(timestamp, tail(hash, set, list, revision));
}

function oldEntryOf(name: string, value: Json): string | undefined {
  if (value !== null && typeof value !== "string") return undefined;
  return entry("null", tail(value ?? "", name, "null", ""));
}

function entry(timestamp: string, recordTail: string): string {
  return `{"updateTimestamp":${timestamp}${recordTail}`;
}

/** Members in the order of OpenKruise's struct, which readers compare as text. */
function tail(hash: string, set: string, list: string, revision: string): string {
  const last = revision === "" ? "" : `,"controllerRevision":${goText(revision)}`;
  return `,"hash":${goText(hash)},"sidecarSetName":${goText(set)},"sidecarList":${list}${last}}`;
}

function timestampText(value: Json): string | undefined {
  if (value === null) return "null";
  if (typeof value !== "string" || !rfc3339.test(value)) return undefined;
  const instant = new Date(value);
  return Number.isNaN(instant.getTime()) ? undefined : goText(timestampOf(instant));
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;

function listText(value: Json): string | undefined {
  if (value === null) return "null";
  if (!isArray(value)) return undefined;
  const texts = value.map((each) => each ?? "");
  return texts.every((each) => typeof each === "string") ? `[${texts.map(goText).join(",")}]` : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
