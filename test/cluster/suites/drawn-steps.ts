import { get, isObject, type Json, type JsonObject, objectAt, set } from "../../../src/json/json.ts";
import type { Kind } from "../../../src/kind/kind.ts";
import type { Part, Step } from "../../../src/play/life/steps.ts";
import { type Draw, pick } from "./draw.ts";

/** The steps of a life, drawn from the examples of a kind: what they say, clients of any version write, in all ways. */
export function drawnSteps(kind: Kind, draw: Draw, name: string): readonly Step[] {
  const born = pick(draw, kind.examples).object;
  const create: Step = {
    create: { object: { ...set(born, "status", undefined), metadata: metadataOf(born, name) } },
  };
  return [create, ...Array.from({ length: 7 }, () => drawnStep(kind, draw))];
}

function metadataOf({ metadata }: JsonObject, name: string): JsonObject {
  const { labels, annotations } = objectAt(metadata);
  return { name, ...(isObject(labels) ? { labels } : {}), ...(isObject(annotations) ? { annotations } : {}) };
}

function drawnStep(kind: Kind, draw: Draw): Step {
  const version = Math.floor(draw() * kind.versions.length);
  const at = kind.versions[version]?.name ?? "";
  const by = pick(draw, ["ida", "bo"]);
  const some = (root: string) => fieldOf(kind, version, root, draw);
  const isOf = (share: number) => draw() < share;
  const way = draw();
  if (way < 0.3) {
    const without = (["annotations", "status", "metadata"] as const).filter((): boolean => isOf(0.4));
    return {
      replace: { at, by, ...(isOf(0.2) ? {} : { change: { spec: some("spec") } }), ...listed(without) },
    };
  }
  if (way < 0.5)
    return { patch: { at, by, patch: { spec: isOf(0.2) ? emptied(some("spec")) : some("spec") } } };
  if (way < 0.75)
    return { apply: { at, by, object: isOf(0.15) ? {} : { spec: some("spec") }, force: isOf(0.6) } };
  if (way < 0.9) {
    const status = some("status");
    return isOf(0.5)
      ? { patch: { at, by, status: true, patch: { status: isOf(0.2) ? null : status } } }
      : { replace: { at, by, status: true, change: { status }, ...listed(isOf(0.5) ? ["status"] : []) } };
  }
  if (way < 0.95)
    return { patch: { at, by, patch: { metadata: { annotations: isOf(0.5) ? null : { note: by } } } } };
  return { read: { at } };
}

function listed(without: readonly Part[]) {
  return without.length === 0 ? {} : { without };
}

/** One or two fields of the spec or status of an example of a version. */
function fieldOf({ examples }: Kind, version: number, root: string, draw: Draw): JsonObject {
  const fields = examples
    .filter((example) => example.version === version)
    .flatMap(({ object }) => Object.entries(objectAt(get(object, root) as Json | undefined)));
  if (fields.length === 0) return {};
  return Object.fromEntries([pick(draw, fields), ...(draw() < 0.3 ? [pick(draw, fields)] : [])]);
}

function emptied(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
}
