import { detach } from "../../conversion/carriers.ts";
import { convert } from "../../conversion/convert.ts";
import { type Carried, carriedBy } from "../../conversion/explain.ts";
import { orderKey } from "../../conversion/leaf.ts";
import {
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  set,
} from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { writeYaml } from "../../yaml/yaml.ts";
import { isAt } from "../stands.ts";
import { withCarriersOf } from "../with-carriers.ts";
import { type Step, someone } from "./steps.ts";

/** What a write made of a value that its client could not see. */
export interface Fate {
  /** It was kept, it came back though the client had left it out, it gave way to what the client wrote or no longer applies, or it was lost. */
  readonly sort: "carried" | "returned" | "replaced" | "dropped";
  /** The version that can say it. */
  readonly owner: string;
  /** `spec.lights.lamp-1.color`. */
  readonly place: string;
  /** A scalar as YAML; else empty. */
  readonly value: string;
}

/**
 * What a write made of the values that its client had read without seeing them: `before` is what it read, with all carriers. Lost is
 * what the same content would have brought back with those carriers.
 */
export function fatesOf(kind: Kind, step: Step, before: JsonObject, stored: JsonObject): readonly Fate[] {
  const hub = kind.versions.length - 1;
  const at = versionIn(kind, before);
  const content = detach(convert(stored, kind.chain, hub, at)).object;
  const whole = convert(asRead(withCarriersOf(content, before), before), kind.chain, at, hub);
  const isReturned = isWithout(step);
  const applied = appliedIn(before, step);
  return [...carriedBy(before)].flatMap(([name, values]) => {
    const owner = kind.versions.find((each) => each.name === name) ?? kind.hub;
    const shown = (object: JsonObject) =>
      detach(convert(object, kind.chain, hub, kind.versions.indexOf(owner))).object;
    const [now, otherwise] = [shown(stored), shown(whole)];
    return values.flatMap(({ place, value, why }) => {
      // A new object has no status, whatever its client sends.
      if (value === undefined || ("restore" in step && place[0] === "status")) return [];
      const isThere = isAt(now, place, value);
      // What its version says too was not unseen.
      if (isThere && why === "shared word") return [];
      const kept = isReturned ? "returned" : "carried";
      const isOwn = applied.some((fields) => holds(fields, place));
      const gone = isAt(otherwise, place, value) && !isOwn ? "dropped" : "replaced";
      return [{ sort: isThere ? kept : gone, owner: owner.name, ...textsOf(place, value) } as const];
    });
  });
}

/** What a client wrote that its own version does not show any more: where a webhook only maps fields, the newest version lacks it. */
export function lostWords(kind: Kind, written: JsonObject, stored: JsonObject): readonly Fate[] {
  const hub = kind.versions.length - 1;
  const at = versionIn(kind, written);
  const version = kind.versions[at];
  if (version === undefined) return [];
  const now = convert(stored, kind.chain, hub, at);
  const whole = convert(version.schema.prune(detach(written).object).object, kind.chain, at, hub);
  return (carriedBy(whole).get(version.name) ?? []).flatMap(({ place, value }) =>
    value === undefined || place[0] === "status" || isAt(now, place, value)
      ? []
      : [{ sort: "dropped" as const, owner: version.name, ...textsOf(place, value) }],
  );
}

/** What is stored, as a client of a version reads it, with all carriers: also where the webhook only maps fields. */
export function wholeAt(kind: Kind, stored: JsonObject, version: string): JsonObject {
  const to = kind.versions.findIndex(({ name }) => name === version);
  return to < 0 ? stored : convert(stored, kind.chain, kind.versions.length - 1, to);
}

function versionIn({ versions }: Kind, object: JsonObject): number {
  return versions.findIndex(({ apiVersion }) => apiVersion === object.apiVersion);
}

/** Carriers say from which object they were made. */
function asRead(object: JsonObject, before: JsonObject): JsonObject {
  const { uid, generation } = objectAt(before.metadata);
  const metadata = set(set(objectAt(object.metadata), "uid", uid), "generation", generation);
  return set(object, "metadata", metadata);
}

/** Whether a client leaves out what it does not know. */
function isWithout(step: Step): boolean {
  if ("restore" in step) return (step.restore.without ?? []).length > 0;
  if ("replace" in step) return (step.replace.without ?? []).length > 0;
  if (!("patch" in step)) return false;
  const { patch } = step.patch;
  return patch.status === null || get(patch, "metadata", "annotations") === null;
}

/** The fields that the client of an apply has applied before, at any version: it lets go of those that it leaves out now. */
function appliedIn(before: JsonObject, step: Step): readonly JsonObject[] {
  if (!("apply" in step)) return [];
  return listAt(before, "metadata", "managedFields").flatMap((entry) => {
    const isOwn = get(entry, "manager") === (step.apply.by ?? someone) && get(entry, "operation") === "Apply";
    return isOwn ? [objectAt(entry, "fieldsV1")] : [];
  });
}

/** Whether managed fields have the one of a place, or a container of it. */
function holds(fields: JsonObject, [name, ...rest]: Carried["place"]): boolean {
  const below = Object.entries(fields).filter(([key]) => key !== ".");
  if (name === undefined || name === orderKey || below.length === 0) return true;
  return below.some(([key, child]) => {
    const isNamed = key === `f:${name}` || (/^[kv]:/.test(key) && key.includes(JSON.stringify(name)));
    return isNamed && holds(objectAt(child), rest);
  });
}

function textsOf(place: Carried["place"], value: Json): Pick<Fate, "place" | "value"> {
  if (place.at(-1) === orderKey) return { place: `${place.slice(0, -1).join(".")}, its order`, value: "" };
  return {
    place: place.join("."),
    value: isObject(value) || isArray(value) ? "" : writeYaml(value).trimEnd(),
  };
}
