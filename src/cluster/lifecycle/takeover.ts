import { equal } from "../../json/equal.ts";
import { jsonIn, writeJson } from "../../json/exact.ts";
import { get, isObject, type Json, type JsonObject, listAt, own, set, textAt } from "../../json/json.ts";
import { clientConfigOf, type Reach, reviewVersions } from "../../manifests/reach.ts";
import type { BundleTarget } from "../../manifests/targets.ts";
import { readTarget, targetName, targetPath } from "../api/ca-bundles.ts";
import type { Connection } from "../api/connection.ts";
import { applyPatch, writeObject } from "../api/requests.ts";
import { addressOf } from "./conversion.ts";
import { deleteTarget, type Taken } from "./take.ts";

/** An annotation of a guarded CRD: its conversion before the guard took it over, and where the guard is called. */
export const guardedAnnotation = "antechamber.dev/guarded";

/** What the annotation of a guarded CRD says. */
interface Takeover {
  /** `spec.conversion` as the owner of the CRD wrote it. */
  readonly before: JsonObject;
  /** The `clientConfig` of the guard, with the CA that was given for it. */
  readonly guard: JsonObject;
}

/** Where the conversion of a CRD is: at its own webhook, at the guard, or put back by another manager since. */
type ConversionPlace = "its own webhook" | "guard" | "put back" | "none";

/** The annotation of a CRD; undefined if it has none, or one that cannot be read. */
export function takeoverOf(crd: JsonObject): Takeover | undefined {
  const text = get(crd, "metadata", "annotations", guardedAnnotation);
  const read = typeof text === "string" ? jsonIn(text) : undefined;
  const [before, guard] = [own(read, "before"), own(read, "guard")];
  return isObject(before) && isObject(guard) ? { before, guard } : undefined;
}

/** Where a CRD is converted. */
export function placeOf(crd: JsonObject): ConversionPlace {
  const config = clientConfigIn(get(crd, "spec", "conversion"));
  const takeover = takeoverOf(crd);
  if (takeover === undefined) return config === undefined ? "none" : "its own webhook";
  return config !== undefined && addressOf(config) === addressOf(takeover.guard) ? "guard" : "put back";
}

/** The `clientConfig` of the webhook that a guard stands in front of; undefined if the CRD names none. */
export function upstreamConfigOf(crd: JsonObject): JsonObject | undefined {
  const conversion = get(crd, "spec", "conversion");
  const takeover = takeoverOf(crd);
  // Who puts the conversion back knows best where its webhook is by now.
  return clientConfigIn(placeOf(crd) === "guard" ? takeover?.before : conversion);
}

function clientConfigIn(conversion: Json | undefined): JsonObject | undefined {
  const config = get(conversion, "webhook", "clientConfig");
  return get(conversion, "strategy") === "Webhook" && isObject(config) ? config : undefined;
}

/** Field managers that wrote the conversion of a CRD and may write it again, the latest first. */
export function conversionManagers(crd: JsonObject): readonly string[] {
  const entries = listAt(crd, "metadata", "managedFields").filter(
    (entry) => get(entry, "fieldsV1", "f:spec", "f:conversion") !== undefined,
  );
  const latest = entries.toSorted((a, b) => textAt(b, "time").localeCompare(textAt(a, "time")));
  return [...new Set(latest.map((entry) => textAt(entry, "manager")))].filter((each) => each !== manager);
}

/** Points the conversion of a CRD at the guard, and keeps what it was. Throws ApiServerError. */
export function takeOver(connection: Connection, crd: JsonObject, reach: Reach): Promise<Taken> {
  const before = (placeOf(crd) === "guard" ? takeoverOf(crd)?.before : undefined) ?? conversionOf(crd);
  return convertAt(connection, crd, { before, guard: clientConfigOf(reach, "convert") });
}

/** Takes over again what another manager has put back. Throws ApiServerError. */
export function takeBack(
  connection: Connection,
  crd: JsonObject,
  { guard }: Takeover,
  ca: string | undefined,
): Promise<Taken> {
  const bundle = ca === undefined ? {} : { caBundle: Buffer.from(ca).toString("base64") };
  return convertAt(connection, crd, { before: conversionOf(crd), guard: { ...guard, ...bundle } });
}

