import { equal, get, isArray, isObject, type Json, type JsonObject, set } from "antechamber";

/** A function that adds defaults to an object; the same object if nothing is missing. */
export type Fill = (object: JsonObject) => JsonObject;

/** Sets a value if the field is absent, null or zero in Go: an empty string or 0. */
export function fillZero(key: string, value: Json): Fill {
  const zeros: readonly (Json | undefined)[] = [undefined, null, typeof value === "number" ? 0 : ""];
  return (object) => (zeros.includes(get(object, key)) ? set(object, key, value) : object);
}

/** Sets a value if the field is absent or null: the default of a pointer field in Go. */
export function fillNil(key: string, value: Json): Fill {
  return (object) => ((get(object, key) ?? null) === null ? set(object, key, value) : object);
}

/** Several functions, one after the other. */
export function all(...fills: readonly Fill[]): Fill {
  return (object) => fills.reduce((here, next) => next(here), object);
}

/** Applies a function to the object under a key, if there is one. */
export function within(key: string, change: Fill): Fill {
  return (object) => {
    const inner = get(object, key);
    return isObject(inner) ? replaced(object, key, change(inner)) : object;
  };
}

/** The same, but to an empty object if there is none. */
export function withinNew(key: string, change: Fill): Fill {
  return (object) => {
    const inner = get(object, key) ?? null;
    return inner === null ? set(object, key, change({})) : within(key, change)(object);
  };
}

/** Applies a function to every object of the list under a key. */
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
