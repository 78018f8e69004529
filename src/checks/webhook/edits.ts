import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import type { SchemaCause } from "../../schema/index.ts";
import { valuesFor } from "../../values/leaf.ts";
import type { Failure, Outcome } from "./ask.ts";
import { valueAt, withAt } from "./build.ts";
import { isLoss } from "./cases.ts";
import { type Change, isReprinted, isZero } from "./changes.ts";
import type { Finding, View } from "./finding.ts";
import { changeFinding, type Findings, isSameFailure, keyOf, wordsOf } from "./findings.ts";
import type { Work } from "./pace.ts";
import { shrunk } from "./shrink.ts";
import { openPaths } from "./storage.ts";
import { faultsOf, mended, placeIn, type SubjectVersion, schemaAt } from "./subject.ts";
import { bareOf, differencesOf, type Pair, seen, type Trip } from "./trip.ts";
import type { Webhook } from "./webhook.ts";

/** A leaf of a view that a client sets to another value. */
interface Edit {
  readonly trip: Trip;
  readonly view: JsonObject;
  readonly path: Path;
  readonly value: Json;
  readonly edited: JsonObject;
  /** Whether further values were needed for the edited view to be valid. */
  readonly isMended: boolean;
}

/** What an edited view becomes: at the version that the object came from, and back in the view. */
interface Result {
  readonly back: JsonObject;
  readonly again: JsonObject;
}

/** An edited view that is not converted, or what it became that is not shown again. */
interface Stuck {
  readonly failure: Failure;
  readonly back?: JsonObject;
}

/**
 * A client of the other version changes one value and writes the object back, with the annotations that the webhook added.
 * The change must be there afterwards, and nothing else may have changed. What the same edit does without the annotations
 * says which values belong to it. What whole objects show is reported with the smallest one. Returns what the edited objects are
 * at the first version.
 */
export async function tryEdits(
  pair: Pair,
  webhook: Webhook,
  made: readonly Trip[],
  findings: Findings,
  { most, isWhole } = { most: 3, isWhole: false },
): Promise<readonly JsonObject[]> {
  const edits: Edit[] = [];
  const vain = new Map<string, number>();
  for (const [index, trip] of made.entries())
    edits.push(...(await webhook.pace.run(editsOf(pair, trip, { most, turn: index, vain }))));
  const { found, followed, written } = await judged(pair, webhook, edits);
  for (const place of followed) findings.noteEdit(pair.to, place);
  for (const { edit, finding } of found) {
    const isSame = (each: Finding) => isSameFailure(each, finding, true);
    if (!findings.isNew(finding) || (isWhole && findings.all.some(isSame))) continue;
    findings.add(isWhole ? await smallest(pair, webhook, edit, finding) : finding);
  }
  return written;
}

/** A finding, and the edit that shows it. */
interface Shown {
  readonly edit: Edit;
  readonly finding: Finding;
}

/** What edits show. */
interface Judged {
  readonly found: readonly Shown[];
  /** The places whose edits came to both versions. */
  readonly followed: readonly string[];
  /** What the edited objects are at the first version. */
  readonly written: readonly JsonObject[];
}

async function judged(pair: Pair, webhook: Webhook, edits: readonly Edit[]): Promise<Judged> {
  const { from, to, storage } = pair;
  const results = await resultsOf(
    pair,
    webhook,
    edits.map(({ edited }) => edited),
  );
  const plainly = (view: JsonObject, { object }: Trip) => bareOf(storage.stripped(view, to), object);
  const plain = await resultsOf(
    pair,
    webhook,
    edits.map(({ edited, trip }) => plainly(edited, trip)),
  );
  const unedited = new Map<Trip, JsonObject>(edits.map(({ trip, view }) => [trip, plainly(view, trip)]));
  const before = await webhook.convertAll([...unedited.values()], from.apiVersion);
  const befores = new Map([...unedited.keys()].map((trip, index) => [trip, pruned(from, before[index])]));
  const found: Shown[] = [];
  const followed: string[] = [];
  for (const [index, edit] of edits.entries()) {
    await webhook.pace.rest();
    const [result, without, was] = [results[index], plain[index], befores.get(edit.trip)];
    if (result === undefined || without === undefined) continue;
    followed.push(placeIn(to, edit.path));
    for (const each of "failure" in result ? [result] : [])
      found.push({ edit, finding: stuckFinding(pair, edit, each, !("failure" in without)) });
    if ("failure" in result || "failure" in without || was === undefined) continue;
    const undone = undoneBy(pair, edit, result, without);
    if (undone !== undefined) found.push({ edit, finding: undone });
    if (edit.isMended || isChoice(schemaAt(to.schema, edit.path))) continue;
    const due = differencesOf(pair, was, without.back);
    // What the webhook stored may say the edited value at another place than a new object would.
    if (due.some(({ path, before }) => before !== undefined && isElsewhere(pair, edit, path))) continue;
    for (const finding of restOf(pair, edit, result, due)) found.push({ edit, finding });
  }
  return {
    found,
    followed,
    written: results.flatMap((result) => ("failure" in result ? [] : [result.back])),
  };
}