/** Puts back what the conversion of a CRD was, unless another manager has, and forgets the guard. Throws ApiServerError. */
export function putBack(connection: Connection, crd: JsonObject): Promise<Taken> {
  const before = placeOf(crd) === "guard" ? takeoverOf(crd)?.before : undefined;
  return replace(connection, targetOf(crd), withConversion(crd, before ?? conversionOf(crd), undefined));
}

function convertAt(connection: Connection, crd: JsonObject, { before, guard }: Takeover): Promise<Taken> {
  const webhook = { clientConfig: guard, conversionReviewVersions: reviewVersions };
  const annotation = writeJson({ before, guard });
  return replace(
    connection,
    targetOf(crd),
    withConversion(crd, { strategy: "Webhook", webhook }, annotation),
  );
}

function conversionOf(crd: JsonObject): JsonObject {
  const conversion = get(crd, "spec", "conversion");
  return isObject(conversion) ? conversion : { strategy: "None" };
}

function withConversion(crd: JsonObject, conversion: JsonObject, annotation: string | undefined): JsonObject {
  const converted = set(crd, "spec", "conversion", conversion);
  return set(converted, "metadata", "annotations", guardedAnnotation, annotation);
}

/** Writes an object as it was read, and changed. A merge patch would leave a half of another clientConfig. */
async function replace(connection: Connection, target: BundleTarget, object: JsonObject): Promise<Taken> {
  const written = await writeObject(connection, {
    method: "PUT",
    path: `${targetPath(target)}?fieldManager=${manager}`,
    body: object,
    failure: `${targetName(target)} cannot be written`,
  });
  return written === undefined ? "stale" : "written";
}

function targetOf(crd: JsonObject): BundleTarget {
  return { kind: "CustomResourceDefinition", name: textAt(crd, "metadata", "name") };
}

/** Adds the webhooks of a configuration to those in the cluster, in place of those with their names. Throws ApiServerError. */
export async function register(connection: Connection, wanted: JsonObject): Promise<Taken> {
  const target = configurationOf(wanted);
  const found = await readTarget(connection, target);
  const entries = listAt(wanted, "webhooks");
  if (found === undefined) return create(connection, wanted);
  const kept = listAt(found, "webhooks");
  if (entries.every((each) => kept.some((other) => equal(picked(other, each), each)))) return "written";
  const others = withoutNames(kept, namesOf(entries));
  return replace(connection, target, { ...found, webhooks: [...others, ...entries] });
}

/** Takes the webhooks of these names out of a configuration, and deletes it if none is left. Throws ApiServerError. */
export async function unregister(
  connection: Connection,
  target: BundleTarget,
  names: readonly string[],
): Promise<Taken> {
  const found = await readTarget(connection, target);
  if (found === undefined) return "written";
  const before = listAt(found, "webhooks");
  const webhooks = withoutNames(before, names);
  if (webhooks.length === before.length) return "written";
  return webhooks.length === 0
    ? deleteTarget(connection, target, found)
    : replace(connection, target, { ...found, webhooks });
}

async function create(connection: Connection, wanted: JsonObject): Promise<Taken> {
  const target = configurationOf(wanted);
  const written = await writeObject(connection, {
    method: "PATCH",
    path: `${targetPath(target)}?fieldManager=${manager}`,
    body: wanted,
    contentType: applyPatch,
    isCreation: true,
    failure: `${targetName(target)} cannot be created`,
  });
  return written === undefined ? "stale" : "written";
}

function configurationOf(wanted: JsonObject): BundleTarget {
  const kind =
    wanted.kind === "ValidatingWebhookConfiguration"
      ? "ValidatingWebhookConfiguration"
      : "MutatingWebhookConfiguration";
  return { kind, name: textAt(wanted, "metadata", "name") };
}

/** Of a webhook in the cluster only the fields that are wanted: an API server adds defaults. */
function picked(found: Json, wanted: Json): Json {
  if (!isObject(found) || !isObject(wanted)) return found;
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, inner]) => {
      const value = own(found, name);
      return value === undefined ? [] : [[name, picked(value, inner)]];
    }),
  );
}

function namesOf(webhooks: readonly Json[]): readonly string[] {
  return webhooks.map((each) => textAt(each, "name"));
}

function withoutNames(webhooks: readonly Json[], names: readonly string[]): readonly Json[] {
  return webhooks.filter((each) => !names.includes(textAt(each, "name")));
}

/** The field manager of all writes here. */
const manager = "antechamber-guard";
