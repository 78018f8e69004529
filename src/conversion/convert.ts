import { equal } from "../json/equal.ts";
import {
  define,
  get,
  hasNoFields,
  isObject,
  type Json,
  type JsonObject,
  own,
  set,
  settled as settledObject,
} from "../json/json.ts";
import { labelValueFaults } from "../names.ts";
import {
  attach,
  carrierField,
  detach,
  parseSerialized,
  type SerializedObject,
  writePayloadWith,
} from "./carriers.ts";
import { restore } from "./restore.ts";
import type { Tree } from "./tree.ts";
import { memoryOf, remembered, storedPayload, trustedPayload } from "./trust.ts";
import {
  type ChainVersion,
  complementsOf,
  image,
  imageOfFitted,
  type VersionChain,
  versionAt,
} from "./version-chain.ts";

/**
 * The object in another version; at its own version as it is. Nothing is lost: what the other version cannot say
 * travels in the carriers and comes back, each leaf only where it was not contradicted since. Total: no object is
 * refused, whatever its fields hold. Of metadata only annotations, and labels that a lens maps, differ, and it is
 * always there (kubernetes.md 1.3).
 */
export function convert(object: JsonObject, chain: VersionChain, from: number, to: number): JsonObject {
  return parseSerialized(convertSerialized(object, chain, from, to));
}

/** The same for whoever writes the object: what its status carries is text already. */
export function convertSerialized(
  object: JsonObject,
  chain: VersionChain,
  from: number,
  to: number,
): SerializedObject {
  const hub = chain.versions.length - 1;
  if (from === to) return { object, field: undefined };
  if (to === hub) return toHub(object, chain, from);
  return toView(from === hub ? object : parseSerialized(toHub(object, chain, from)), chain, to);
}

/** A hub object as a spoke shows it, with what only the hub can say in the carriers of the view. */
function toView(object: JsonObject, chain: VersionChain, to: number): SerializedObject {
  const hub = chain.versions.length - 1;
  const spoke = versionAt(chain.versions, to);
  const { object: bare, annotations, status } = detach(object);
  const content = contentOf(bare, chain.labels);
  const stored = storedPayload(annotations[0], status);
  const own = stored.spokes?.[spoke.name];
  const others = without(stored.spokes, spoke.name);
  const shown = image(content, chain, hub, to);
  const said = settled(restore(shown, own, spoke.shape), content, chain, to);
  const restored = withoutReserved(said, chain.labels);
  const back = restored === shown ? imageOfFitted(shown, chain, to, hub) : image(restored, chain, to, hub);
  const { ofHub, ofSpoke } = complementsOf(chain, to);
  const told = ofHub(content, back, back);
  const defaulted = afterDefaults(content, shown, chain, to);
  const made = ofSpoke(restored, shown, defaulted);
  const memory = memoryOf(own, made, stored, annotations.length > 0, status !== undefined);
  const { uid, generation } = isObject(bare.metadata) ? bare.metadata : {};
  const where = { stamp: { uid, generation }, annotation: true, status: spoke.carriesStatus };
  const payload = writePayloadWith(told, { spokes: others, stored: memory });
  return attach(assembled(bare, spoke, restored, chain.labels), payload, where);
}

/** A spoke's view as the hub object that is stored, with what only the spoke can say in its carriers. */
function toHub(object: JsonObject, chain: VersionChain, from: number): SerializedObject {
  const hub = chain.versions.length - 1;
  const [spoke, newest] = [versionAt(chain.versions, from), versionAt(chain.versions, hub)];
  const { object: bare, annotations, status } = detach(object);
  const content = contentOf(bare, chain.labels);
  const payload = trustedPayload(bare, annotations, status);
  const restored = withoutReserved(
    restore(image(content, chain, from, hub), payload.hub, newest.shape),
    chain.labels,
  );
  const shown = image(restored, chain, hub, from);
  const defaulted = afterDefaults(restored, shown, chain, from);
  const made = complementsOf(chain, from).ofSpoke(content, shown, defaulted);
  // A leaf that was stale comes to life where the hub now says again what it said then: only what reads as it was
  // written may stay.
  const isReadAsWritten = (tree: Tree | undefined) =>
    equal(settled(restore(shown, tree, spoke.shape), restored, chain, from), content);
  const own = remembered(made, payload.stored, isReadAsWritten);
  const others = without(payload.spokes, spoke.name);
  const spokes = own === undefined ? others : { ...others, [spoke.name]: own };
  const assembledHub = assembled(bare, newest, restored, chain.labels);
  if (spokes === undefined || hasNoFields(spokes)) return { object: assembledHub, field: undefined };
  const at = get(payload.stored, "at");
  const where = { annotation: at !== "status", status: newest.carriesStatus && at !== "annotation" };
  return attach(assembledHub, writePayloadWith(undefined, { spokes }), where);
}

