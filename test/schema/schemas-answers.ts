import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { type KubernetesVersion, kubernetesVersions } from "../../src/schema/model/kubernetes-version.ts";
import { digestOf, folder, type Write } from "./schemas-cases.ts";

/** What came of a write, in the form in which answers are recorded and compared: all that differs between runs is gone. */
export interface Answer {
  readonly allowed: boolean;
  /** The HTTP status of a refusal. */
  readonly code?: Json;
  readonly reason?: Json;
  readonly message?: string;
  /** In an order of their own, since the server's is random. */
  readonly causes?: readonly JsonObject[];
  /** The object as it would be stored. */
  readonly object?: Json;
  readonly warnings?: readonly string[];
}

/** The recorded answers to a file of writes, by the digests of these. */
export type Answers = ReadonlyMap<string, Recorded>;

export interface Recorded {
  /** More than one where the server says now this, now that. */
  readonly answers: readonly Answer[];
  /** What was there before, as the server shows it at the version that is written. */
  readonly old?: JsonObject;
}

/** The answer that a Status, an object and warnings make. */
export function answerOf(allowed: boolean, body: Json | undefined, warnings: readonly string[]): Answer {
  const warned = warnings.length === 0 ? {} : { warnings: warnings.map(withoutRunsOwn).toSorted() };
  if (allowed) return { allowed, object: withoutServersOwn(body ?? null), ...warned };
  const causes = get(body, "details", "causes");
  const message = withoutRunsOwn(String(get(body, "message") ?? ""));
  return {
    allowed,
    code: get(body, "code") ?? null,
    reason: get(body, "reason") ?? null,
    message,
    ...(isArray(causes) ? { causes: sortedCauses(causes.filter(isObject)) } : {}),
    ...warned,
  };
}

/** Why a response differs from the recorded one; undefined if it does not. With several causes, the message depends on their order. */
export function disagreement(recorded: readonly Answer[], answer: Answer): string | undefined {
  const ours = comparable(answer);
  const theirs = recorded.map(comparable);
  return theirs.includes(ours) ? undefined : `server: ${theirs.join("\n    or: ")}\n  ours: ${ours}`;
}

/** The text of an answer that two answers share if they mean the same. */
export function comparable({ message, warnings, ...answer }: Answer): string {
  const several = (answer.causes?.length ?? 0) > 1;
  const text = several ? [...(message ?? "")].toSorted().join("") : message;
  const warned = warnings === undefined ? {} : { warnings };
  return writeJson(
    sorted({ ...answer, ...(text === undefined ? {} : { message: several ? hash(text) : text }), ...warned }),
  );
}

/** The object without what a server writes into it by itself. */
export function withoutServersOwn(object: Json): Json {
  const metadata = get(object, "metadata");
  if (!isObject(object) || !isObject(metadata)) return object;
  const {
    uid: _,
    resourceVersion: _1,
    creationTimestamp: _2,
    generation: _3,
    managedFields: _4,
    ...rest
  } = metadata;
  const name = withoutRunsOwn(String(rest.name));
  return { ...object, metadata: { ...rest, name } };
}

/** The answers of a release to writes, as a file has them; a write that the file does not know has none. */
export function readAnswers(file: string, writes: readonly Write[], version: KubernetesVersion): Answers {
  const content = readRecord(file, version);
  const answers = new Map<string, Recorded>();
  for (const write of writes) {
    const digest = digestOf(write);
    const recorded = content.get(digest);
    if (recorded !== undefined) answers.set(digest, expanded(recorded, write));
  }
  return answers;
}

/** Writes what a release answers; what follows from the write is left out. */
export function writeAnswers(
  file: string,
  writes: readonly Write[],
  answers: Answers,
  version: KubernetesVersion,
): void {
  const before = previous(version) && readAnswers(file, writes, previous(version) ?? version);
  // Answers that are a matter of chance stay, though they were not seen again.
  const known = existsSync(file) ? readAnswers(file, writes, version) : undefined;
  const record = new Map<string, Json>();
  for (const write of writes) {
    const digest = digestOf(write);
    const recorded = answers.get(digest);
    if (recorded === undefined || isAsBefore(recorded, before?.get(digest))) continue;
    const same = known?.get(digest);
    record.set(digest, compact(same !== undefined && isAsBefore(recorded, same) ? same : recorded, write));
  }
  writeRecord(file, record, version);
}

/** Why a server refuses the CRDs of test/schema/schemas/refused.yaml: the causes, or the message where there are none. */
export function readCrdAnswers(
  name: "refused" | "odd",
  version: KubernetesVersion,
): ReadonlyMap<string, readonly JsonObject[]> {
  const entries = [...readRecord(path.join(folder, `${name}.answers.json`), version)];
  return new Map(entries.map(([why, causes]) => [why, (isArray(causes) ? causes : []).filter(isObject)]));
}

/** Writes them, one CRD to a line. */
export function writeCrdAnswers(
  name: "refused" | "odd",
  answers: ReadonlyMap<string, readonly JsonObject[]>,
  version: KubernetesVersion,
): void {
  const before = previous(version) && readCrdAnswers(name, previous(version) ?? version);
  const record = [...answers].filter(([why, causes]) => !isDeepStrictEqual(causes, before?.get(why)));
  writeRecord(path.join(folder, `${name}.answers.json`), new Map(record), version);
}

