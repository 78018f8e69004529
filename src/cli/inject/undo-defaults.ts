import { isArray, isObject, type Json, own } from "../../json/json.ts";

/**
 * What was changed in an object after defaults were filled in, without the defaults. The change must have left everything
 * else as it was, the same values, so that they are recognised by their identity.
 */
export function withoutDefaults(changed: Json, defaulted: Json | undefined, given: Json | undefined): Json {
  if (changed === defaulted) return given ?? null;
  if (isArray(changed) && isArray(defaulted) && isArray(given)) {
    const positions = new Map(defaulted.map((item, index) => [item, index] as const));
    return changed.map((item) => {
      const index = positions.get(item) ?? defaulted.findIndex((each) => isExtended(item, each));
      return index < 0 ? item : withoutDefaults(item, defaulted[index], given[index]);
    });
  }
  if (!isObject(changed) || !isObject(defaulted) || !isObject(given)) return changed;
  return Object.fromEntries(
    Object.entries(changed).flatMap(([key, value]) => {
      const [before, original] = [own(defaulted, key), own(given, key)];
      const isDefault = value === before && original === undefined;
      return isDefault ? [] : [[key, withoutDefaults(value, before, original)] as const];
    }),
  );
}

/** Whether an item of a list is another one with longer lists: a container that got more env, say. */
function isExtended(item: Json, before: Json): boolean {
  if (!isObject(item) || !isObject(before)) return false;
  return Object.entries(before).every(([key, value]) => {
    const now = own(item, key);
    return now === value || (isArray(now) && isArray(value));
  });
}
