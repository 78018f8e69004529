import { get, isObject, type JsonObject } from "../../src/json/json.ts";
import { crdOf, type Write, wholeObject } from "./schemas-cases.ts";
import { type Dice, drawn } from "./schemas-dice.ts";
import { drawRoot, spoilt } from "./schemas-draw-schema.ts";
import { changed, metadataFor, valueFor } from "./schemas-draw-value.ts";

/** A kind drawn at random, and writes to it: valid, nearly valid and hostile ones. */
export interface DrawnKind {
  readonly crd: JsonObject;
  readonly writes: readonly Write[];
}

/** Draws kinds from a seed. Not every one of their CRDs is valid. */
export function drawKinds(seed: number, kinds: number, writesEach: number): readonly DrawnKind[] {
  return drawn(seed, kinds, (dice) => drawKind(dice, writesEach)).map(
    ({ schema, details, writes }, index) => {
      const crd = crdOf(`drawn${seed}x${index}`, schema, details);
      return { crd, writes: writes.map((write) => wholeWrite(crd, write)) };
    },
  );
}

/** Draws CRDs, most of them with one fault. */
export function drawCrds(seed: number, count: number): readonly JsonObject[] {
  const all = drawn(seed, count, (dice) => {
    const hasStatus = dice.chance(35);
    return { schema: spoilt(dice, drawRoot(dice, hasStatus)), details: detailsOf(dice, hasStatus) };
  });
  return all.map(({ schema, details }, index) => crdOf(`spoilt${seed}x${index}`, schema, details));
}

function drawKind(dice: Dice, count: number) {
  const hasStatus = dice.chance(35);
  const schema = drawRoot(dice, hasStatus);
  const writes = Array.from({ length: count }, () => drawWrite(dice, schema, hasStatus));
  return { schema, details: detailsOf(dice, hasStatus), writes };
}

function detailsOf(dice: Dice, hasStatus: boolean): JsonObject {
  const scale = dice.chance(15)
    ? { scale: { specReplicasPath: dice.pick([".spec.a", ".spec.b.c"]), statusReplicasPath: ".status.a" } }
    : {};
  return hasStatus ? { subresources: { status: {}, ...scale } } : {};
}

function drawWrite(dice: Dice, schema: JsonObject, hasStatus: boolean): Write {
  const object = drawObject(dice, schema);
  if (!dice.chance(40)) return { object };
  const { metadata: _, ...old } = object;
  const next = changed(dice, schema, old);
  const write = { old, object: isObject(next) ? { ...next, ...metadataOf(dice) } : {} };
  return hasStatus && dice.chance(50) ? { ...write, subresource: "status" } : write;
}

function drawObject(dice: Dice, schema: JsonObject): JsonObject {
  const object = dice.chance(2) ? {} : valueFor(dice, schema, dice.pick([0, 4, 8]));
  return { ...(isObject(object) ? object : {}), ...metadataOf(dice) };
}

function metadataOf(dice: Dice): JsonObject {
  return dice.chance(8) ? { metadata: metadataFor(dice) } : {};
}

function wholeWrite(crd: JsonObject, { object, old, ...rest }: Write): Write {
  const whole = (part: JsonObject) => {
    const { apiVersion: _, kind: _1, ...own } = part;
    return wholeObject(crd, "v1", isObject(get(own, "metadata")) ? own : { ...own, metadata: {} });
  };
  return { object: whole(object), ...(old === undefined ? {} : { old: whole(old) }), ...rest };
}
