import { detach } from "../conversion/carriers.ts";
import { convert } from "../conversion/convert.ts";
import { type Carried, carriedBy, reasonOf } from "../conversion/explain.ts";
import { orderKey } from "../conversion/leaf.ts";
import { SyntaxFault } from "../json/document.ts";
import { equal } from "../json/equal.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import type { Crd } from "../schema/index.ts";
import { placesOf } from "../yaml/places.ts";
import { readYaml, writeYaml } from "../yaml/yaml.ts";
import type { LoadedKind } from "./folder.ts";
import { inSchemaOrder } from "./order.ts";
import { type TextPlaces, textPlaces } from "./places.ts";
import { isAt } from "./stands.ts";
import type { PlayState } from "./state.ts";
import { withCarriersOf } from "./with-carriers.ts";

/** What is wrong at a place of a pane, in the words of the API server where it would answer so. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly sentence: string;
}

/** A value that does not stand in the text of a pane. */
export interface Unseen {
  /** `carried` comes back, `dropped` does not; the API server adds a `default`, and drops what is `unknown`. */
  readonly sort: "carried" | "dropped" | "default";
  /** `spec.lights.lamp-1.color`. */
  readonly place: string;
  /** As YAML, without its field. */
  readonly value: string;
  readonly reason: string;
  /** The version that can say it. */
  readonly owner: string;
  /** The line of the text after which it would stand, how far indented, and how it would be written there. */
  readonly line: number;
  readonly indent: number;
  readonly text: string;
}

/** What one pane shows. */
export interface Pane {
  readonly version: string;
  readonly text: string;
  /** The object as a client reads it, with its carriers, as JSON; empty where nothing can be read. */
  readonly read: string;
  readonly problems: readonly Problem[];
  /** Whether it is not stored: the API server refuses what was written, and the pane shows what a conversion of it gives. */
  readonly unstored: boolean;
  readonly unseen: readonly Unseen[];
  /** Lines, from 1, whose values came back although the version that was written at cannot say them. */
  readonly returned: readonly number[];
}

/** What was written, and how it is shown. */
type Written = Pick<PlayState, "at" | "text" | "read" | "stored" | "plain">;

/**
 * A write at one version, and what is read at each, in the order of versions: as an API server would store and convert it. One pane
 * alone while its text cannot be read.
 */
export function panesOf(loaded: LoadedKind, state: Written): readonly Pane[] {
  const { kind } = loaded;
  const at = kind.versions.findIndex(({ name }) => name === state.at);
  const typed = typedObject(state.text, kind.versions[at]?.apiVersion ?? "", kind.definition.kind);
  if ("sentence" in typed) return [unreadable(state, typed)];
  const before = state.read === "" ? undefined : objectIn(state.read);
  const own = before === undefined || state.stored ? typed.object : withCarriersOf(typed.object, before);
  const bare = storedAs(detach(own).object, loaded, at);
  const written = state.plain ? detach(own).object : own;
  // What the lenses say without the carriers is not there for want of a word: the difference came back.
  const stored = before === undefined || state.plain ? bare : storedAs(written, loaded, at);
  const viewAt = (version: number) => ({
    loaded,
    version,
    at,
    state,
    object: readAt(stored, loaded, version),
  });
  const typedOne = typedPane(viewAt(at), typed.object, written, before);
  return kind.versions.map((_, version) => {
    if (version === at) return typedOne;
    const without = stored === bare ? undefined : readAt(bare, loaded, version);
    return { ...derivedPane(viewAt(version), without, before), unstored: typedOne.unstored };
  });
}

/**
 * What the client that wrote reads back afterwards: the text of its pane, from now on with carriers or without, and the object
 * as JSON; undefined if it wrote none.
 */
export function rereadOf(
  loaded: LoadedKind,
  state: PlayState,
  stored: boolean,
): Pick<PlayState, "text" | "read"> | undefined {
  const pane = panesOf(loaded, state).find(({ version }) => version === state.at);
  const object = pane === undefined || pane.read === "" ? undefined : objectIn(pane.read);
  const entry = loaded.kind.versions.find(({ name }) => name === state.at)?.entry;
  return pane && object && { text: textOf(object, { ...state, stored }, entry), read: pane.read };
}

/** An object as a pane shows it. */
function textOf(
  object: JsonObject,
  { stored, plain }: Pick<PlayState, "stored" | "plain">,
  entry: JsonObject | undefined,
): string {
  return writeYaml(inSchemaOrder(stored && !plain ? object : detach(object).object, entry));
}

