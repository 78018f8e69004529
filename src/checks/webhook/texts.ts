import { isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import { valuesFor } from "../../values/leaf.ts";
import type { Failure } from "./ask.ts";
import { valueAt, valuesAt, withAt } from "./build.ts";
import { type Case, isFine, isLoss, isOwn } from "./cases.ts";
import { type Findings, viewsOf, wayOf, wordsOf } from "./findings.ts";
import type { Work } from "./pace.ts";
import { faultsOf, placeIn, type SubjectVersion, schemaAt, validObject } from "./subject.ts";
import { changesBack, type Pair, seen, type Trip } from "./trip.ts";
import type { Webhook } from "./webhook.ts";

/** A case and its trip. */
export interface Gone {
  readonly each: Case;
  readonly trip: Trip;
}

/** The most objects that one place is tried with, to find a text that the webhook reads. */
const mostTexts = 40;
const fewTexts = 8;

/** After so many places at which no other text helped against a refusal, none is tried against one in the same words. */
const mostVain = 3;

/** The most reviews for the texts of one pair of versions. */
const mostReviews = 6_000;

/**
 * Finds texts that a webhook reads. Schemas often say no more than `type: string` of a duration or a time, and a webhook then
 * refuses a plain word, or answers Success and leaves things out. What was learned at one place is used for all objects.
 */
export class Texts {
  readonly #pair: Pair;
  readonly #webhook: Webhook;
  readonly #findings: Findings;
  readonly #learned = new Map<string, Json>();
  /** How often no other text helped against a refusal, by its words; 0 or less where one did. */
  readonly #vain = new Map<string, number>();
  #left = mostReviews;

  constructor(pair: Pair, webhook: Webhook, findings: Findings) {
    this.#pair = pair;
    this.#webhook = webhook;
    this.#findings = findings;
  }

  /** Whether a refusal may be a matter of a text, and too many objects were sent already to find another one. */
  isCut({ state, sentence }: Failure): boolean {
    return state === "refused" && this.#left <= 0 && !this.#isVain(sentence);
  }

  /** Whether other texts never helped against a refusal in such words. */
  #isVain(sentence: string): boolean {
    return (this.#vain.get(wordsOf(sentence)) ?? 0) >= mostVain;
  }

  /** An object with the texts that were learned, except at one place. */
  *adapted(object: JsonObject, kept: Path): Work<JsonObject> {
    if (this.#learned.size === 0) return object;
    const { from } = this.#pair;
    let here = object;
    for (const [place, paths] of textPlaces(object, from, kept)) {
      const value = this.#learned.get(place);
      if (value === undefined || paths.every((path) => valueAt(here, path) === value)) continue;
      yield;
      const made = withTexts(here, paths, value);
      if (faultsOf(from, made).length === 0) here = made;
    }
    return here;
  }

  /** The case, or one with another text with which it comes back whole; the text that failed is reported. */
  async better(gone: Gone): Promise<Gone> {
    if (isFine(gone.trip)) return gone;
    const adapted = await this.#webhook.pace.run(this.adapted(gone.each.object, gone.each.place.path));
    const first = adapted === gone.each.object ? gone : ((await this.#tried(gone.each, adapted)) ?? gone);
    const { there } = first.trip;
    if (isFine(first.trip) || (there.state === "refused" && this.#isVain(there.sentence))) return first;
    const second = (await this.#otherValue(first)) ?? first;
    const third = (await this.#otherTexts(second)) ?? second;
    if (there.state === "refused" && this.#left > 0) this.#learn(there.sentence, third !== first);
    return third;
  }

  #learn(sentence: string, isHelped: boolean): void {
    const words = wordsOf(sentence);
    this.#vain.set(words, isHelped ? Number.NEGATIVE_INFINITY : (this.#vain.get(words) ?? 0) + 1);
  }

  async #otherValue(gone: Gone): Promise<Gone | undefined> {
    const { place, value } = gone.each;
    const { pace } = this.#webhook;
    // A number or a word of an enumeration that comes back as another one was read.
    const isText = typeof value === "string" && place.schema.enum === undefined;
    const isRead = gone.trip.there.state === "converted" && !isText;
    if (place.schema.type === "array" || isRead) return undefined;
    // What is lost by itself is seldom a matter of its text; what is refused is.
    const most = troubles(gone, this.#pair) < 100 ? fewTexts : mostTexts;
    for (const other of valuesAt(place).slice(0, most)) {
      if (JSON.stringify(other) === JSON.stringify(value)) continue;
      const made = await pace.run(validObject(this.#pair.from, place.path, other));
      if ("fault" in made) continue;
      const adapted = await pace.run(this.adapted(made.object, place.path));
      const found = await this.#tried({ ...gone.each, value: other }, adapted);
      if (found === undefined) return undefined;
      if (troubles(found, this.#pair) >= troubles(gone, this.#pair)) continue;
      this.#learned.set(place.text, other);
      this.#report(gone, place.path, value, other);
      return found;
    }
    return undefined;
  }

  /** Other texts beside the place: what is required there may not be read either. */
  async #otherTexts(gone: Gone): Promise<Gone | undefined> {
    const { from } = this.#pair;
    const { each, trip } = gone;
    const others = trip.changes.filter((change) => isLoss(change) && !isOwn(change, each.place, this.#pair));
    if (trip.there.state === "crashed" || (trip.there.state === "converted" && others.length === 0))
      return undefined;
    for (const [place, paths] of textPlaces(each.object, from, each.place.path)) {
      const [path = []] = paths;
      const name = String(path.findLast((step) => typeof step === "string") ?? "");
      const value = valueAt(each.object, path);
      for (const other of valuesFor(schemaAt(from.schema, path), name).slice(0, mostTexts)) {
        const object = withTexts(each.object, paths, other);
        if (other === value || faultsOf(from, object).length > 0) continue;
        const found = await this.#tried(each, object);
        if (found === undefined) return undefined;
        if (troubles(found, this.#pair) >= troubles(gone, this.#pair)) continue;
        this.#learned.set(place, other);
        this.#report(gone, path, value, other);
        return found;
      }
    }
    return undefined;
  }

  /** Sends a case's object there and back; undefined where none may be sent any more. */
  async #tried(each: Case, object: JsonObject): Promise<Gone | undefined> {
    if (this.#left <= 0) return undefined;
    const { from, to } = this.#pair;
    const sent = from.rules.default(object);
    this.#left -= 2;
    const there = await this.#webhook.convert(sent, to.apiVersion);
    if (there.state !== "converted")
      return { each: { ...each, object }, trip: { object: sent, there, changes: [] } };
    const view = seen(to, there.object);
    if (this.#pair.isOneWay)
      return { each: { ...each, object }, trip: { object: sent, there, view, changes: [] } };
    const back = await this.#webhook.convert(view, from.apiVersion);
    const trip = { object: sent, there, view, back, changes: changesBack(this.#pair, sent, back) };
    return { each: { ...each, object }, trip };
  }

  /** Reports a text that is refused, or that makes the webhook leave something out. */
  #report({ trip }: Gone, path: Path, value: Json | undefined, taken: Json): void {
    const { from, to } = this.#pair;
    const place = placeIn(from, path);
    const instead = `${JSON.stringify(taken)} is converted`;
    const facts = {
      views: viewsOf(trip, from, to),
      places: [place],
      field: fieldOf(path),
      place,
      ...(value === undefined ? {} : { before: value }),
    };
    const failed = [trip.there, trip.back].find((each) => each !== undefined && each.state !== "converted");
    if (failed !== undefined) {
      this.#findings.add({
        ...facts,
        kind: failed.state === "crashed" ? "crashed" : "looser",
        check: "conversion",
        versions: [from.name, to.name],
        message: `${failed.sentence}; ${instead}`,
      });
      return;
    }
    const losses = trip.changes.filter(isLoss);
    const own = losses.find(({ path }) => placeIn(from, path) === place);
    const gone = [...new Set(losses.map(({ path }) => placeIn(from, path)))].filter((text) => text !== place);
    const rest =
      gone.length === 0 ? "" : `; with it ${gone.join(", ")} ${gone.length === 1 ? "is" : "are"} lost`;
    this.#findings.add({
      ...facts,
      kind: own !== undefined && own.sort !== "lost" ? "became" : "lost",
      check: "unread value",
      versions: wayOf(from, to),
      ...(own?.after === undefined ? {} : { after: own.after }),
      message: `the answer is Success, but the webhook does not read this value${rest}; ${instead}`,
    });
  }
}

/** How bad a trip is: not converted; or what is lost, which counts more beside the place that was set. */
function troubles({ each, trip }: Gone, pair: Pair): number {
  const { there, back } = trip;
  if (there.state !== "converted" || (back !== undefined && back.state !== "converted")) return 1e6;
  const losses = trip.changes.filter(isLoss);
  const beside = losses.filter((change) => !isOwn(change, each.place, pair)).length;
  return beside * 100 + (losses.length > beside ? 1 : 0);
}

/** The paths of all texts and numbers of an object's content. */
function textPaths(object: JsonObject): readonly Path[] {
  const below = (value: Json, path: Path): readonly Path[] => {
    if (isArray(value)) return value.flatMap((item, index) => below(item, [...path, index]));
    if (isObject(value)) return Object.entries(value).flatMap(([name, each]) => below(each, [...path, name]));
    return typeof value === "boolean" || value === null ? [] : [path];
  };
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
  return below(content, []);
}

/** The texts and numbers of an object, by their places: items of a list have theirs together. */
function textPlaces(
  object: JsonObject,
  version: SubjectVersion,
  kept: Path,
): ReadonlyMap<string, readonly Path[]> {
  const paths = textPaths(object).filter((path) => !samePath(path, kept));
  return Map.groupBy(paths, (path) => placeIn(version, path));
}

/** An object with one text at several paths. Where the items there differed, they still do if the text has a digit. */
function withTexts(object: JsonObject, paths: readonly Path[], value: Json): JsonObject {
  const isTold = new Set(paths.map((path) => valueAt(object, path))).size > 1;
  return paths.reduce((here, path, index) => {
    const own = isTold && typeof value === "string" ? value.replace(/\d/, String(3 - (index % 3))) : value;
    return withAt(here, path, own) as JsonObject;
  }, object);
}

function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}
