import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { schemaBelow } from "../../values/smallest.ts";
import { valueAt } from "./build.ts";
import { isZero } from "./changes.ts";
import type { Finding, FindingKind, View } from "./finding.ts";
import { isWithin } from "./findings.ts";
import { placeIn, type SubjectVersion } from "./subject.ts";

/** Findings of which the zero values in a view may be the cause. */
const whole: ReadonlySet<FindingKind> = new Set(["crashed", "refused", "differs", "frozen"]);

/** Fields of an object that say something, by their path and schema. */
type Filter = (path: Path, value: Json, schema: Json | undefined) => boolean;

/**
 * A finding whose views have only what a reader needs: without values that the API server would fill in, and without zero
 * values that the webhook added, as Go prints them. The places of the finding stay.
 */
export function slim(finding: Finding, versions: readonly SubjectVersion[]): Finding {
  const [sent] = finding.views;
  const slimmed = finding.views.map((view): View => {
    const version = versions.find(({ apiVersion }) => apiVersion === view.object.apiVersion);
    if (version === undefined) return view;
    const isOwn = (path: Path) => {
      const text = placeIn(version, path);
      return finding.places.some((place) => isWithin(place, text) || isWithin(text, place));
    };
    const given = (path: Path) => valueAt(sent?.object, path) !== undefined;
    const isShown: Filter = (path, value) => isOwn(path) || given(path) || !isZero(value);
    const isLonger = view !== sent && !whole.has(finding.kind);
    const object = isLonger ? filtered(view.object, version.schema, isShown) : view.object;
    return { ...view, object: withoutDefaults(object, version, isOwn) };
  });
  return { ...finding, views: slimmed };
}

/** An object without the defaults that an API server would fill in again. */
function withoutDefaults(
  object: JsonObject,
  { schema, rules }: SubjectVersion,
  isOwn: (path: Path) => boolean,
): JsonObject {
  const isSet: Filter = (path, value, below) => {
    const otherwise = get(below, "default");
    return isOwn(path) || otherwise === undefined || !equal(value, otherwise);
  };
  const bare = filtered(object, schema, isSet);
  return equal(rules.default(bare), rules.default(object)) ? bare : object;
}

/** An object without the fields that a filter leaves out; those within a field first. Metadata stays. */
function filtered(object: JsonObject, schema: Json, filter: Filter): JsonObject {
  const visit = (value: Json, here: Json | undefined, path: Path): Json => {
    if (isArray(value)) return value.map((item, index) => visit(item, get(here, "items"), [...path, index]));
    if (!isObject(value)) return value;
    const fields = Object.entries(value).flatMap(([name, inner]): readonly (readonly [string, Json])[] => {
      if (path.length === 0 && ["apiVersion", "kind", "metadata"].includes(name)) return [[name, inner]];
      const [at, below] = [[...path, name], schemaBelow(here, name)];
      const made = visit(inner, below, at);
      return filter(at, made, below) ? [[name, made]] : [];
    });
    return Object.fromEntries(fields);
  };
  return visit(object, schema, []) as JsonObject;
}
