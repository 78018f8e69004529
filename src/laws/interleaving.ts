import fc from "fast-check";
import { carrierField, carrierPrefix } from "../conversion/carriers.ts";
import { below, type Shape } from "../conversion/shape.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { type Difference, differenceOf } from "../judge/differences.ts";
import { bareOf, completed, contentOf } from "./bare.ts";
import { coerced } from "./decode.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { claim, finding, type Law } from "./law.ts";
import { created, type Endpoint, read, type Stored, store, taken } from "./server.ts";
import { type Setting, versionAt } from "./setting.ts";
import { lostBetween, lostIn } from "./untouched.ts";

/** All laws together, through a model of an API server. */
export const interleaving: Law = {
  name: "Interleaving",
  statement:
    "When clients write at all versions, with or without the carriers, untouched fields are neither lost nor reverted, written fields are read back, and a write that changes nothing stores nothing.",
  claims: (setting) => [
    claim("writers at all versions take turns", versionsOf(setting), turnsOf(setting), (turns) =>
      played(setting, turns),
    ),
  ],
};

/**
 * How a client prepares a write: from a fresh read; without the carriers; without any annotations and status; with typed
 * structs, which lose unknown fields; as a merge patch that removes all annotations; with the carriers of an earlier read;
 * entirely from an earlier read; as a new object from an export of the old one.
 */
const manners = [
  "fresh",
  "stripped",
  "bare",
  "typed",
  "unannotated",
  "grafted",
  "stale",
  "recreated",
] as const;

/** Those that a kind without a status subresource survives, which has only the annotation. */
const onlyAnnotation = ["fresh", "recreated"] as const;

/** What the client of each manner sends, before it makes its edits. */
const sent: Readonly<Record<(typeof manners)[number], string>> = {
  fresh: "what it has just read",
  stripped: "what it has just read, without conversion data",
  bare: "what it has just read, without annotations and status",
  typed: "what it has just read, with the fields of its structs alone",
  unannotated: "what it has just read, without annotations",
  grafted: "what it has just read, with the conversion data of an earlier read",
  stale: "what it read earlier",
  recreated: "what it has just read, as a new object",
};

interface Turn {
  readonly version: number;
  readonly endpoint: Endpoint;
  readonly manner: (typeof manners)[number];
  readonly edits: readonly Edit[];
  /** How many reads ago a stale client read the object. */
  readonly ago: number;
}

interface Turns {
  readonly version: number;
  readonly object: JsonObject;
  readonly turns: readonly Turn[];
}

function turnsOf(setting: Setting): fc.Arbitrary<Turns> {
  const versions = [...setting.kind.versions.keys()];
  const start = fc.oneof(
    ...versions.map((version) =>
      (setting.objects[version]?.valid ?? fc.constant({})).map((object) => ({ version, object })),
    ),
  );
  const turn = fc.oneof(
    ...versions.map((version) =>
      fc.record<Turn>({
        version: fc.constant(version),
        endpoint: fc.constantFrom<Endpoint[]>("main", "main", "status"),
        manner: fc.constantFrom(...(setting.kind.hub.carriesStatus ? manners : onlyAnnotation)),
        edits: fc.oneof(fc.constant([]), setting.edits[version] ?? fc.constant([])),
        ago: fc.nat(4),
      }),
    ),
  );
  return fc
    .tuple(start, fc.array(turn, { minLength: 1, maxLength: 6 }))
    .map(([first, turns]) => ({ ...first, turns }));
}