interface View {
  readonly loaded: LoadedKind;
  readonly version: number;
  /** The version that was written at. */
  readonly at: number;
  readonly state: Written;
  readonly object: JsonObject;
}

/** The hub object that is stored after a write at a version. */
function storedAs(object: JsonObject, { kind, crd }: LoadedKind, at: number): JsonObject {
  const hub = kind.versions.length - 1;
  const converted = convert(completed(object, crd, at), kind.chain, at, hub);
  return at === hub ? converted : completed(converted, crd, hub);
}

/** What is read of a stored object at a version. */
function readAt(stored: JsonObject, { kind, crd }: LoadedKind, version: number): JsonObject {
  const hub = kind.versions.length - 1;
  const converted = convert(stored, kind.chain, hub, version);
  return crd.versions[version]?.prune(converted).object ?? converted;
}

/** An object without unknown fields, and with the defaults of a version. */
function completed(object: JsonObject, { versions }: Crd, at: number): JsonObject {
  const version = versions[at];
  return version === undefined ? object : version.default(version.prune(object).object);
}

function unreadable({ at, text }: Pick<PlayState, "at" | "text">, problem: Omit<Problem, "severity">): Pane {
  const problems = [{ ...problem, severity: "error" as const }];
  return { version: at, text, read: "", problems, unstored: true, unseen: [], returned: [] };
}

/** The one object of a text, if it is of a version and kind; else what is wrong. */
function typedObject(
  text: string,
  apiVersion: string,
  kind: string,
): { readonly object: JsonObject } | Omit<Problem, "severity"> {
  const start = { line: 1, column: 1 };
  try {
    const [first, second] = readYaml(text);
    if (first === undefined) return { ...start, sentence: "there is no object" };
    if (second !== undefined)
      return { line: second.line, column: 1, sentence: "a pane holds one object; this is a second one" };
    const { value } = first;
    if (!isObject(value))
      return { ...start, sentence: "this is not an object: write apiVersion, kind and metadata" };
    const wrong = Object.entries({ apiVersion, kind }).find(([key, wanted]) => own(value, key) !== wanted);
    if (wrong === undefined) return { object: value };
    const place = placesOf(text).find(0, [wrong[0]], "") ?? start;
    return { ...place, sentence: `the ${wrong[0]} of this pane is ${wrong[1]}` };
  } catch (error) {
    if (error instanceof SyntaxFault)
      return { line: error.line, column: error.column, sentence: error.message };
    throw error;
  }
}

function objectIn(json: string): JsonObject | undefined {
  const value = parseJson(json);
  return isObject(value) ? value : undefined;
}

/** The pane in which was written: its own text, what the server says of it, and what is read back. */
function typedPane(view: View, typed: JsonObject, written: JsonObject, before: JsonObject | undefined): Pane {
  const { loaded, version, state, object } = view;
  const places = textPlaces(state.text);
  const defaulted = loaded.crd.versions[version]?.default(typed) ?? typed;
  const added = differences(defaulted, typed).map(({ path, value }) =>
    unseen("default", path, value, "the API server fills in this default", nameAt(view), places),
  );
  const problems = problemsOf(loaded, version, written, before, places);
  return {
    version: nameAt(view),
    text: state.text,
    read: writeJson(object),
    problems,
    unstored: problems.some(({ severity }) => severity === "error"),
    unseen: [...added, ...carriedIn(view, places)],
    returned: [],
  };
}

/** A pane that follows. */
function derivedPane(
  view: View,
  without: JsonObject | undefined,
  before: JsonObject | undefined,
): Omit<Pane, "unstored"> {
  const { loaded, version, state, object } = view;
  const text = textOf(object, state, loaded.kind.versions[version]?.entry);
  const places = textPlaces(text);
  const shown = detach(object).object;
  const returned = without === undefined ? [] : linesOf(differences(shown, detach(without).object), places);
  return {
    version: nameAt(view),
    text,
    read: writeJson(object),
    problems: problemsOf(loaded, version, object, undefined, places),
    unseen: [...carriedIn(view, places), ...droppedIn(view, before, places)],
    returned,
  };
}

function nameAt({ loaded, version }: Pick<View, "loaded" | "version">): string {
  return loaded.kind.versions[version]?.name ?? "";
}

