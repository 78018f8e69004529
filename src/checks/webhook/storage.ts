import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { valueAt, withAt } from "./build.ts";
import { isZero } from "./changes.ts";
import { placeIn, type SubjectVersion } from "./subject.ts";

/**
 * Where a webhook stores what a version cannot express: annotations that it adds, and values that it adds at places which the
 * schema leaves open. What stands there is the webhook's own: no client edits it, and it may change with every conversion.
 */
export class Storage {
  readonly #annotations = new Set<string>();
  /** By version, the places. */
  readonly #places = new Map<string, Set<string>>();

  /** Learns from an object and what the webhook made of it. */
  learn(object: JsonObject, version: SubjectVersion, made: JsonObject): void {
    const before = get(object, "metadata", "annotations");
    for (const name of namesIn(get(made, "metadata", "annotations")))
      if (get(before, name) === undefined) this.#annotations.add(patternOf(name));
    for (const path of openPaths(made, version.schema))
      if (isZero(valueAt(object, path)) && !isZero(valueAt(made, path))) this.#learnPlace(version, path);
  }

  #learnPlace(version: SubjectVersion, path: Path): void {
    const places = this.#places.get(version.name) ?? new Set<string>();
    places.add(placeIn(version, path));
    this.#places.set(version.name, places);
  }

  /** An object without what a webhook stored in it. */
  stripped(object: JsonObject, version: SubjectVersion): JsonObject {
    return this.#withoutPlaces(this.#withoutAnnotations(object), version);
  }

  #withoutAnnotations(object: JsonObject): JsonObject {
    const annotations = get(object, "metadata", "annotations");
    if (!isObject(object.metadata) || !isObject(annotations) || this.#annotations.size === 0) return object;
    const kept = Object.entries(annotations).filter(([name]) => !this.#annotations.has(patternOf(name)));
    const left = kept.length === 0 ? undefined : Object.fromEntries(kept);
    return { ...object, metadata: set(object.metadata, "annotations", left) };
  }

  #withoutPlaces(object: JsonObject, version: SubjectVersion): JsonObject {
    const places = this.#places.get(version.name);
    if (places === undefined) return object;
    const paths = openPaths(object, version.schema).filter((path) => places.has(placeIn(version, path)));
    return paths.toReversed().reduce((here, path) => withAt(here, path, undefined) as JsonObject, object);
  }
}

/** The paths of all values of an object that its schema leaves open. */
export function openPaths(object: JsonObject, schema: Json | undefined): readonly Path[] {
  const found: Path[] = [];
  const visit = (value: Json | undefined, here: Json | undefined, path: Path): void => {
    if (isOpen(here)) found.push(path);
    else if (isArray(value))
      for (const [index, item] of value.entries()) visit(item, get(here, "items"), [...path, index]);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value))
        visit(each, get(here, "properties", name) ?? get(here, "additionalProperties"), [...path, name]);
  };
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
  visit(content, schema, []);
  return found;
}

/** Whether a schema says nothing of what stands below it. */
function isOpen(schema: Json | undefined): boolean {
  return get(schema, "x-kubernetes-preserve-unknown-fields") === true && !isObject(get(schema, "properties"));
}

function namesIn(value: Json | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

/** The name of an annotation without a hash in it. */
function patternOf(name: string): string {
  return name.replaceAll(/[0-9a-f]{8,}/g, "#");
}
