import {
  defineKind,
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  lens,
  move,
  set,
  version,
} from "antechamber";

/** Lists of objects without keys, in both versions: steps without a name, variables of which some are hidden, desks in rooms. */
const lists = lens(
  move("spec.steps", "spec.steps", {
    up: (steps) => each(steps, (step) => renamed(step, "command", "run")),
    down: (steps) => each(steps, (step) => renamed(step, "run", "command")),
  }),
  move("spec.env", "spec.env", {
    up: (env) => each(env, (variable) => variable),
    down: (env) => each(env, (variable) => (get(variable, "secret") === undefined ? variable : undefined)),
    lossy: "a list of secrets alone is an empty one",
  }),
);

function each(list: Json, map: (item: JsonObject) => JsonObject | undefined): readonly Json[] | undefined {
  return isArray(list) ? list.flatMap((item) => (isObject(item) ? (map(item) ?? []) : [])) : undefined;
}

function renamed(item: JsonObject, from: string, to: string): JsonObject {
  return set(set(item, from, undefined), to, item[from]);
}

export default defineKind({
  group: "office.example.org",
  kind: "Plan",
  plural: "plans",
  scope: "Namespaced",
  versions: [version("v1beta1", lists), version("v1")],
});
