import { equal } from "../json/equal.ts";
import { get, isObject, type JsonObject, set } from "../json/json.ts";
import type { Defaulting } from "../schema/defaults.ts";
import { fitInto, type Shape } from "../schema/shape.ts";
import { type Cargo, type Carrier, carrierField, fingerprint, load, unload } from "./carriers.ts";
import { type Always, complementOf, restore } from "./complement.ts";
import type { Lens } from "./lens.ts";
import type { Tree } from "./tree.ts";

/** What conversion needs of one version. */
export interface Rung {
  readonly name: string;
  /** `group/version`, as it stands in an object. */
  readonly apiVersion: string;
  /** To the next newer version; the newest has none. */
  readonly lens?: Lens;
  readonly shape: Shape;
  readonly defaulted: Defaulting;
  /** Whether its schema declares the reserved field of status. */
  readonly carriesStatus: boolean;
}

/**
 * The versions of one kind, oldest first, the last one the hub; and for each spoke what is always remembered: of the
 * hub in its views, and of it in the hub.
 */
export interface Ladder {
  readonly rungs: readonly Rung[];
  readonly always: readonly (Always | undefined)[];
  readonly spread: readonly (Always | undefined)[];
}

/** The ladder of a kind's versions, oldest first. */
export function ladderOf(rungs: readonly Rung[]): Ladder {
  const always = rungs.map((_, spoke) => {
    let shared: readonly string[] = [];
    for (const { lens } of rungs.slice(spoke, -1)) {
      shared = [...shared.flatMap((field) => lens?.follow?.(field) ?? [field]), ...(lens?.shared ?? [])];
    }
    return alwaysOf(shared.map((field) => field.split(".")));
  });
  const spread = rungs.map(({ lens }) => alwaysOf((lens?.spread ?? []).map((word) => word.split("."))));
  return { rungs, always, spread };
}

/**
 * The object in another version; at its own version as it is. Nothing is lost: what the other version cannot say
 * travels in the carriers and comes back, each leaf only where it was not contradicted since. Total: no object is
 * refused, whatever its fields hold. Of metadata only annotations differ, and it is always there (kubernetes.md 1.3).
 */
export function convert(object: JsonObject, ladder: Ladder, from: number, to: number): JsonObject {
  const hub = ladder.rungs.length - 1;
  if (from === to) return object;
  const inHub = from === hub ? object : toHub(object, ladder, from);
  return to === hub ? inHub : toView(inHub, ladder, to);
}

/**
 * The image of an object through the lenses alone: what is lost is lost, and carriers are content like any other.
 * What has no place or a wrong type in a version's schema is left out on both sides of its lens, so that a lens meets
 * only values of the types that the schema declares, and what it cannot carry is the complement's, not a guess.
 */
export function image(content: JsonObject, { rungs }: Ladder, from: number, to: number): JsonObject {
  let here = fitInto(content, rungAt(rungs, from).shape);
  for (let at = from; at < to; at++) here = fitInto(lensAt(rungs, at).up(here), rungAt(rungs, at + 1).shape);
  for (let at = from; at > to; at--)
    here = fitInto(lensAt(rungs, at - 1).down(here), rungAt(rungs, at - 1).shape);
  return here;
}

/** A hub object as a spoke shows it, with what only the hub can say in the carriers of the view. */
function toView(object: JsonObject, ladder: Ladder, to: number): JsonObject {
  const hub = ladder.rungs.length - 1;
  const [spoke, newest] = [rungAt(ladder.rungs, to), rungAt(ladder.rungs, hub)];
  const { object: bare, annotations, status } = unload(object);
  const content = contentOf(bare);
  const stored = storedCargo(annotations[0], status);
  const { [spoke.name]: own, ...others } = stored.spokes ?? {};
  const shown = image(content, ladder, hub, to);
  const restored = withoutReserved(restore(shown, own, spoke.shape));
  const back = image(restored, ladder, to, hub);
  const told = complementOf(content, back, back, newest.shape, ladder.always[to]);
  const defaulted = afterDefaults(content, shown, ladder, to);
  const made = complementOf(restored, shown, defaulted, spoke.shape, ladder.spread[to]);
  const memory = memoryOf(own, made, stored, annotations.length > 0, status !== undefined);
  const cargo: Cargo = {
    ...(told === undefined ? {} : { hub: told }),
    ...(Object.keys(others).length === 0 ? {} : { spokes: others }),
    ...(memory === undefined ? {} : { stored: memory }),
  };
  const { uid, generation } = isObject(bare.metadata) ? bare.metadata : {};
  const where = { stamp: { uid, generation }, annotation: true, status: spoke.carriesStatus };
  return load(assembled(bare, spoke, restored), cargo, where);
}

