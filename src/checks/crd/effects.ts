import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import { placeOfPath } from "../../laws/places.ts";
import { valueAt } from "./place-values.ts";
import { contentOf, type RevisionVersion } from "./revision.ts";

/** What becomes of an object that the old revision accepts, in one respect. */
export interface Effect {
  /**
   * `refused`: the new revision rejects the creation. `pruned`: it drops a value that the old one stores. `defaulted`: it
   * fills in another value, or none. `kept`: it stores a value that the old one drops.
   */
  readonly effect: "refused" | "pruned" | "defaulted" | "kept";
  /** The place in the schema, `spec.lights[].color`. */
  readonly place: string;
  /** The field of the object, `spec.lights[0].color`. */
  readonly field: string;
  /** Of a refusal: the API server's words. */
  readonly message?: string;
  /** The value that the old and the new revision store; undefined for none. */
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
}

/** What an object shows of two versions: nothing if the old one rejects it, or both do the same. */
export function effectsOf(
  old: RevisionVersion,
  after: RevisionVersion,
  object: JsonObject,
): readonly Effect[] {
  const first = old.store(object);
  if (!first.allowed || first.object === undefined) return [];
  const second = after.store(object);
  if (!second.allowed || second.object === undefined) return refusals(after, object, second.status);
  return changesOf(contentOf(first.object), contentOf(second.object)).map((change) =>
    effectOf(change, object, old.schema, after.schema),
  );
}

function refusals(
  { schema, name }: RevisionVersion,
  object: JsonObject,
  status: JsonObject | undefined,
): readonly Effect[] {
  const causes = get(status, "details", "causes");
  const listed = (isArray(causes) ? causes : []).map((cause): Effect => {
    const message = String(get(cause, "message") ?? "");
    const field = fieldIn(String(get(cause, "field") ?? ""), message);
    return { effect: "refused", place: placeOfField(field, object, schema), field, message };
  });
  const known = listed.filter(
    ({ message }) => !message?.startsWith("Invalid value: null: some validation rules"),
  );
  if (known.length > 0) return known;
  const message = String(get(status, "message") ?? `version ${name} is not served`);
  return [{ effect: "refused", place: "", field: "", message }];
}

/** The field of a cause; of some faults the API server names it in the sentence alone. */
function fieldIn(field: string, message: string): string {
  const [, quoted, last] = /^Invalid value: "": (?:"([^"]+)" must |.* in (\S+)$)/.exec(message) ?? [];
  return field === "<nil>" ? (quoted ?? last ?? field) : field;
}

/** The place in the schema of a field as the API server prints it, its indexes and keys of maps left out. */
function placeOfField(field: string, object: JsonObject, schema: JsonObject): string {
  return field === "" || field === "<nil>" ? "" : placeOfPath(pathIn(`.${field}`, object), schema);
}

/** The path of a field below a value, `.a.b[0]`. Keys of maps are not escaped, so that only the object tells where one ends. */
function pathIn(field: string, value: Json | undefined): Path {
  if (field === "") return [];
  const keys = isObject(value) ? Object.keys(value).toSorted((a, b) => b.length - a.length) : [];
  const forms = keys.flatMap((key) => [[key, `.${key}`] as const, [key, `[${key}]`] as const]);
  const [key, form] = forms.find(([, text]) => field.startsWith(text) && ends(field, text.length)) ?? [];
  if (key !== undefined && form !== undefined)
    return [key, ...pathIn(field.slice(form.length), get(value, key))];
  // An item of a list, or what is missing.
  const [whole = field, index, quoted, name] = /^(?:\[(\d+)\]|\[([^\]]*)\]|\.?([^.[]+))/.exec(field) ?? [];
  const step = index === undefined ? (quoted ?? name ?? whole) : Number(index);
  const below = typeof step === "number" && isArray(value) ? value[step] : undefined;
  return [step, ...pathIn(field.slice(whole.length), below)];
}

function ends(field: string, at: number): boolean {
  return at === field.length || field[at] === "." || field[at] === "[";
}

/** A value that two objects have otherwise; undefined for none. */
export interface Change {
  readonly path: Path;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Where two stored objects differ, as deep as they have the same form. */
export function changesOf(
  before: Json | undefined,
  after: Json | undefined,
  path: Path = [],
): readonly Change[] {
  if (equal(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changesOf(get(before, name), get(after, name), [...path, name]));
  }
  if (isArray(before) && isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => changesOf(item, after[index], [...path, index]));
  }
  return [{ path, before, after }];
}

function effectOf(
  { path, before, after }: Change,
  written: JsonObject,
  oldSchema: JsonObject,
  newSchema: JsonObject,
): Effect {
  const schema = before === undefined ? newSchema : oldSchema;
  const sent = valueAt(written, path);
  const isDropped = before !== undefined && after === undefined && sent !== undefined;
  // A null that was sent and is not stored as null was replaced by a default.
  const isKept =
    before === undefined && after !== undefined && sent !== undefined && (sent !== null || after === null);
  return {
    effect: isDropped ? "pruned" : isKept ? "kept" : "defaulted",
    place: placeOfPath(path, schema),
    field: fieldOf(path),
    before,
    after,
  };
}

/** What two effects have in common that are one finding: the place and, of a refusal, the words without the value and the field. */
export function sortOf({ effect, place, field, message = "" }: Effect): string {
  const words = (field === "" ? message : message.replaceAll(field, place))
    .replaceAll(/\[\d+\]/g, "[]")
    .replace(/^((?:Invalid|Unsupported|Duplicate) value|Too long|Too many): .*?(?=: |$)/s, "$1")
    .replace(/^(Duplicate value|Unsupported value).*/s, "$1");
  return [effect, place, words].join("\0");
}