function played(setting: Setting, { version, object, turns }: Turns) {
  const log = [() => `create at ${versionAt(setting, version).name}`];
  const steps = () => log.map((each) => each());
  let stored = store(setting, undefined, created(setting, object, version, "8a1b7c1e-0000"), version);
  const past: Stored[] = [stored];
  for (const [index, turn] of turns.entries()) {
    const before = read(setting, stored, turn.version);
    const then = read(setting, past.at(-1 - (turn.ago % past.length)) ?? stored, turn.version);
    const written = edited(preparedBy(setting, turn, before, then), turn.edits);
    const name = versionAt(setting, turn.version).name;
    log.push(() => turnText(turn, name, before));
    if (turn.manner === "recreated") {
      const made = created(setting, written, turn.version, `8a1b7c1e-000${index + 1}`);
      const after = store(setting, undefined, made, turn.version);
      const lost = recreatedWrong(setting, stored, made, after, turn);
      if (lost !== undefined) return finding(object, steps, lost);
      [stored, past.length] = [after, 0];
    } else {
      const accepted = taken(setting, before, written, turn.version, turn.endpoint);
      const after = store(setting, stored, accepted, turn.version);
      const lost = wrongAfter(setting, stored, before, accepted, after, turn.version);
      if (lost !== undefined) return finding(object, steps, lost);
      stored = after;
    }
    past.push(stored);
  }
  return undefined;
}

/** What a client does, in words. */
function turnText({ manner, endpoint, edits }: Turn, version: string, before: JsonObject): string {
  const changes = editsIn(before, edits).filter((each) => each !== "nothing");
  const what = `${sent[manner]}, ${changes.length === 0 ? "unchanged" : `changed: ${changes.join(", ")}`}`;
  return manner === "recreated"
    ? `delete the object, and create at ${version} ${what}`
    : `write to ${endpoint === "main" ? "the main endpoint" : "/status"} at ${version} ${what}`;
}

function wrongAfter(
  setting: Setting,
  stored: Stored,
  before: JsonObject,
  accepted: JsonObject,
  after: Stored,
  version: number,
) {
  const { hub } = setting;
  const expected = settled(accepted);
  const now = read(setting, after, version);
  return (
    differenceOf(expected, settled(now)) ??
    (version === hub ? undefined : hubLoss(setting, stored, before, accepted, after, version)) ??
    spokesLoss(setting, stored, after, version) ??
    (isNoChange(before, accepted) ? churn(setting, stored, after) : undefined)
  );
}

/** A field that the hub lost although a write at a spoke did not touch it. */
function hubLoss(
  setting: Setting,
  stored: Stored,
  before: JsonObject,
  accepted: JsonObject,
  after: Stored,
  version: number,
) {
  const { hub, kind } = setting;
  const content = (object: JsonObject) => contentOf(object, kind.chain.mapped);
  const back = (object: JsonObject) => kind.hub.defaulted(image(content(object), kind.chain, version, hub));
  const [ours, result] = [stored, after].map((each) => content(read(setting, each, hub)));
  const merge = { ours, base: back(before), theirs: back(accepted), result };
  return lostIn(setting, merge, hub, version, { before, after: accepted });
}

/** A field that another spoke lost although its lens shows the same of the hub. */
function spokesLoss(
  setting: Setting,
  stored: Stored,
  after: Stored,
  version: number,
): Difference | undefined {
  for (const other of setting.spokes) {
    if (other === version) continue;
    const found = lostBetween(
      setting,
      read(setting, stored, setting.hub),
      read(setting, after, setting.hub),
      other,
    );
    if (found !== undefined) return { ...found, field: `${versionAt(setting, other).name} ${found.field}` };
  }
  return undefined;
}

/**
 * Whether a write changes nothing; one that may have removed an empty status does not count, nor one with another carrier than its
 * version shows now, which may replace an outdated one that is stored.
 */
function isNoChange(before: JsonObject, accepted: JsonObject): boolean {
  const isTold = [before, accepted].every((each) => get(each, "status", carrierField, "was") === undefined);
  const shown = marksOf(before);
  const isShown = Object.keys(marksOf(accepted)).every(
    (key) => !key.startsWith(carrierPrefix) || shown[key] !== undefined,
  );
  return (
    isTold &&
    isShown &&
    equal(settled(before), settled(accepted)) &&
    equal(bareOf(before).status, bareOf(accepted).status)
  );
}

/** What a write that changes nothing stored nevertheless; the first write may store the hub's defaults, and a second carrier. */
function churn({ kind }: Setting, stored: Stored, after: Stored): Difference | undefined {
  return after.revision === stored.revision
    ? undefined
    : differenceOf(completed(kind.hub.defaulted(stored.object), after.object), after.object);
}

