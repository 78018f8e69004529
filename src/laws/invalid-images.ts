import fc from "fast-check";
import { mapFields } from "../json/copy.ts";
import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Version } from "../kind/kind.ts";
import type { SchemaFault } from "../schema/model/fault.ts";
import { admitted, faultsAt } from "./admitted.ts";
import { bareOf } from "./bare.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { edited, editsOf } from "./edits.ts";
import { harvestsOf } from "./harvest.ts";
import { withHints } from "./hints.ts";
import { objectsOf } from "./objects.ts";
import { placeOfPath } from "./places.ts";
import { type Setting, trip, versionAt } from "./setting.ts";
import { smallest } from "./smallest.ts";
import { valuesOf } from "./values.ts";

/**
 * An object that one version admits and another forbids once it is converted (law 9). The cause is not the conversion but
 * the schemas, which differ: an API server validates a write only by the schema of the version that it uses.
 */
export interface InvalidImage {
  /** The fault in the other version, in the API server's words. */
  readonly field: string;
  readonly message: string;
  /** The smallest object found that is valid while its image is not. */
  readonly object: JsonObject;
}

/** The most faults to report for one place. */
const mostOfOnePlace = 3;

/**
 * The images of a version's objects that another version forbids, found by trying a number of objects. Deterministic by
 * the seed.
 */
export function invalidImages(
  setting: Setting,
  from: number,
  to: number,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): readonly InvalidImage[] {
  const [source, target] = [versionAt(setting, from), versionAt(setting, to)];
  const imageFaults = (object: JsonObject) =>
    faultsAt(target, trip(setting, object, from, to)).filter(({ path }) => path !== undefined);
  const schema = contentSchemaOf(target.entry);
  const found = new Map<string, { readonly object: JsonObject; readonly place: string }>();
  for (const drawn of fc.sample(objectsFor(setting, from, to), { numRuns: runs, seed })) {
    const object = admitted(source, asCreated(setting, drawn));
    if (object === undefined) continue;
    for (const fault of imageFaults(object)) {
      const place = placeOfPath(fault.path ?? [], schema);
      const alike = [...found.values()].filter((each) => each.place === place).length;
      const sort = sortOf(fault, place);
      const known = found.get(sort);
      if (known === undefined ? alike < mostOfOnePlace : sizeOf(object) < sizeOf(known.object))
        found.set(sort, { object, place });
    }
  }
  return [...found].map(([sort, { object }]) => {
    const fault = (each: JsonObject) =>
      imageFaults(each).find((it) => sortOf(it, placeOfPath(it.path ?? [], schema)) === sort);
    const least = smallest(object, (each) => isAdmitted(source, each) && fault(each) !== undefined);
    const { field = "", message = "" } = fault(least) ?? {};
    return { field, message, object: least };
  });
}

/**
 * Objects of one version: all examples, with some edits, objects drawn from the schema, and what the lens makes of objects that keep
 * the other version's types but not its rules.
 */
function objectsFor(setting: Setting, from: number, to: number): fc.Arbitrary<JsonObject> {
  const { kind, engine } = setting;
  const [own, other] = [from, to].map((each) => contentSchemaOf(versionAt(setting, each).entry));
  const [found, foundThere] = [from, to].map((each) => harvestsOf(kind, engine)[each] ?? new Map());
  const hinted = withHints(found ?? new Map(), own ?? {}, other ?? {});
  const typed = typesOf(other ?? {}) as JsonObject;
  const typedValues = valuesOf(typed, "", withHints(foundThere ?? new Map(), typed, other ?? {}), "valid");
  const { apiVersion } = versionAt(setting, to);
  const identity = { apiVersion, kind: kind.definition.kind, metadata: { name: "one" } };
  const converted = typedValues.map((content) => {
    try {
      return bareOf(trip(setting, { ...(isObject(content) ? content : {}), ...identity }, to, from));
    } catch {
      // A lens may count on what its schema allows, and that is what the drawn object lacks.
      return {};
    }
  });
  const drawn = fc.oneof(objectsOf(kind, from, hinted).valid, converted);
  const [first, ...more] = kind.examples.map(({ object, version }) =>
    bareOf(trip(setting, object, version, from)),
  );
  if (first === undefined) return drawn;
  const edits = fc.array(editsOf(kind, from, hinted), { maxLength: 3 });
  const changed = fc
    .tuple(fc.constantFrom(first, ...more), edits)
    .map(([object, these]) => edited(object, these));
  return fc.oneof(drawn, changed);
}

/** A schema without what it forbids of values of the right type. */
function typesOf(schema: Json): Json {
  if (isArray(schema)) return schema.map(typesOf);
  if (!isObject(schema)) return schema;
  const { properties, enum: _, ...others } = schema;
  const kept = Object.entries(others).filter(([name]) => !rules.has(name));
  const below = isObject(properties) ? { properties: mapFields(properties, typesOf) } : {};
  return { ...Object.fromEntries(kept.map(([name, each]) => [name, typesOf(each)])), ...below };
}

const rules = new Set(
  "minimum maximum minLength maxLength minItems maxItems minProperties maxProperties pattern required x-kubernetes-validations".split(
    " ",
  ),
);

/** An object as its author creates it: with only name, labels and annotations as metadata. */
function asCreated({ kind }: Setting, object: JsonObject): JsonObject {
  const { apiVersion = "", kind: name = "", metadata, ...content } = object;
  const { labels, annotations } = isObject(metadata) ? metadata : {};
  const namespace = kind.definition.scope === "Namespaced" ? { namespace: "home" } : {};
  const marks = {
    ...(isObject(labels) ? { labels } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
  };
  return { apiVersion, kind: name, metadata: { name: "one", ...namespace, ...marks }, ...content };
}

function isAdmitted(version: Version, object: JsonObject): boolean {
  return faultsAt(version, object).length === 0;
}

/** What faults of one finding have in common: the place, and the message without the value. */
function sortOf({ type, message }: SchemaFault, place: string): string {
  const detail = type === "FieldValueInvalid" ? message.slice(message.lastIndexOf(": ")) : "";
  // Some messages repeat the field with the item's index.
  return [place, type, detail.replaceAll(/\[\d+\]/g, "[]")].join("\0");
}

function sizeOf(object: JsonObject): number {
  return JSON.stringify(object).length;
}
