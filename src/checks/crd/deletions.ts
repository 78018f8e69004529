import { apiVersionOf } from "../../apimachinery/resource.ts";
import { get, type Json, type JsonObject } from "../../json/json.ts";
import { fieldOf } from "../../json/path.ts";
import { placeOfPath } from "../../laws/places.ts";
import type { Answer, Crd } from "../../schema/index.ts";
import { changesOf } from "./effects.ts";
import { contentOf } from "./revision.ts";

/** A value of a stored object that a write of something else deletes, or replaces by a default. */
interface Deletion {
  /** The place in the schema, `spec.lights[].color`. */
  readonly place: string;
  /** The field of the object, `spec.lights[0].color`. */
  readonly field: string;
  readonly before: Json;
  /** Undefined where nothing is left. */
  readonly after: Json | undefined;
}

/** An object that a write has stored, as it is read at the storage version; or why every write of it is refused. */
type Rewritten = { readonly object: JsonObject } | { readonly refused: Answer };

/**
 * What becomes of an object, stored as its apiVersion says, when a client writes it at a version without a conversion webhook.
 * The client changes nothing, or nothing but a label. As `antechamber migrate` does, the next version is tried where the object is
 * invalid at one.
 */
export function rewritten(
  crd: Crd,
  stored: JsonObject,
  at: readonly string[],
  change: (object: JsonObject) => JsonObject = (object) => object,
): Rewritten {
  let refused: Answer | undefined;
  for (const version of at) {
    const read = crd.read(stored, version);
    const answer = crd.write({ object: change(read), old: read, fieldValidation: "ignore" });
    if (answer.object !== undefined) return { object: asStored(crd, answer.object) };
    refused ??= answer;
  }
  if (refused === undefined) throw new RangeError("an object is rewritten at one version at least");
  return { refused };
}

/** What the server has stored of an object that it has answered with at another version. */
function asStored(crd: Crd, object: JsonObject): JsonObject {
  const stored = crd.versions.find((version) => version.stored);
  if (stored === undefined || apiVersionOf(crd.group, stored.name) === object.apiVersion) return object;
  return stored.default(crd.read(object, stored.name));
}

/**
 * What a write deletes of a stored object, as the version that it is stored as shows it; nothing where the write is refused.
 * `schema` is the one that it was stored by, the rest as for `rewritten`.
 */
export function deletionsOf(
  crd: Crd,
  stored: JsonObject,
  at: readonly string[],
  schema: JsonObject,
  change?: (object: JsonObject) => JsonObject,
): readonly Deletion[] {
  const after = rewritten(crd, stored, at, change);
  if ("refused" in after) return [];
  return changesOf(contentOf(stored), contentOf(after.object)).flatMap((change) =>
    change.before === undefined
      ? []
      : [
          {
            place: placeOfPath(change.path, schema),
            field: fieldOf(change.path),
            before: change.before,
            after: change.after,
          },
        ],
  );
}

/** The values at one place that are deleted of many objects. */
export interface DeletedPlace {
  readonly place: string;
  readonly objects: number;
  /** The names of the first of them, `namespace/name`. */
  readonly names: readonly string[];
}

const mostNames = 3;

/** Below a map of any values, every key is a place of its own. */
const mostPlaces = 200;

/** Counts what is deleted of many objects, by place, in bounded memory. */
export class DeletionCount {
  readonly #places = new Map<string, { objects: number; names: string[] }>();
  #objects = 0;

  add(object: JsonObject, deletions: readonly Deletion[]): void {
    if (deletions.length === 0) return;
    this.#objects++;
    for (const place of new Set(deletions.map((each) => each.place))) {
      const known = this.#places.get(place);
      if (known === undefined && this.#places.size >= mostPlaces) continue;
      const count = known ?? { objects: 0, names: [] };
      count.objects++;
      if (count.names.length < mostNames) count.names.push(nameOf(object));
      this.#places.set(place, count);
    }
  }

  /** The number of objects that lose something. */
  get objects(): number {
    return this.#objects;
  }

  /** The places, those of most objects first. */
  places(): readonly DeletedPlace[] {
    return [...this.#places]
      .map(([place, count]) => ({ place, ...count }))
      .toSorted((a, b) => b.objects - a.objects);
  }
}

function nameOf(object: JsonObject): string {
  const [namespace, name] = ["namespace", "name"].map((key) => get(object, "metadata", key));
  return typeof namespace === "string" ? `${namespace}/${String(name)}` : String(name);
}
