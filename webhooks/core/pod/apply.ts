import { isArray, isObject, type Json, type JsonArray, type JsonObject, own, set } from "antechamber";
import type { Contribution } from "./clause.ts";
import type { Plan, PlannedApp, PlannedContainer } from "./planned.ts";

/**
 * The pod with everything that a plan adds. What the plan does not name is left as it is, and shared with the argument.
 */
export function apply(pod: JsonObject, plan: Plan): JsonObject {
  const spec = own(pod, "spec");
  const changed = withSpec(isObject(spec) ? spec : {}, plan);
  const metadata = withAnnotations(own(pod, "metadata"), plan.annotations);
  const before = changed === spec || Object.keys(changed).length === 0 ? pod : set(pod, "spec", changed);
  return metadata === undefined ? before : set(before, "metadata", metadata);
}

function withAnnotations(
  metadata: JsonObject[string] | undefined,
  planned: Plan["annotations"],
): JsonObject | undefined {
  if (planned.length === 0) return undefined;
  const whole = isObject(metadata) ? metadata : {};
  const annotations = own(whole, "annotations");
  const added = Object.fromEntries(planned.map(({ key, value }) => [key, value]));
  return set(whole, "annotations", isObject(annotations) ? { ...annotations, ...added } : added);
}

function withSpec(spec: JsonObject, plan: Plan): JsonObject {
  const changes: Record<string, Json> = {};
  const change = (key: string, update: (list: Json | undefined) => Json | undefined) => {
    const list = own(spec, key);
    const after = update(list);
    if (after !== undefined && after !== list) changes[key] = after;
  };
  change("initContainers", (list) =>
    withContainers(withApp(list, "initContainers", plan), plan.initContainers),
  );
  change("containers", (list) => withContainers(withApp(list, "containers", plan), plan.containers));
  change("volumes", (list) => withMore(list, plan.volumes));
  change("imagePullSecrets", (list) => withMore(without(list, plan.repeatedSecrets), plan.imagePullSecrets));
  return Object.keys(changes).length === 0 ? spec : { ...spec, ...changes };
}

function withApp(list: Json | undefined, name: PlannedApp["list"], { app }: Plan): Json | undefined {
  if (app.length === 0 || !isArray(list)) return list;
  const additions = Map.groupBy(
    app.filter((each) => each.list === name),
    ({ index }) => index,
  );
  if (additions.size === 0) return list;
  return list.map((container, index) =>
    isObject(container) ? (additions.get(index) ?? []).reduce(withAddition, container) : container,
  );
}

function withAddition(container: JsonObject, { env, volumeMounts }: PlannedApp): JsonObject {
  const extended = (here: JsonObject, key: string, more: readonly JsonObject[]) =>
    more.length === 0 ? here : set(here, key, [...itemsOf(own(here, key)), ...more]);
  return extended(extended(container, "env", env), "volumeMounts", volumeMounts);
}

function withContainers(
  list: JsonObject[string] | undefined,
  planned: readonly PlannedContainer[],
): JsonObject[string] | undefined {
  if (planned.length === 0) return list;
  const replaced = new Map<number, JsonObject>();
  const before: Json[] = [];
  const after: Json[] = [];
  for (const { position, container } of planned) {
    if (typeof position === "number") replaced.set(position, container);
    else (position === "before" ? before : after).push(container);
  }
  const kept = itemsOf(list).map((each, index) => replaced.get(index) ?? each);
  return [...before, ...kept, ...after];
}

function withMore(
  list: JsonObject[string] | undefined,
  more: readonly Contribution[],
): JsonObject[string] | undefined {
  return more.length === 0 ? list : [...itemsOf(list), ...more.map(({ object }) => object)];
}

function without(
  list: JsonObject[string] | undefined,
  indexes: readonly number[],
): JsonObject[string] | undefined {
  if (indexes.length === 0) return list;
  const removed = new Set(indexes);
  return itemsOf(list).filter((_, index) => !removed.has(index));
}

function itemsOf(list: JsonObject[string] | undefined): JsonArray {
  return isArray(list) ? list : [];
}
