import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { type Lister, NotSynced, type ObjectChange } from "../../../src/kind/lister.ts";
import type { InjectionRequest } from "../../../webhooks/core/pod/inject.ts";

/** A lister of objects that a test may change. */
export class Shelf implements Lister {
  readonly #objects = new Map<string, JsonObject>();
  readonly #listeners: ((change: ObjectChange) => void)[] = [];

  constructor(objects: Json | undefined = []) {
    for (const object of isArray(objects) ? objects : []) if (isObject(object)) this.put(object);
  }

  readonly list = (namespace: string) =>
    [...this.#objects.values()].filter((each) => namespaceOf(each) === namespace);

  readonly get = (namespace: string, name: string) => this.#objects.get(`${namespace}/${name}`);

  readonly onChange = (listener: (change: ObjectChange) => void) => {
    this.#listeners.push(listener);
    for (const after of this.#objects.values()) listener({ after });
  };

  put(after: JsonObject): void {
    const key = keyOf(after);
    const before = this.#objects.get(key);
    this.#objects.set(key, after);
    for (const listener of this.#listeners) listener(before === undefined ? { after } : { before, after });
  }

  take(before: JsonObject): void {
    this.#objects.delete(keyOf(before));
    for (const listener of this.#listeners) listener({ before });
  }
}

/** A lister whose first list is not complete. */
export const unknown: Lister = {
  list: () => {
    throw new NotSynced("they are not known here yet");
  },
  get: () => {
    throw new NotSynced("they are not known here yet");
  },
  onChange: () => {},
};

export const now = new Date("2026-01-01T00:00:00Z");

/** A request to create a pod; `more` overrides its defaults. */
export function creation(more: {
  readonly sidecarSets?: Json | undefined;
  readonly injectionPolicies?: Json | undefined;
  readonly namespaces?: Json | undefined;
  readonly controllerRevisions?: Json | undefined;
  readonly circumstances?: Partial<InjectionRequest>;
}): InjectionRequest {
  return {
    operation: "CREATE",
    subresource: "",
    namespace: "default",
    now,
    random: () => 0.5,
    listers: {
      sidecarSets: new Shelf(more.sidecarSets),
      injectionPolicies: new Shelf(more.injectionPolicies),
      namespaces: new Shelf(more.namespaces),
      controllerRevisions: new Shelf(more.controllerRevisions),
    },
    gates: {},
    ...more.circumstances,
  };
}

function keyOf(object: JsonObject): string {
  return `${namespaceOf(object)}/${get(object, "metadata", "name")}`;
}

function namespaceOf(object: JsonObject): string {
  return String(get(object, "metadata", "namespace") ?? "");
}