/**
 * What is recorded of a release: a file of the oldest release has everything, that of each newer one only what it answers
 * otherwise than the release before.
 */
function readRecord(file: string, version: KubernetesVersion): ReadonlyMap<string, Json> {
  const releases = kubernetesVersions.slice(0, kubernetesVersions.indexOf(version) + 1);
  const entries = releases
    .map((release) => recordOf(file, release))
    .filter((each) => existsSync(each))
    .map((each) => parseJson(readFileSync(each, "utf8")))
    .flatMap((content) => (isObject(content) ? Object.entries(content) : []));
  return new Map(entries);
}

/** One entry to a line, so that a change of one is a change of a line. A release that answers like the one before has no file. */
function writeRecord(file: string, record: ReadonlyMap<string, Json>, version: KubernetesVersion): void {
  const lines = [...record].map(([key, value]) => `${writeJson(key)}: ${writeJson(value)}`);
  if (lines.length > 0) writeFileSync(recordOf(file, version), `{\n${lines.join(",\n")}\n}\n`);
  else rmSync(recordOf(file, version), { force: true });
}

function recordOf(file: string, version: KubernetesVersion): string {
  return version === kubernetesVersions[0] ? file : file.replace(/\.json$/, `-${version}.json`);
}

function previous(version: KubernetesVersion): KubernetesVersion | undefined {
  return kubernetesVersions[kubernetesVersions.indexOf(version) - 1];
}

/** Each of several answers may be a matter of chance, so that one which is not seen again is no difference. */
function isAsBefore({ answers, old }: Recorded, before: Recorded | undefined): boolean {
  if (before === undefined || !isDeepStrictEqual(old, before.old)) return false;
  return answers.every((answer) => disagreement(before.answers, answer) === undefined);
}

/** The causes of a refused CRD; one without a field where the server could not even read it. */
export function crdCauses({ causes, message = "" }: Answer): readonly JsonObject[] {
  return causes ?? [{ field: "", message, reason: "" }];
}

function compact({ answers, old }: Recorded, write: Write): Json {
  const short = answers.map((answer) => shortened(answer, write));
  const kept =
    old === undefined || isDeepStrictEqual(old, write.old && withoutServersOwn(write.old)) ? {} : { old };
  return { ...kept, answers: short };
}

function expanded(recorded: Json, write: Write): Recorded {
  const old = get(recorded, "old");
  const answers = get(recorded, "answers");
  const whole = (isArray(answers) ? answers : []).filter(isObject).map((answer) => lengthened(answer, write));
  const shown = old ?? (write.old && withoutServersOwn(write.old));
  return { answers: whole, ...(isObject(shown) ? { old: shown } : {}) };
}

function shortened(answer: Answer, write: Write): JsonObject {
  const usual = usualOf(answer, write);
  const goesWithoutSaying = (key: string, value: unknown) => {
    if (key === "allowed") return value === true;
    if (!Object.hasOwn(usual, key)) return false;
    // The order of what a message lists is of no account.
    return key === "message"
      ? comparable({ ...answer, ...usual }) === comparable(answer)
      : isDeepStrictEqual(value, usual[key as keyof Answer]);
  };
  const kept = Object.entries(answer).filter(([key, value]) => !goesWithoutSaying(key, value));
  return Object.fromEntries(kept) as JsonObject;
}

function lengthened(answer: JsonObject, write: Write): Answer {
  const allowed = answer.allowed !== false;
  const given = { ...(answer as unknown as Answer), allowed };
  return { ...usualOf(given, write), ...given };
}

/** What goes without saying: of an allowed write, that it is stored as it was written; of a refusal, all but its causes. */
function usualOf({ allowed, causes }: Answer, { object }: Write): Partial<Answer> {
  if (allowed) return { object: withoutServersOwn(object) };
  if (causes === undefined) return {};
  const group = String(object.apiVersion).split("/")[0];
  const parts = new Set(causes.map(({ field, message }) => `${String(field)}: ${String(message)}`));
  const list = parts.size === 1 ? [...parts].join() : `[${[...parts].join(", ")}]`;
  const name = String(get(object, "metadata", "name"));
  return {
    code: 422,
    reason: "Invalid",
    message: `${String(object.kind)}.${group} "${name}" is invalid: ${list}`,
  };
}

/** Names are made for a run alone; in what is recorded everything has the same. */
function withoutRunsOwn(text: string): string {
  return text.replaceAll(/\bthing-[a-z0-9]+-[a-z0-9]+\b/g, "thing");
}

function sortedCauses(causes: readonly JsonObject[]): readonly JsonObject[] {
  const key = (cause: JsonObject) => writeJson(sorted(cause));
  return causes
    .map(
      (cause) =>
        sorted(
          Object.fromEntries(
            Object.entries(cause).map(([k, v]) => [k, typeof v === "string" ? withoutRunsOwn(v) : v]),
          ),
        ) as JsonObject,
    )
    .toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function sorted(value: unknown): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value as Json;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, below]) => [key, sorted(below)]));
}

/** Not for security: short, and the same for texts of the same characters. */
function hash(text: string): string {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 2147483647;
  return `${text.length}:${sum}`;
}
