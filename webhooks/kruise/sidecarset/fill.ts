import { equal, get, isArray, isObject, type Json, type JsonObject, set } from "antechamber";

/** A change of an object into one that says more; what is complete comes back as it is. */
export type Fill = (object: JsonObject) => JsonObject;

/** Says a value where there is none: absent, null, and the texts and numbers that Go takes for nothing. */
export function fill(key: string, value: Json): Fill {
  const nothing: readonly (Json | undefined)[] = [undefined, null, typeof value === "number" ? 0 : ""];
  return (object) => (nothing.includes(get(object, key)) ? set(object, key, value) : object);
}

/** Says a value where Go has a pointer: zero is said there. */
export function fillNil(key: string, value: Json): Fill {
  return (object) => ((get(object, key) ?? null) === null ? set(object, key, value) : object);
}

/** One change after the other. */
export function all(...fills: readonly Fill[]): Fill {
  return (object) => fills.reduce((here, next) => next(here), object);
}

/** A change of the object under a key, where there is one. */
export function within(key: string, change: Fill): Fill {
  return (object) => {
    const inner = get(object, key);
    return isObject(inner) ? replaced(object, key, change(inner)) : object;
  };
}

/** The same where nothing is there, too. */
export function withinNew(key: string, change: Fill): Fill {
  return (object) => {
    const inner = get(object, key) ?? null;
    return inner === null ? set(object, key, change({})) : within(key, change)(object);
  };
}

/** A change of every object of the list under a key. */
export function each(key: string, change: Fill): Fill {
  return (object) => {
    const list = get(object, key);
    if (!isArray(list)) return object;
    return replaced(
      object,
      key,
      list.map((item) => (isObject(item) ? change(item) : item)),
    );
  };
}

function replaced(object: JsonObject, key: string, value: Json): JsonObject {
  return equal(get(object, key), value) ? object : set(object, key, value);
}