/**
 * A new object from an export has the content of the old one, including what only one version can express, and no
 * status.
 */
function recreatedWrong(
  setting: Setting,
  stored: Stored,
  made: JsonObject,
  after: Stored,
  turn: Turn,
): Difference | undefined {
  const content = ({ metadata: _, ...rest }: JsonObject) => rest;
  const withoutStatus = (object: JsonObject) => set(settled(object), "status", undefined);
  const read_ = (each: Stored, version: number) => withoutStatus(read(setting, each, version));
  const wrong = differenceOf(withoutStatus(made), read_(after, turn.version));
  const before = withoutStatus(read(setting, stored, turn.version));
  // Edits, and the version's own defaults for a new object.
  if (wrong !== undefined || !equal(content(before), content(withoutStatus(made)))) return wrong;
  for (const version of setting.kind.versions.keys()) {
    const name = versionAt(setting, version).name;
    const lost = differenceOf(content(read_(stored, version)), content(read_(after, version)), [name]);
    if (lost !== undefined) return lost;
    const { status } = settled(read(setting, after, version));
    if (status !== undefined) return { field: `status at ${name}`, expected: undefined, actual: status };
  }
  return undefined;
}

function preparedBy(
  setting: Setting,
  { manner, version, endpoint }: Turn,
  before: JsonObject,
  then: JsonObject,
): JsonObject {
  // A writer of /status decides the status leaves, even with an older copy of them, so only its fields are tested.
  if (endpoint === "status" && (manner === "stale" || manner === "grafted")) return bareOf(then);
  switch (manner) {
    case "fresh":
    case "recreated":
      return before;
    case "stripped":
      return bareOf(before);
    case "bare":
      return withoutAnnotations(set(bareOf(before), "status", undefined));
    case "typed":
      return typed(withoutAnnotations(bareOf(before)), versionAt(setting, version).shape) as JsonObject;
    case "unannotated":
      return withoutAnnotations(before);
    case "grafted":
      return withCarriersOf(before, then);
    case "stale":
      return then;
  }
}

/** An object as a client with typed structs encodes it: without the fields that the schema merely preserves. */
function typed(value: Json, shape: Shape | undefined): Json {
  if (isArray(value)) return value.map((item) => typed(item, shape?.items));
  if (!isObject(value) || shape === undefined) return value;
  const known = Object.entries(value).flatMap(([name, each]) => {
    const within = below(shape, name);
    return within === undefined ? [] : [[name, name === "metadata" ? each : typed(each, within)] as const];
  });
  return Object.fromEntries(known);
}

function withoutAnnotations(object: JsonObject): JsonObject {
  return set(object, "metadata", set(object.metadata as JsonObject, "annotations", undefined));
}

function withCarriersOf(object: JsonObject, other: JsonObject): JsonObject {
  const bare = bareOf(object);
  const carriers = Object.entries(marksOf(other)).filter(([key]) => key.startsWith(carrierPrefix));
  const annotations = { ...marksOf(bare), ...Object.fromEntries(carriers) };
  const marked = set(bare, "metadata", set(bare.metadata as JsonObject, "annotations", annotations));
  const field = get(other, "status", carrierField);
  return field === undefined
    ? marked
    : set(marked, "status", { ...(isObject(bare.status) ? bare.status : {}), [carrierField]: field });
}

function marksOf(object: JsonObject): JsonObject {
  const annotations = get(object, "metadata", "annotations");
  return isObject(annotations) ? annotations : {};
}

/**
 * The content of an object for a reader, without empty containers, which cannot be distinguished from absent ones
 * beside a carrier.
 */
function settled(object: JsonObject): JsonObject {
  const { labels, annotations } = (coerced(bareOf(object).metadata) ?? {}) as JsonObject;
  return {
    ...contentOf(object),
    metadata: Object.fromEntries(
      Object.entries({ labels, annotations }).filter(
        (entry): entry is [string, Json] => entry[1] !== undefined,
      ),
    ),
  };
}

function versionsOf({ kind }: Setting): string {
  return kind.versions.map(({ name }) => name).join(", ");
}
