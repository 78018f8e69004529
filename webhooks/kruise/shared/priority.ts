import { type Cause, type JsonObject, own, type Path } from "antechamber";
import { selectorFaults, selectorOf } from "antechamber/apimachinery";
import { required } from "./fault.ts";
import { type Item, integerAt, itemsOf, objectAt, stringAt } from "./read.ts";
import { isEmptySelector } from "./selectors.ts";

/** The first fault of a strategy that says which pods are updated first (OpenKruise, apis/apps/pub, FieldsValidation). */
export function priorityFaults(strategy: JsonObject, path: Path): readonly Cause[] {
  const [weights, orders] = [termsAt(strategy, "weightPriority"), termsAt(strategy, "orderPriority")];
  if (weights.length > 0 && orders.length > 0) {
    return required(path, "only one of weightPriority and orderPriority can be used");
  }
  return [
    ...weights.flatMap(([term, index]) => weightFaults(term, [...path, "weightPriority", index])),
    ...orders.flatMap(([term, index]) =>
      stringAt(term, "orderedKey") === ""
        ? required([...path, "orderPriority", index, "orderedKey"], "order key can not be empty")
        : [],
    ),
  ].slice(0, 1);
}

function termsAt(strategy: JsonObject, key: string): readonly Item<JsonObject>[] {
  return itemsOf(own(strategy, key) as readonly JsonObject[] | undefined);
}

function weightFaults(term: JsonObject, path: Path): readonly Cause[] {
  const [weight, selector] = [integerAt(term, "weight"), objectAt(term, "matchSelector") ?? {}];
  const at = [...path, "matchSelector"];
  if (weight < 0n || weight > 100n) {
    return required([...path, "weight"], "weight must be valid number in the range 1-100");
  }
  if (isEmptySelector(selector)) return required(at, "selector can not be empty");
  const parsed = selectorOf(selector);
  const fault = "fault" in parsed ? parsed.fault : selectorFaults(selector, at)[0];
  return fault === undefined ? [] : required(at, `invalid selector ${fault.message}`);
}