/** A spoke's view as the hub object that is stored, with what only the spoke can say in its carriers. */
function toHub(object: JsonObject, ladder: Ladder, from: number): JsonObject {
  const hub = ladder.rungs.length - 1;
  const [spoke, newest] = [rungAt(ladder.rungs, from), rungAt(ladder.rungs, hub)];
  const { object: bare, annotations, status } = unload(object);
  const content = contentOf(bare);
  const cargo = trustedCargo(bare, annotations, status);
  const restored = withoutReserved(restore(image(content, ladder, from, hub), cargo.hub, newest.shape));
  const shown = image(restored, ladder, hub, from);
  const defaulted = afterDefaults(restored, shown, ladder, from);
  const made = complementOf(content, shown, defaulted, spoke.shape, ladder.spread[from]);
  const before = remembered(made, cargo.stored);
  // A leaf that was stale comes to life where the hub now says again what it said then: only what reads as it was
  // written may stay.
  const own = before === made || equal(restore(shown, before, spoke.shape), content) ? before : made;
  const { [spoke.name]: _, ...others } = cargo.spokes ?? {};
  const spokes = own === undefined ? others : { ...others, [spoke.name]: own };
  const assembledHub = assembled(bare, newest, restored);
  if (Object.keys(spokes).length === 0) return assembledHub;
  const at = get(cargo.stored, "at");
  const where = { annotation: at !== "status", status: newest.carriesStatus && at !== "annotation" };
  return load(assembledHub, { spokes }, where);
}

/** What a spoke shows of a hub object once the server has filled in the hub's schema defaults, as it does on reading. */
function afterDefaults(content: JsonObject, shown: JsonObject, ladder: Ladder, to: number): JsonObject {
  const hub = ladder.rungs.length - 1;
  const filled = rungAt(ladder.rungs, hub).defaulted(content);
  return filled === content ? shown : image(filled, ladder, hub, to);
}

/** What is stored with a hub object: spec leaves from the annotation if there is one, status leaves from status. */
function storedCargo(annotation: Carrier | undefined, status: Carrier | undefined): Cargo {
  return merged((annotation ?? status)?.cargo ?? {}, (status ?? annotation)?.cargo ?? {});
}

/**
 * What a view's carriers are believed. Spec leaves: the annotation, or the status copy if there is no annotation of
 * ours or its stamp is higher. Status leaves: the status copy, whatever its stamp, else the annotation if it is this
 * very object's. So neither endpoint can forge what only the other one may write (kubernetes.md 4.4, 8a).
 */
function trustedCargo(
  object: JsonObject,
  annotations: readonly Carrier[],
  status: Carrier | undefined,
): Cargo {
  const { uid, generation } = isObject(object.metadata) ? object.metadata : {};
  const isStranger = (carrier: Carrier) =>
    (carrier.uid !== undefined && typeof uid === "string" && carrier.uid !== uid) ||
    (carrier.generation !== undefined && typeof generation === "number" && carrier.generation > generation);
  const ours = annotations.find((each) => !isStranger(each));
  const known = status === undefined || isStranger(status) ? undefined : status;
  const newer = known !== undefined && ours !== undefined && (known.generation ?? 0) > (ours.generation ?? 0);
  // An export that is created anew: the annotation is the only copy, and was made for the object it once was.
  const restored = status === undefined && generation === 1 ? annotations[0] : undefined;
  const spec = newer ? known : (ours ?? known ?? restored);
  const statusSource =
    status ?? (ours?.uid === (typeof uid === "string" ? uid : undefined) ? ours : undefined);
  return merged(spec?.cargo ?? {}, statusSource?.cargo ?? {});
}

