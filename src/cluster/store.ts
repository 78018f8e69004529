import { get, type JsonObject } from "../json/json.ts";
import type { ObjectChange } from "../lister.ts";

/** Objects by namespace and name; every change of it is told as it is made. */
export class ObjectStore {
  readonly #byNamespace = new Map<string, Map<string, JsonObject>>();
  readonly #lists = new Map<string, readonly JsonObject[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The objects of a namespace; the very same list while nothing in it changes. */
  list(namespace: string): readonly JsonObject[] {
    const known = this.#lists.get(namespace);
    if (known !== undefined) return known;
    const found = this.#byNamespace.get(namespace);
    // Nothing is remembered of namespaces that hold nothing: their names are anybody's.
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

  /** Takes in an object that came or changed. */
  put(after: JsonObject): readonly ObjectChange[] {
    const [namespace, name] = placeOf(after);
    const objects = this.#byNamespace.get(namespace) ?? new Map<string, JsonObject>();
    const before = objects.get(name);
    if (before !== undefined && versionOf(before) === versionOf(after)) return [];
    this.#byNamespace.set(namespace, objects.set(name, after));
    this.#lists.delete(namespace);
    if (before === undefined) this.#size++;
    return [before === undefined ? { after } : { before, after }];
  }

  /** Forgets an object that went. */
  remove(object: JsonObject): readonly ObjectChange[] {
    const [namespace, name] = placeOf(object);
    const objects = this.#byNamespace.get(namespace);
    const before = objects?.get(name);
    if (objects === undefined || before === undefined) return [];
    objects.delete(name);
    if (objects.size === 0) this.#byNamespace.delete(namespace);
    this.#lists.delete(namespace);
    this.#size--;
    return [{ before }];
  }

  /** Holds these objects and no others. */
  replace(objects: readonly JsonObject[]): readonly ObjectChange[] {
    const listed = new Set(objects.map((object) => placeOf(object).join("/")));
    const gone = this.all().filter((object) => !listed.has(placeOf(object).join("/")));
    return [
      ...gone.flatMap((object) => this.remove(object)),
      ...objects.flatMap((object) => this.put(object)),
    ];
  }
}

function placeOf(object: JsonObject): readonly [namespace: string, name: string] {
  const [namespace, name] = [get(object, "metadata", "namespace"), get(object, "metadata", "name")];
  return [typeof namespace === "string" ? namespace : "", typeof name === "string" ? name : ""];
}

/** Told by the API server for every state of an object; one that was made again has another uid, too. */
function versionOf(object: JsonObject): string {
  return `${get(object, "metadata", "uid")}/${get(object, "metadata", "resourceVersion")}`;
}
