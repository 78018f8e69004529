import { isArray, isObject, type Json, own } from "antechamber";
import { compareBytes } from "antechamber/go";
import { parseJson } from "antechamber/json";
import { goMap, goString } from "../../kruise/shared/go-json.ts";

/** The records in a pod's annotation of the SidecarSets injected into it: by name, each entry as JSON text. */
export type Records = ReadonlyMap<string, string>;

/**
 * Reads an annotation with records as OpenKruise does: entries are objects or, from very old versions, plain hashes, which
 * are turned into objects. Undefined if they are neither.
 */
export function readRecords(text: string | undefined): Records | undefined {
  if (text === undefined || text === "") return new Map();
  const value = parsed(text);
  if (value === null) return new Map();
  if (!isObject(value)) return undefined;
  return readEntries(value, entryOf) ?? readEntries(value, oldEntryOf);
}

/** The part of a SidecarSet's records after the timestamp: printed once, not for each pod. */
export interface RecordTails {
  readonly hash: string;
  readonly hashWithoutImage: string;
}

/** What a pod records of a SidecarSet. */
interface Recorded {
  readonly set: string;
  readonly hash: string;
  readonly hashWithoutImage: string;
  /** Names of containers and native sidecars. */
  readonly sidecarList: readonly string[];
  /** Name of the ControllerRevision that records this spec; empty if there is none yet. */
  readonly controllerRevision: string;
}

/** The tails of both records of a SidecarSet; only the one with images names the revision. */
export function recordTails({ set, hash, hashWithoutImage, ...more }: Recorded): RecordTails {
  const list = `[${more.sidecarList.map(goString).join(",")}]`;
  return {
    hash: tail(hash, set, list, more.controllerRevision),
    hashWithoutImage: tail(hashWithoutImage, set, list, ""),
  };
}

/** A record with a timestamp, which is JSON text already. */
export function recordAt(timestampText: string, recordTail: string): string {
  return entry(timestampText, recordTail);
}

/** A point in time as records print it. */
export function timestampOf(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

/** Records as an annotation. */
export function printRecords(records: Records): string {
  return goMap(records);
}

/** A list of SidecarSets with more names added, without duplicates, sorted by bytes. */
export function listWith(list: string | undefined, names: readonly string[]): string {
  const existing = list === undefined || list === "" ? [] : list.split(",");
  return [...new Set([...existing, ...names])].sort(compareBytes).join(",");
}

/** The working containers by their sidecar; an unreadable annotation counts as empty. */
export function readWorking(text: string | undefined): ReadonlyMap<string, string> {
  const value = text === undefined ? undefined : parsed(text);
  if (!isObject(value)) return new Map();
  return new Map(
    Object.entries(value).map(([key, each]) => [key, typeof each === "string" ? each : ""] as const),
  );
}

/** Working containers as an annotation. */
export function printWorking(working: ReadonlyMap<string, string>): string {
  return goMap([...working].map(([key, value]) => [key, goString(value)] as const));
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

/** Members in the order of OpenKruise's struct (pkg/control/sidecarcontrol/util.go, SidecarSetUpgradeSpec). */
function tail(hash: string, set: string, list: string, revision: string): string {
  const last = revision === "" ? "" : `,"controllerRevision":${goString(revision)}`;
  return `,"hash":${goString(hash)},"sidecarSetName":${goString(set)},"sidecarList":${list}${last}}`;
}

function timestampText(value: Json): string | undefined {
  if (value === null) return "null";
  if (typeof value !== "string" || !rfc3339.test(value)) return undefined;
  const instant = new Date(value);
  return Number.isNaN(instant.getTime()) ? undefined : goString(timestampOf(instant));
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;

function listText(value: Json): string | undefined {
  if (value === null) return "null";
  if (!isArray(value)) return undefined;
  const texts = value.map((each) => each ?? "");
  return texts.every((each) => typeof each === "string") ? `[${texts.map(goString).join(",")}]` : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
