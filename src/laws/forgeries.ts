import fc from "fast-check";
import { carrierField, carrierPrefix } from "../conversion/carriers.ts";
import { deflated } from "../conversion/platform.ts";
import { writeJson } from "../json/exact.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { anyJson, anyKey, anyText } from "./any.ts";
import { bareOf } from "./bare.ts";

/** Forged carriers, in the annotations and in status: never written by the engine, or written for another object. */
interface Forgery {
  readonly annotations: JsonObject | undefined;
  readonly field: Json | undefined;
}

/**
 * Forgeries that resemble real carriers: forged, truncated, of a wrong type, of another object, outdated, or of an
 * unknown format.
 */
export function forgeriesOf(carriers: fc.Arbitrary<JsonObject>): fc.Arbitrary<Forgery> {
  return fc.record({ annotations: annotationsOf(carriers), field: fieldsOf(carriers) });
}

/** The same for the field in status alone. */
export function fieldsOf(carriers: fc.Arbitrary<JsonObject>): fc.Arbitrary<Forgery["field"]> {
  return fc.option(fieldOf(carriers), { nil: undefined });
}

function fieldOf(carriers: fc.Arbitrary<JsonObject>): fc.Arbitrary<Json> {
  return fc.oneof(
    { arbitrary: fc.tuple(carriers, stamps).map(([real, stamp]) => ({ ...real, ...stamp })), weight: 4 },
    { arbitrary: fc.tuple(forged, stamps).map(([made, stamp]) => ({ ...made, ...stamp })), weight: 4 },
    { arbitrary: anyJson, weight: 1 },
  );
}

/** The same for the annotations alone. */
export function annotationsOf(carriers: fc.Arbitrary<JsonObject>): fc.Arbitrary<Forgery["annotations"]> {
  const field = fieldOf(carriers);
  const text = fc
    .tuple(field, fc.nat(400))
    .map(([value, cut]) => writeJson(value).slice(0, cut < 200 ? undefined : cut - 200));
  const packed = field.map((value) =>
    writeJson({
      ...(isObject(value) ? value : {}),
      deflated: deflated(writeJson(value)),
    }),
  );
  const value = fc.oneof(
    { arbitrary: text, weight: 6 },
    { arbitrary: packed, weight: 1 },
    { arbitrary: fc.constant('{"format":1,"deflated":"AAAA"}'), weight: 1 },
    { arbitrary: anyJson, weight: 1 },
  );
  const key = fc.constantFrom("", "-0", "-ffffffffff", "/x").map((end) => carrierPrefix + end);
  const annotations = fc
    .array(fc.tuple(key, value), { maxLength: 2 })
    .map((entries): JsonObject => Object.fromEntries(entries));
  return fc.option(annotations, { nil: undefined });
}

/** An object with forged carriers instead of its own; its own stay where the forgery has none. */
export function withForgery(object: JsonObject, { annotations, field }: Forgery): JsonObject {
  const marked = annotations === undefined ? object : withAnnotations(object, annotations);
  return field === undefined ? marked : withField(marked, field);
}

/** An object with only forged annotations. */
export function withAnnotations(object: JsonObject, annotations: JsonObject): JsonObject {
  const bare = bareOf(object);
  const metadata = isObject(bare.metadata) ? bare.metadata : {};
  const others = get(metadata, "annotations");
  return set(
    object,
    "metadata",
    set(metadata, "annotations", { ...(isObject(others) ? others : {}), ...annotations }),
  );
}

/** An object with only a forged status field. */
export function withField(object: JsonObject, field: Json): JsonObject {
  return set(object, "status", { ...(isObject(object.status) ? object.status : {}), [carrierField]: field });
}

/** The carrier that an object has in status, if any. */
export function fieldIn(object: JsonObject): JsonObject {
  const field = get(object, "status", carrierField);
  return isObject(field) ? field : {};
}

const stamps: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject[]>(
  {},
  { format: 1 },
  { format: 1, generation: 1 },
  { format: 1, generation: 99, uid: "8a1b7c1e-0001" },
  { format: 1, uid: "8a1b7c1e-0001" },
  { format: 1, uid: "another", generation: 3 },
  { format: 1, uid: 7, generation: "7" },
  { format: 2 },
  { format: "1" },
);

/** A tree that resembles leaves: marks at any level, below names of real fields. */
const tree: fc.Arbitrary<Json> = fc.letrec<{ node: Json; leaf: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthIdentifier: "tree" },
    { arbitrary: tie("leaf"), weight: 1 },
    {
      arbitrary: fc
        .array(
          fc.tuple(
            fc.oneof(
              fc.constantFrom("spec", "status", "metadata", "phase", "conditions", "conversionData"),
              anyKey,
            ),
            tie("node"),
          ),
          {
            maxLength: 3,
            depthIdentifier: "tree",
          },
        )
        .map((entries): Json => Object.fromEntries(entries)),
      weight: 3,
    },
  ),
  leaf: fc
    .array(fc.tuple(fc.constantFrom("=", "~", "^"), fc.oneof(anyText, fc.array(anyJson, { maxLength: 2 }))), {
      maxLength: 3,
    })
    .map((entries): Json => Object.fromEntries(entries)),
})).node;

const forged: fc.Arbitrary<JsonObject> = fc
  .tuple(tree, tree, tree, fc.constantFrom("v1", "v1beta1", "v1alpha1", "__proto__"))
  .map(([hub, spoke, stored, name]): JsonObject => ({ format: 1, hub, spokes: { [name]: spoke }, stored }));