/** The finding on the smallest object in which the same edit shows it. */
async function smallest(pair: Pair, webhook: Webhook, edit: Edit, finding: Finding): Promise<Finding> {
  const { from } = pair;
  let here = finding;
  const shows = async (object: JsonObject) => {
    if (faultsOf(from, object).length > 0) return false;
    const same = await sameEdit(pair, webhook, edit, object);
    const { found } = await judged(pair, webhook, same === undefined ? [] : [same]);
    const shown = found.find(({ finding: each }) => keyOf(each) === keyOf(finding))?.finding;
    here = shown ?? here;
    return shown !== undefined;
  };
  await shrunk(edit.trip.object, shows, webhook.pace);
  return here;
}

/** An edit of a smaller object's view; undefined if there is nothing to edit, or the view would not be valid. */
async function sameEdit(
  { from, to }: Pair,
  webhook: Webhook,
  { path, value }: Edit,
  object: JsonObject,
): Promise<Edit | undefined> {
  const there = await webhook.convert(object, to.apiVersion);
  const view = pruned(to, there);
  if (view === undefined || valueAt(view, path) === undefined) return undefined;
  const back = await webhook.convert(view, from.apiVersion);
  const edited = withAt(view, path, value) as JsonObject;
  if (back.state !== "converted" || faultsOf(to, edited, view).length > 0) return undefined;
  return { trip: { object, there, view, back, changes: [] }, view, path, value, edited, isMended: false };
}

async function resultsOf(
  { from, to }: Pair,
  webhook: Webhook,
  views: readonly JsonObject[],
): Promise<readonly (Result | Stuck)[]> {
  const back = await webhook.convertAll(views, from.apiVersion);
  const written = back.map((each) => pruned(from, each)).filter((each) => each !== undefined);
  const again = await webhook.convertAll(written, to.apiVersion);
  let next = 0;
  return back.map((outcome): Result | Stuck => {
    if (outcome.state !== "converted") return { failure: outcome };
    const [object = {}, shown = noAnswer] = [written[next], again[next]];
    next++;
    if (shown.state !== "converted") return { failure: shown, back: object };
    return { back: object, again: seen(to, shown.object) };
  });
}

const noAnswer: Failure = { state: "refused", sentence: "no answer" };

/** The finding where an edited view is not converted, or what it became is not. */
function stuckFinding(
  { from, to }: Pair,
  edit: Edit,
  { failure, back }: Stuck,
  isFineWithout: boolean,
): Finding {
  const { path, value, isMended } = edit;
  const place = placeIn(to, path);
  const here = schemaAt(to.schema, path);
  // A text of which the schema says no more, or values that were made up beside it.
  const isLoose = isMended || (typeof value === "string" && get(here, "enum") === undefined);
  const { state, sentence } = failure;
  return {
    kind: state === "refused" && isLoose && !isFineWithout ? "looser" : state,
    check: "edit",
    versions: [to.name, from.name, ...(back === undefined ? [] : [to.name])],
    place,
    places: [place],
    field: fieldOf(path),
    before: value,
    message: isFineWithout
      ? `${sentence}; without the webhook's annotations the edit is converted`
      : sentence,
    views: [...start(from, to, edit), ...(back === undefined ? [] : [{ what: from.name, object: back }])],
  };
}

function pruned(version: SubjectVersion, outcome: Outcome | undefined): JsonObject | undefined {
  return outcome?.state === "converted" ? seen(version, outcome.object) : undefined;
}

/** After so many views that could not be made valid, none with the same fault is tried. */
const mostVain = 3;

/** Edits of a view: of values that the smallest object does not have, the last ones first; then of others, each time others. */
function* editsOf(
  { from, to }: Pair,
  trip: Trip,
  { most, turn, vain }: { readonly most: number; readonly turn: number; readonly vain: Map<string, number> },
): Work<readonly Edit[]> {
  const { view, back } = trip;
  if (view === undefined || back?.state !== "converted") return [];
  const leaves = leavesOf(view, openPaths(view, to.schema));
  const isOwn = (path: Path) => {
    const value = valueAt(view, path);
    return !isZero(value) && !isSame(value, valueAt(from.base, path));
  };
  const first = [...leaves.filter(isOwn).toReversed(), ...leaves.toReversed()].slice(0, most - 1);
  const other = leaves[turn % Math.max(leaves.length, 1)];
  const chosen = [...new Set([...first, ...(other === undefined ? [] : [other])])];
  // Where the view is not valid, a client of this version has to fill in what is required, too.
  const [fault] = faultsOf(to, view);
  const valid = fault === undefined ? view : yield* validView(to, view, fault, vain);
  if (valid === undefined) return [];
  const edits: Edit[] = [];
  for (const path of chosen) {
    const value = otherValue(to, path, valueAt(view, path));
    if (value === undefined) continue;
    yield;
    const edited = withAt(valid, path, value) as JsonObject;
    if (faultsOf(to, edited, valid).length === 0)
      edits.push({ trip, view, path, value, edited, isMended: fault !== undefined });
  }
  return edits;
}

