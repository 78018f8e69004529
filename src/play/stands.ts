import { orderKey } from "../conversion/leaf.ts";
import { equal } from "../json/equal.ts";
import { jsonIn, writeJson } from "../json/exact.ts";
import { isArray, isObject, type Json, own } from "../json/json.ts";

/** Whether a value stands at a place, which names items of lists by their keys; items without keys may have moved. */
export function isAt(here: Json | undefined, place: readonly string[], value: Json): boolean {
  const [step, ...rest] = place;
  if (step === undefined) return here !== undefined && equal(here, value);
  if (step === orderKey) return isInOrder(here, value);
  if (isArray(here)) {
    const named = here.filter((item) => isOf(item, step));
    const candidates = named.length === 0 && /^\d+$/.test(step) ? here : named;
    return candidates.some((item) => isAt(item, rest, value));
  }
  return isAt(own(here, step), rest, value);
}

/** Whether an item of a list is the one of a key: it is that text, has it in a field, or the parts of it in several. */
function isOf(item: Json, key: string): boolean {
  if (!isObject(item)) return item === key || writeJson(item) === key;
  const texts = Object.values(item).map((each) => (typeof each === "string" ? each : writeJson(each)));
  if (texts.includes(key)) return true;
  const parts = key.startsWith("[") ? jsonIn(key) : undefined;
  return (
    isArray(parts) && parts.every((part) => texts.includes(typeof part === "string" ? part : writeJson(part)))
  );
}

/** Whether the items of a list that have these keys follow each other as the keys do. */
function isInOrder(here: Json | undefined, keys: Json): boolean {
  if (!isArray(here) || !isArray(keys)) return false;
  const found = keys.map((key) => here.findIndex((item) => isOf(item, String(key)))).filter((at) => at >= 0);
  return found.every((at, index) => index === 0 || at > (found[index - 1] ?? 0));
}
