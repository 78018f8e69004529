import fc from "fast-check";
import type { FieldSteps } from "../conversion/row-fields.ts";
import { firstOfList } from "../conversion/rows.ts";
import { image } from "../conversion/version-chain.ts";
import { mapFields } from "../json/copy.ts";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { bareOf, contentOf } from "./bare.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { type Claim, claim, type Finding, type Law, type View } from "./law.ts";
import { leafRowsOf } from "./leaf-rows.ts";
import { type Change, changesOf } from "./lens-change.ts";
import { objectsOf } from "./objects.ts";
import { type Setting, versionAt, wayOf } from "./setting.ts";
import { suggestionsOf } from "./suggestions.ts";

/** What a lens does without the complement, which would repair what the lens gets wrong. */
export const faithful: Law = {
  name: "Faithful",
  statement:
    "By the lens alone, a value comes back from another version as it was, or not at all. Only a row that says why it is lossy may bring back another value, and a second round trip changes nothing more.",
  claims: (setting) =>
    setting.spokes.flatMap((older) => [
      comesBack(setting, older, older + 1),
      comesBack(setting, older + 1, older),
      settles(setting, older, older + 1),
      settles(setting, older + 1, older),
    ]),
};

/** Contents of a version: of its examples, of those of other versions, and valid ones with values that its fields suggest. */
export function contentsAt({ kind }: Setting, version: number): fc.Arbitrary<JsonObject> {
  const drawn = objectsOf(kind, version, suggestionsOf(kind, version)).valid;
  const shown = kind.examples.map((each) =>
    image(contentOf(bareOf(each.object), kind.chain.mapped), kind.chain, each.version, version),
  );
  const made = drawn.map((object) =>
    image(contentOf(object, kind.chain.mapped), kind.chain, version, version),
  );
  if (shown.length === 0) return made;
  return fc.oneof({ arbitrary: made, weight: 6 }, { arbitrary: fc.constantFrom(...shown), weight: 1 });
}

function comesBack(setting: Setting, from: number, over: number): Claim {
  const lossy = lossyFields(setting, Math.min(from, over));
  return claim(
    "a value comes back as it was, or not at all",
    wayOf(setting, from, over, from),
    contentsAt(setting, from),
    (content) => {
      const { shown, back } = tripOf(setting, content, from, over);
      const schema = contentSchemaOf(versionAt(setting, from).entry);
      const changes = changesOf(content, withKeysOf(back, content, schema) as JsonObject, schema);
      const [change] = changes.filter(({ path }) => !isWithin(path, lossy));
      return findingOf(content, change, [viewOf(setting, over, shown), viewOf(setting, from, back)], hint);
    },
  );
}

/**
 * A value in which items that have the default of a key have the key of another value's item in their place: without a field for it, the
 * other version tells items of the default alone, as the API server does.
 */
function withKeysOf(back: Json, content: Json | undefined, schema: Json | undefined): Json {
  if (isObject(back))
    return mapFields(back, (value, name) =>
      withKeysOf(
        value,
        get(content, name),
        get(schema, "properties", name) ?? get(schema, "additionalProperties"),
      ),
    );
  if (!isArray(back) || !isArray(content) || back.length !== content.length) return back;
  const [items, keys] = [get(schema, "items"), get(schema, "x-kubernetes-list-map-keys")];
  return back.map((item, at) => {
    const own = withKeysOf(item, content[at], items);
    const names = isArray(keys) ? keys.map(String) : [];
    return names.reduce((here, key) => {
      const filled = get(items, "properties", key, "default");
      const isFilled = filled !== undefined && equal(get(here, key), filled);
      return isObject(here) && isFilled ? set(here, key, get(content[at], key)) : here;
    }, own);
  });
}

const hint =
  'mend the row of this field; if the other version has no better value, say why with lossy: "…" in the row';

function settles(setting: Setting, from: number, over: number): Claim {
  return claim(
    "a second round trip changes nothing more",
    wayOf(setting, from, over, from, over, from),
    contentsAt(setting, from),
    (content) => {
      const first = tripOf(setting, content, from, over);
      const second = tripOf(setting, first.back, from, over);
      const [change] = changesOf(first.back, second.back, contentSchemaOf(versionAt(setting, from).entry));
      const views = [first, second].flatMap(({ shown, back }) => [
        viewOf(setting, over, shown),
        viewOf(setting, from, back),
      ]);
      return findingOf(content, change, views, apart);
    },
  );
}

const apart = "up and down of the row do not belong together; each must read what the other writes";

function tripOf({ kind }: Setting, content: JsonObject, from: number, over: number) {
  const shown = image(content, kind.chain, from, over);
  return { shown, back: image(shown, kind.chain, over, from) };
}

function findingOf(
  content: JsonObject,
  change: Change | undefined,
  views: readonly View[],
  hint: string,
): Finding {
  if (change === undefined) return undefined;
  const { field, expected, actual } = change;
  return { object: content, steps: [], views, hint, field, expected, actual };
}

function viewOf(setting: Setting, version: number, object: JsonObject): View {
  return { what: `${versionAt(setting, version).name}, by the lens alone`, object };
}

/** The fields that rows between a version and the next newer one call lossy; of a lens written by hand those that it names. */
function lossyFields({ kind }: Setting, older: number): readonly FieldSteps[] {
  const { rows, lossy = {} } = kind.chain.versions[older]?.lens ?? {};
  if (rows === undefined) return Object.keys(lossy).map((field) => field.split("."));
  const lists = Object.entries(lossy).flatMap(([field, reason]) =>
    reason === firstOfList ? [field.split(".")] : [],
  );
  const own = leafRowsOf(rows).flatMap(({ row, older, newer }) => {
    const names = [...Object.keys(row.older), ...Object.keys(row.newer)];
    return [...older, ...newer].filter((_, at) =>
      typeof row.lossy === "object" ? Object.hasOwn(row.lossy, names[at] ?? "") : row.lossy !== undefined,
    );
  });
  return [...lists, ...own];
}

/** Whether a field is one of some fields or stands below one. Steps of a field lead through lists, or name them by `[]`. */
function isWithin(path: Path, fields: readonly FieldSteps[]): boolean {
  return fields.some((field) => startsWith(path, field));
}

function startsWith([step, ...rest]: Path, field: FieldSteps): boolean {
  const [first, ...others] = field;
  if (first === undefined) return true;
  if (step === undefined) return false;
  if (step === first || first === "[]") return startsWith(rest, others);
  return typeof step === "number" && startsWith(rest, field);
}