/** What the API server says of an object at its version. */
function problemsOf(
  { crd }: LoadedKind,
  version: number,
  object: JsonObject,
  before: JsonObject | undefined,
  places: TextPlaces,
): readonly Problem[] {
  const verdict = crd.versions[version]?.validate(object, before);
  const start = { line: 1, column: 1 };
  const errors = (verdict?.causes ?? []).map(({ field, path, message }) => ({
    ...(places.find(0, path ?? [], path === undefined ? field : "") ?? start),
    severity: "error" as const,
    sentence: field === "" ? message : `${field}: ${message}`,
  }));
  const warnings = (verdict?.warnings ?? []).map((sentence) => {
    const [, field] = /unknown field "([^"]*)"/.exec(sentence) ?? [];
    const place = field === undefined ? undefined : places.find(0, [], field);
    return { ...(place ?? start), severity: "warning" as const, sentence };
  });
  return [...errors, ...warnings];
}

/** The values that an object carries for other versions, where they would stand. */
function carriedIn(view: View, places: TextPlaces): readonly Unseen[] {
  const { loaded, object, state } = view;
  const target = nameAt(view);
  const sort = state.plain ? "dropped" : "carried";
  return [...carriedBy(object)].flatMap(([name, values]) => {
    const owner = name === "hub" ? loaded.kind.hub.name : name;
    const said = state.plain ? values.filter(({ why }) => why !== "shared word") : values;
    return said.map((each) => {
      const reason = reasonOf(each, target) + hintFor(loaded, target, owner, each.place);
      return unseen(sort, each.place, each.value, reason, owner, places);
    });
  });
}

function hintFor({ renames }: LoadedKind, target: string, owner: string, place: Carried["place"]): string {
  const path = place.join(".");
  const found = renames.find(
    (each) => each.target === target && each.owner === owner && `${path}.`.startsWith(`${each.path}.`),
  );
  return found?.hint ?? "";
}

/** What the client's object carried for this version, and what did not come back. */
function droppedIn(view: View, before: JsonObject | undefined, places: TextPlaces): readonly Unseen[] {
  const { loaded, version, at, object, state } = view;
  if (before === undefined) return [];
  const name = version === loaded.kind.versions.length - 1 ? "hub" : nameAt(view);
  const writer = loaded.kind.versions[at]?.name ?? "";
  const { object: shown } = detach(object);
  const reason = state.plain
    ? `lost: ${writer} cannot say it, and nothing carried it`
    : `not brought back: ${writer} now says otherwise`;
  const isLost = ({ place, value }: Carried) =>
    value !== undefined && place.at(-1) !== orderKey && !isAt(shown, place, value);
  return (carriedBy(before).get(name) ?? [])
    .filter(isLost)
    .map((each) => unseen("dropped", each.place, each.value, reason, nameAt(view), places));
}

function unseen(
  sort: Unseen["sort"],
  place: readonly string[],
  value: Json | undefined,
  reason: string,
  owner: string,
  places: TextPlaces,
): Unseen {
  const { last, indent, rest } = places.near(place);
  const field = rest.length > 0 ? rest.join(".") : (place.at(-1) ?? "");
  return {
    sort,
    place: place.join("."),
    value: value === undefined ? "(absent)" : writeYaml(value).trimEnd(),
    reason,
    owner,
    line: last,
    indent: rest.length > 0 ? indent : Math.max(0, indent - 2),
    text: textOfField(field, value),
  };
}

/** A field as it would be written, several steps of it joined by dots. */
function textOfField(field: string, value: Json | undefined): string {
  if (value === undefined) return `${field}: (absent)`;
  if (!field.endsWith(orderKey)) return writeYaml({ [field]: value }).trimEnd();
  const list = field.slice(0, -orderKey.length).replace(/\.$/, "");
  return `${list === "" ? "" : `${list} `}in the order ${isArray(value) ? value.join(", ") : ""}`;
}

interface Difference {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The values of an object that another one does not have, the outermost ones. Items are compared by their index. */
function differences(
  here: Json,
  there: Json | undefined,
  path: readonly string[] = [],
): readonly Difference[] {
  if (there !== undefined && equal(here, there)) return [];
  const isBoth = (isObject(here) && isObject(there)) || (isArray(here) && isArray(there));
  if (!isBoth) return [{ path, value: here }];
  return Object.entries(here).flatMap(([key, value]) =>
    differences(value, isArray(there) ? there[Number(key)] : own(there, key), [...path, key]),
  );
}

function linesOf(found: readonly Difference[], places: TextPlaces): readonly number[] {
  const lines = found.flatMap(({ path }) => {
    const { first, last, rest } = places.near(path);
    return rest.length > 0 ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return [...new Set(lines)].toSorted((a, b) => a - b);
}