/** A view made valid; undefined where that has failed, or failed too often before. */
function* validView(
  to: SubjectVersion,
  view: JsonObject,
  { path = [], message }: SchemaCause,
  vain: Map<string, number>,
): Work<JsonObject | undefined> {
  const words = `${placeIn(to, path)} ${wordsOf(message)}`;
  const failed = vain.get(words) ?? 0;
  if (failed >= mostVain) return undefined;
  const made = yield* mended(to, view, []);
  if ("object" in made) return made.object;
  vain.set(words, failed + 1);
  return undefined;
}

/** Another value for a leaf, of the same sort: a text stays the duration, the time or the address that it was. */
function otherValue({ schema }: SubjectVersion, path: Path, value: Json | undefined): Json | undefined {
  const here = schemaAt(schema, path);
  if (get(here, "enum") === undefined && typeof value === "string") return varied(value);
  const name = String(path.findLast((step) => typeof step === "string") ?? "");
  const [other] = valuesFor(here, name).filter(
    (each) => !isSame(each, value) && typeof each === typeof value,
  );
  if (other !== undefined) return other;
  return typeof value === "number" ? value + 1 : undefined;
}

/** A text with its first digit replaced, or with another letter. */
function varied(text: string): string {
  if (/[0-9]/.test(text)) return text.replace(/[0-9]/, (digit) => (digit === "2" ? "1" : "2"));
  return text.length === 1 ? (text === "b" ? "c" : "b") : `${text}b`;
}

/** The finding where an edit is gone, although it is kept without the annotations. */
function undoneBy(
  { from, to }: Pair,
  edit: Edit,
  { back, again }: Result,
  without: Result,
): Finding | undefined {
  const { view, path, value } = edit;
  const after = valueAt(again, path);
  if (isSame(after, value) || !isSame(valueAt(without.again, path), value)) return undefined;
  const views = [
    ...start(from, to, edit),
    { what: from.name, object: back },
    { what: `${to.name} again`, object: again },
  ];
  const isOld = isSame(after, valueAt(view, path));
  return {
    kind: after === undefined ? "lost" : "became",
    check: "edit",
    versions: [to.name, from.name, to.name],
    place: placeIn(to, path),
    places: [placeIn(to, path)],
    field: fieldOf(path),
    before: value,
    ...(after === undefined ? {} : { after }),
    message: isOld
      ? "the edit is undone: the webhook takes the old value from an annotation that it stored; without the annotation the edit is kept"
      : "without the webhook's annotations the edit is kept",
    views,
  };
}

/** What an edit changed besides what it changes without annotations. */
function restOf(pair: Pair, edit: Edit, { back }: Result, due: readonly Change[]): readonly Finding[] {
  const { from, to } = pair;
  const { trip, path } = edit;
  if (trip.back?.state !== "converted") return [];
  const versions = [from.name, to.name, from.name];
  const changes = differencesOf(pair, seen(from, trip.back.object), back);
  const views = [...start(from, to, edit), { what: `${from.name} again`, object: back }];
  const message = `by an edit of ${fieldOf(path)} at ${to.name}`;
  return changes
    .filter((change) => isLoss(change) && !due.some((each) => meet(each.path, change.path)))
    .map((change) => changeFinding(change, from, { check: "edit", versions, views }, message));
}

/** Whether a place that an edit changes is not set in what the unedited view becomes. */
function isElsewhere({ from }: Pair, { trip: { back } }: Edit, path: Path): boolean {
  return back?.state === "converted" && valueAt(seen(from, back.object), path) === undefined;
}

function start(
  from: SubjectVersion,
  to: SubjectVersion,
  { trip, path, value, edited }: Edit,
): readonly View[] {
  return [
    { what: from.name, object: trip.object },
    { what: `${to.name}, with ${fieldOf(path)} set to ${JSON.stringify(value)}`, object: edited },
  ];
}

/** Whether one path is the other or above it. */
function meet(a: Path, b: Path): boolean {
  return a.every((step, index) => index >= b.length || step === b[index]);
}

/** Whether a value chooses what else may be set. */
function isChoice(schema: Json | undefined): boolean {
  return get(schema, "enum") !== undefined || get(schema, "type") === "boolean";
}

/** The most leaves of a view that are looked at. */
const mostLeaves = 200;

/** The paths of all texts, numbers and flags of an object's content, in its order, but none below `closed`. */
function leavesOf(object: JsonObject, closed: readonly Path[]): readonly Path[] {
  const found: Path[] = [];
  const excluded = new Set(closed.map((path) => JSON.stringify(path)));
  const visit = (value: Json | undefined, path: Path): void => {
    if (found.length >= mostLeaves || excluded.has(JSON.stringify(path))) return;
    if (isArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index]);
    else if (isObject(value)) for (const [name, each] of Object.entries(value)) visit(each, [...path, name]);
    else if (value !== null && value !== "" && value !== undefined) found.push(path);
  };
  for (const [name, value] of Object.entries(object))
    if (!["apiVersion", "kind", "metadata"].includes(name)) visit(value, [name]);
  return found;
}

/** Whether two values are the same, or two prints of one. */
function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return equal(a, b) || isReprinted(a, b);
}
