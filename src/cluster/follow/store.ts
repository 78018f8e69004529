import { get, type JsonObject, textAt } from "../../json/json.ts";
import type { ObjectChange } from "../../kind/lister.ts";

/** Objects by namespace and name; every method that changes it returns the changes. */
export class ObjectStore {
  readonly #byNamespace = new Map<string, Map<string, JsonObject>>();
  readonly #lists = new Map<string, readonly JsonObject[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The objects of a namespace; the same array until one of them changes. */
  list(namespace: string): readonly JsonObject[] {
    const known = this.#lists.get(namespace);
    if (known !== undefined) return known;
    const found = this.#byNamespace.get(namespace);
    // Empty namespaces are not cached: clients choose their names, so the cache could grow without limit.
    if (found === undefined) return [];
    const list = [...found.values()];
    this.#lists.set(namespace, list);
    return list;
  }

  get(namespace: string, name: string): JsonObject | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  all(): readonly JsonObject[] {
    return [...this.#byNamespace.values()].flatMap((objects) => [...objects.values()]);
  }

  /** Adds or replaces an object. */
  put(after: JsonObject): readonly ObjectChange[] {
    const [namespace, name] = keyOf(after);
    const objects = this.#byNamespace.get(namespace) ?? new Map<string, JsonObject>();
    const before = objects.get(name);
    if (before !== undefined && versionOf(before) === versionOf(after)) return [];
    this.#byNamespace.set(namespace, objects.set(name, after));
    this.#lists.delete(namespace);
    if (before === undefined) this.#size++;
    return [before === undefined ? { after } : { before, after }];
  }

  /** Removes an object. */
  remove(object: JsonObject): readonly ObjectChange[] {
    const [namespace, name] = keyOf(object);
    const objects = this.#byNamespace.get(namespace);
    const before = objects?.get(name);
    if (objects === undefined || before === undefined) return [];
    objects.delete(name);
    if (objects.size === 0) this.#byNamespace.delete(namespace);
    this.#lists.delete(namespace);
    this.#size--;
    return [{ before }];
  }

  /** Replaces all objects. */
  replace(objects: readonly JsonObject[]): readonly ObjectChange[] {
    const listed = new Set(objects.map((object) => keyOf(object).join("/")));
    const gone = this.all().filter((object) => !listed.has(keyOf(object).join("/")));
    return [
      ...gone.flatMap((object) => this.remove(object)),
      ...objects.flatMap((object) => this.put(object)),
    ];
  }
}

function keyOf(object: JsonObject): readonly [namespace: string, name: string] {
  return [textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name")];
}

/** Identifies a state of an object; a recreated object has another uid. */
function versionOf(object: JsonObject): string {
  return `${get(object, "metadata", "uid")}/${get(object, "metadata", "resourceVersion")}`;
}
