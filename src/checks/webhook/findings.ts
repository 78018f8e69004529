import { get, type JsonObject } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import { propertiesOf } from "../../values/smallest.ts";
import type { Outcome } from "./ask.ts";
import type { Change } from "./changes.ts";
import type { Alike, Check, Finding, FindingKind, View } from "./finding.ts";
import { placeIn, type SubjectVersion, schemaAt } from "./subject.ts";
import type { Trip } from "./trip.ts";

/** Findings of one kind, each place once: the first object is the smallest. */
export class Findings {
  readonly #found = new Map<string, Finding>();
  readonly #zero = new Set<string>();
  readonly #reprinted = new Set<string>();
  readonly #edited = new Map<string, Set<string>>();
  readonly #ignored: readonly string[];

  constructor(ignored: readonly string[]) {
    this.#ignored = ignored;
  }

  /** All findings. What is hidden is kept by annotations, too; that is not said twice. */
  get all(): readonly Finding[] {
    const all = [...this.#found.values()];
    const hidden = all.filter(({ kind }) => kind === "hidden");
    const isSaid = ({ kind, place, versions }: Finding) =>
      kind === "kept by annotations" &&
      hidden.some(
        (each) =>
          versions[0] === each.versions[0] && versions[1] === each.versions[1] && isWithin(place, each.place),
      );
    return hidden.length === 0 ? all : all.filter((each) => !isSaid(each));
  }

  get alike(): Alike {
    return { zero: [...this.#zero].toSorted(), reprinted: [...this.#reprinted].toSorted() };
  }

  add(finding: Finding): void {
    if (this.isNew(finding)) this.#found.set(keyOf(finding), finding);
  }

  /** Whether a finding would be reported. */
  isNew(finding: Finding): boolean {
    return !this.#isIgnored(finding) && !this.#found.has(keyOf(finding));
  }

  #isIgnored({ place }: Finding): boolean {
    return place !== "" && this.#ignored.some((each) => isWithin(place, each));
  }

  /** Notes a place whose edit at a version was followed. */
  noteEdit({ name }: SubjectVersion, place: string): void {
    const places = this.#edited.get(name) ?? new Set<string>();
    this.#edited.set(name, places.add(place));
  }

  /** The places of each version that were edited. */
  get edited(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#edited;
  }

  /** Whether a place is known to be lost or changed on a way. */
  knows(place: string, versions: readonly string[]): boolean {
    const [from, to] = versions;
    return this.all.some(
      (each) =>
        ["lost", "became", "moved"].includes(each.kind) &&
        !["edit", "unread value"].includes(each.check) &&
        each.versions[0] === from &&
        each.versions[1] === to &&
        (isWithin(place, each.place) || isWithin(each.place, place)),
    );
  }

  /** Whether answers on a way, or on the way back, were not the same twice. */
  differ(from: string, to: string): boolean {
    return this.all.some(
      ({ kind, versions }) => kind === "differs" && [from, to].every((each) => versions.includes(each)),
    );
  }

  /** Whether it is known that the webhook refuses an object in such words, or crashes. */
  knowsOutcome(
    { state, sentence }: Exclude<Outcome, { state: "converted" }>,
    versions: readonly string[],
  ): boolean {
    return this.all.some(
      (each) =>
        (each.kind === state || each.kind === "looser") &&
        each.versions.slice(0, 2).join() === versions.join() &&
        (state === "crashed" || wordsOf(each.message ?? "").startsWith(wordsOf(sentence).slice(0, 40))),
    );
  }

  /** Counts what differs although it means the same. */
  note(changes: readonly Change[], version: SubjectVersion): void {
    for (const { sort, path } of changes) {
      const place = `${version.name} ${placeIn(version, path)}`;
      if (sort === "zero") this.#zero.add(place);
      if (sort === "reprinted") this.#reprinted.add(place);
    }
  }
}

/** Whether a place is another one or below it: `spec.a[].b` within `spec.a`. */
export function isWithin(place: string, parent: string): boolean {
  return place === parent || (place.startsWith(parent) && /^[.[]/.test(place.slice(parent.length)));
}

/** A sentence without what it quotes, which differs from object to object. */
export function wordsOf(sentence: string): string {
  return sentence.replaceAll(/"[^"]*"|\d+/g, "…");
}

/** What makes two findings one. */
export function keyOf({ kind, check, versions, place, message }: Finding): string {
  const group = ["became", "moved"].includes(kind) ? "lost" : kind;
  const own = ["edit", "unread value"].includes(check) ? check : "";
  return JSON.stringify([group, own, versions, place, place === "" ? message : ""]);
}

/**
 * Whether two findings say that conversions on one way fail for the same cause: refusals in the same words, or crashes near
 * one place; with `anywhere` any two crashes.
 */
export function isSameFailure(a: Finding, b: Finding, anywhere = false): boolean {
  const group = ({ kind }: Finding) => (kind === "looser" ? "refused" : kind);
  const way = ({ versions }: Finding) => versions.slice(-2).join();
  const words = ({ message = "" }: Finding) => wordsOf(message).slice(0, 40);
  if (group(a) !== group(b) || way(a) !== way(b)) return false;
  if (group(a) === "refused") return words(a) === words(b);
  const isNear = anywhere || isWithin(a.place, b.place) || isWithin(b.place, a.place);
  return group(a) === "crashed" && isNear;
}

/** What a finding about a change says. */
export function changeFinding(
  change: Change,
  version: SubjectVersion,
  facts: Pick<Finding, "check" | "versions" | "views">,
  message?: string,
): Finding {
  const { sort, path, before, after, to } = change;
  const kind: FindingKind = sort === "lost" || sort === "added" || sort === "moved" ? sort : "became";
  const place = placeIn(version, path);
  return {
    ...facts,
    kind,
    place,
    places: [place],
    field: fieldOf(path),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...referenceAt(version, path),
    ...(sort === "order" ? { message: "the items are in another order" } : {}),
    ...(to === undefined ? {} : { message: `stands at ${fieldOf(to)} of the same version` }),
    ...(message === undefined ? {} : { message }),
  };
}

/** The fields of the reference around a place: an object with a name and with nothing but texts, numbers and flags. */
export function referenceAt({ schema }: SubjectVersion, path: Path): Pick<Finding, "reference"> {
  const fields = Object.entries(propertiesOf(schemaAt(schema, path.slice(0, -1))));
  const isFlat = fields.every(([, below]) => !["object", "array"].includes(String(get(below, "type"))));
  const names = fields.map(([name]) => name).toSorted();
  return isFlat && names.length > 1 && names.includes("name") ? { reference: names.join(" ") } : {};
}

/** What a finding about an object that is not converted says. */
export function outcomeFinding(
  outcome: Exclude<Outcome, { state: "converted" }>,
  place: string,
  field: Path,
  facts: Pick<Finding, "check" | "versions" | "views">,
): Finding {
  return {
    ...facts,
    kind: outcome.state,
    place,
    places: [place],
    field: fieldOf(field),
    message: outcome.sentence,
  };
}

/** The views of a trip, as far as it came. */
export function viewsOf(
  { object, view, back, bare }: Trip,
  from: SubjectVersion,
  to: SubjectVersion,
  isBare = false,
): readonly View[] {
  const views: View[] = [{ what: from.name, object }];
  const there = isBare ? bare?.view : view;
  const again = isBare ? bare?.back : back;
  if (there !== undefined)
    views.push({ what: isBare ? `${to.name}, without the webhook's annotations` : to.name, object: there });
  if (again?.state === "converted") views.push({ what: `${from.name} again`, object: again.object });
  return views;
}

/** The versions of a trip. */
export function wayOf(from: SubjectVersion, to: SubjectVersion): readonly string[] {
  return [from.name, to.name, from.name];
}

/** A single view. */
export function viewOf(version: SubjectVersion, object: JsonObject): View {
  return { what: version.name, object };
}

/** The check that a change was seen in. */
export function checkOf(isBare: boolean): Check {
  return isBare ? "round trip without annotations" : "round trip";
}