function without(
  spokes: Readonly<Record<string, Tree>> | undefined,
  name: string,
): Readonly<Record<string, Tree>> | undefined {
  if (spokes === undefined) return undefined;
  const others = set(spokes, name, undefined) as Readonly<Record<string, Tree>>;
  return hasNoFields(others) ? undefined : others;
}

/** What a spoke shows, without words that its lens finds contradicted by what the hub says by now. */
function settled(said: JsonObject, content: JsonObject, chain: VersionChain, spoke: number): JsonObject {
  const settle = versionAt(chain.versions, spoke).lens?.settle;
  if (settle === undefined) return said;
  return settle(said, image(content, chain, chain.versions.length - 1, spoke + 1));
}

/** What a spoke shows of a hub object once the server has filled in the hub's schema defaults, as it does on reading. */
function afterDefaults(content: JsonObject, shown: JsonObject, chain: VersionChain, to: number): JsonObject {
  const hub = chain.versions.length - 1;
  const filled = versionAt(chain.versions, hub).defaulted(content);
  return filled === content ? shown : image(filled, chain, hub, to);
}

/** Everything of an object but what is the engine's or the server's; of metadata the labels that lenses map. */
function contentOf(object: JsonObject, labels: readonly string[]): JsonObject {
  const { metadata } = object;
  const content: Record<string, Json> = {};
  for (const key in object) if (!identity.has(key)) define(content, key, object[key] as Json);
  if (labels.length === 0) return content;
  const mapped = labels.flatMap((name) => {
    const value = get(metadata, "labels", name);
    return isLabelValue(value) ? [[name, value] as const] : [];
  });
  if (mapped.length > 0) return { ...content, metadata: { labels: Object.fromEntries(mapped) } };
  // Labels that are there and say nothing are content too: a label put among them must leave them behind again.
  const bare = own(metadata, "labels");
  return isBare(bare) ? { ...content, metadata: { labels: bare } } : content;
}

function isBare(labels: Json | undefined): labels is null | JsonObject {
  return labels === null || (isObject(labels) && hasNoFields(labels));
}

/** What is no label's value is nothing to map: the server would refuse the whole answer for it. */
function isLabelValue(value: Json | undefined): value is string {
  return typeof value === "string" && labelValueFaults(value).length === 0;
}

/** Content without what a forged leaf could have put into it: the object's identity, a carrier. */
function withoutReserved(content: JsonObject, labels: readonly string[]): JsonObject {
  const bare = hasIdentity(content) ? contentOf(content, labels) : content;
  const { status } = bare;
  if (!isObject(status) || !Object.hasOwn(status, carrierField)) return bare;
  return set(bare, "status", set(status, carrierField, undefined));
}

function hasIdentity(content: JsonObject): boolean {
  for (const key in content) if (identity.has(key)) return true;
  return false;
}

const identity = new Set(["apiVersion", "kind", "metadata"]);

function assembled(
  { kind, metadata }: JsonObject,
  { apiVersion }: ChainVersion,
  content: JsonObject,
  labels: readonly string[],
): JsonObject {
  const above = isObject(metadata) ? metadata : {};
  const mapped = labels.length === 0 ? above : withLabels(above, get(content, "metadata", "labels"), labels);
  const object: Record<string, Json> =
    kind === undefined ? { apiVersion, metadata: mapped } : { apiVersion, kind, metadata: mapped };
  let fields = 3;
  for (const key in content) {
    if (key === "metadata") continue;
    define(object, key, content[key] as Json);
    fields++;
  }
  return settledObject(object, fields);
}

/** Metadata with what was mapped in the place of all labels that are mapped. */
function withLabels(metadata: JsonObject, mapped: Json | undefined, names: readonly string[]): JsonObject {
  const before = own(metadata, "labels");
  if (mapped === undefined && !isObject(before)) return metadata;
  const others = Object.entries(isObject(before) ? before : {}).filter(
    ([name, value]) => !names.includes(name) || !isLabelValue(value),
  );
  const labels = { ...Object.fromEntries(others), ...(isObject(mapped) ? mapped : {}) };
  const after = isBare(labels) ? mapped : labels;
  return equal(after, before) ? metadata : set(metadata, "labels", after);
}