/** One cargo of two: all but status from the one, status from the other. */
function merged(spec: Cargo, status: Cargo): Cargo {
  if (spec === status) return spec;
  const hub = mergedParts(spec.hub, status.hub);
  const names = new Set([...Object.keys(spec.spokes ?? {}), ...Object.keys(status.spokes ?? {})]);
  const spokes = [...names].flatMap((name) => {
    const tree = mergedParts(spec.spokes?.[name], status.spokes?.[name]);
    return tree === undefined ? [] : [[name, tree] as const];
  });
  const stored = mergedParts(spec.stored, status.stored);
  return {
    ...(hub === undefined ? {} : { hub }),
    ...(spokes.length === 0 ? {} : { spokes: Object.fromEntries(spokes) }),
    ...(stored === undefined ? {} : { stored }),
  };
}

function mergedParts(spec: JsonObject | undefined, status: JsonObject | undefined): JsonObject | undefined {
  const both = set(spec ?? {}, "status", get(status, "status"));
  return Object.keys(both).length === 0 ? undefined : both;
}

/**
 * What a view must remember of the carrier that is stored for its own spoke, where the way back would make another:
 * a stale leaf, a missing one, or one carrier where there should be two. Else a write that changes nothing would.
 */
function memoryOf(
  own: Tree | undefined,
  made: Tree | undefined,
  stored: Cargo,
  annotation: boolean,
  status: boolean,
): JsonObject | undefined {
  const at =
    stored.spokes === undefined || annotation === status ? undefined : annotation ? "annotation" : "status";
  const parts = (["spec", "status"] as const).flatMap((part) => {
    const [had, makes] = [partOf(own, part), partOf(made, part)];
    return equal(had, makes) ? [] : [[part, { made: fingerprint(makes), ...(had && { had }) }] as const];
  });
  const memory = { ...Object.fromEntries(parts), ...(at === undefined ? {} : { at }) };
  return Object.keys(memory).length === 0 ? undefined : memory;
}

/** The complement to store: what was stored before, as long as the way back still makes what it made then. */
function remembered(made: Tree | undefined, memory: JsonObject | undefined): Tree | undefined {
  if (memory === undefined) return made;
  const parts = (["spec", "status"] as const).map((part) => {
    const makes = partOf(made, part);
    const memo = memory[part];
    if (!isObject(memo) || memo.made !== fingerprint(makes)) return makes;
    return isObject(memo.had) ? memo.had : undefined;
  });
  return mergedParts(parts[0], parts[1]);
}

/** The part of a tree that is status, or all the rest of it. */
function partOf(tree: Tree | undefined, part: "spec" | "status"): Tree | undefined {
  const status = get(tree, "status");
  const found =
    part === "status" ? (status === undefined ? {} : { status }) : set(tree ?? {}, "status", undefined);
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Everything of an object but what is the engine's or the server's. */
function contentOf(object: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
  return content;
}

/** Content without what a forged leaf could have put into it: the object's identity, a carrier. */
function withoutReserved(content: JsonObject): JsonObject {
  const bare = identity.some((key) => Object.hasOwn(content, key)) ? contentOf(content) : content;
  const { status } = bare;
  if (!isObject(status) || !Object.hasOwn(status, carrierField)) return bare;
  return set(bare, "status", set(status, carrierField, undefined));
}

const identity = ["apiVersion", "kind", "metadata"];

function assembled({ kind, metadata }: JsonObject, { apiVersion }: Rung, content: JsonObject): JsonObject {
  return {
    apiVersion,
    ...(kind === undefined ? {} : { kind }),
    metadata: isObject(metadata) ? metadata : {},
    ...content,
  };
}

function alwaysOf(paths: readonly (readonly string[])[]): Always | undefined {
  if (paths.length === 0) return undefined;
  if (paths.some((path) => path.length === 0)) return true;
  const groups = Map.groupBy(paths, ([name = ""]) => name);
  return new Map(
    [...groups].map(([name, these]) => [
      name,
      alwaysOf(these.map((path) => path.slice(1))) ?? new Map<string, Always>(),
    ]),
  );
}

function lensAt(rungs: readonly Rung[], index: number): Lens {
  const { lens } = rungAt(rungs, index);
  if (lens === undefined) throw new Error(`version ${index} of the ladder has no lens to the next`);
  return lens;
}

function rungAt(rungs: readonly Rung[], index: number): Rung {
  const rung = rungs[index];
  if (rung === undefined) throw new Error(`the ladder has no version ${index}`);
  return rung;
}
