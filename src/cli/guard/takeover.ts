import { trustOf } from "../../../certs/rotation.ts";
import { readRotation } from "../../../certs/rotation-store.ts";
import { countEndpoints } from "../../cluster/api/api-servers.ts";
import { readTarget, targetName } from "../../cluster/api/ca-bundles.ts";
import type { Connection } from "../../cluster/api/connection.ts";
import { crdStateOf } from "../../cluster/api/crd-state.ts";
import { crdsPath, metadataOnly, sentenceOf } from "../../cluster/api/requests.ts";
import { webhookClient } from "../../cluster/api/webhook-client.ts";
import { addressOf } from "../../cluster/lifecycle/conversion.ts";
import {
  conversionManagers,
  guardedAnnotation,
  placeOf,
  putBack,
  register,
  takeOver,
  unregister,
  upstreamConfigOf,
} from "../../cluster/lifecycle/takeover.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import { hasSeveralVersions } from "../../guard/guarded-kind.ts";
import { get, isObject, type Json, type JsonObject, listAt, textAt } from "../../json/json.ts";
import type { Reach } from "../../manifests/reach.ts";
import { type BundleTarget, sharedTargets } from "../../manifests/targets.ts";
import {
  mutatingConfiguration,
  validatingConfiguration,
  type WrittenKind,
} from "../../manifests/webhooks.ts";
import { crdModelOf, scopeOf } from "../../schema/model/crd.ts";
import { crdNamed, crdNames } from "../crd-names.ts";
import type { MigrateIo } from "../migrate/run.ts";
import { pemText } from "../pem-file.ts";
import { defaultService, serviceOf } from "../service-option.ts";
import { asUsage, withCluster } from "../with-cluster.ts";
import { guardName } from "./name.ts";
import { shadowLines } from "./shadow-lines.ts";

/** The options of `antechamber guard plan`, `install`, `status` and `uninstall`. */
export interface TakeoverOptions {
  readonly kubeconfig?: string;
  /** Name of the webhook configuration. */
  readonly name?: string;
  /** `namespace/name` of the guard's Service. */
  readonly service?: string;
  /** The guard's origin, in place of a Service. */
  readonly url?: string;
  /** PEM file of the CA of the guard's certificate. */
  readonly ca?: string;
  /** Whether the CRD keeps its conversion, since the guard is behind the address of the webhook. */
  readonly inFront: boolean;
  /** Whether no webhook for writes is registered. */
  readonly shadow: boolean;
  /** Whether, and how, the newest version's schema and rules hold for writes at others. */
  readonly hubRules?: "warn" | "deny";
  /** Where guards serve their metrics. */
  readonly metrics: readonly string[];
}

/** Puts a guard in front of the webhooks of CRDs, takes it away, or says what is. Throws RejectedError and UsageError. */
export async function takeover(
  action: "plan" | "install" | "status" | "uninstall",
  words: readonly string[],
  options: TakeoverOptions,
  io: MigrateIo,
): Promise<void> {
  await withCluster(options.kubeconfig, io, async ({ connection }) => {
    const work: Work = { connection, options, io, name: options.name ?? guardName };
    const named = await crdNames(words, [], connection);
    const known = words.length === 0 && action !== "install" ? await guardedNames(work) : [];
    const names = [...new Set([...named, ...known])];
    if (names.length === 0 && action !== "status")
      throw new UsageError(`name the CRDs: antechamber guard ${action} statefulsets.apps.kruise.io`);
    const faults: string[] = [];
    for (const crd of names) faults.push(...(await actions[action](crd, work).catch(asUsage)));
    if (action === "status") for (const line of await shadowLines(options.metrics)) io.print(line);
    if (action === "status" && names.length === 0) io.print("no CRD is guarded");
    if (faults.length > 0) throw new RejectedError(faults.join("\n"));
  });
}

interface Work {
  readonly connection: Connection;
  readonly options: TakeoverOptions;
  readonly io: MigrateIo;
  readonly name: string;
}

/** Faults, a sentence for each. */
type Act = (crd: string, work: Work) => Promise<readonly string[]>;

const plan: Act = async (name, work) => {
  const crd = await crdNamed(name, work.connection);
  const { print } = work.io;
  print(`${name}: ${versionsText(name, crd)}; ${conversionText(crd)}`);
  const fault = faultOf(name, crd, work.options);
  if (fault !== undefined) return [fault];
  for (const [index, step] of stepsFor(name, crd, work).entries()) print(`  ${index + 1}. ${step}`);
  for (const caution of cautionsOf(crd, work.options)) print(`  note: ${caution}`);
  return [];
};

const install: Act = async (name, work) => {
  const { connection, io, options } = work;
  const crd = await crdNamed(name, connection);
  const fault = faultOf(name, crd, options);
  if (fault !== undefined) throw new RejectedError(fault);
  const reach = options.inFront ? undefined : await reachOf(work);
  if (reach !== undefined) await expectAnswer(reach, connection);
  // First the webhooks for writes: between the two, nothing that conversion carries may be dropped.
  for (const configuration of configurationsFor(crd, work, reach)) {
    await settled(() => register(connection, configuration), name);
    const names = listAt(configuration, "webhooks").map((each) => textAt(each, "name"));
    io.print(`${name}: ${names.join(", ")} is in ${targetName(targetOf(configuration))}`);
  }
  if (reach === undefined) {
    io.print(`${name}: spec.conversion stays as it is; serve the guard where ${conversionText(crd)}`);
    return [];
  }
  await settled(async () => takeOver(connection, await crdNamed(name, connection), reach), name);
  io.print(`${name}: converted by the guard; what it was is in the annotation ${guardedAnnotation}`);
  const failure = await failureOf(name, work, attemptsAfterInstall);
  if (failure === undefined) return [];
  await settled(async () => putBack(connection, await crdNamed(name, connection)), name);
  throw new RejectedError(`${name}: the guard does not convert, so spec.conversion was put back: ${failure}`);
};

const uninstall: Act = async (name, work) => {
  const { connection, io } = work;
  const crd = await crdNamed(name, connection);
  const before = placeOf(crd);
  await settled(async () => putBack(connection, await crdNamed(name, connection)), name);
  for (const target of sharedTargets(work.name))
    await settled(() => unregister(connection, target, webhookNamesOf(name)), name);
  const after = conversionText(await crdNamed(name, connection));
  io.print(`${name}: ${before === "guard" ? "" : "the guard did not convert it; "}${after}, as before`);
  return [];
};

const status: Act = async (name, work) => {
  const { connection, io } = work;
  const crd = await crdNamed(name, connection);
  const place = placeOf(crd);
  const kept = await registeredNames(name, work);
  const failure = place === "none" ? undefined : await failureOf(name, work);
  const upstream = place === "guard" ? `, in front of ${addressOf(upstreamConfigOf(crd))}` : "";
  const writes = kept.length === 0 ? "no webhook for writes" : `webhooks for writes: ${kept.join(", ")}`;
  io.print(`${name}: ${conversionText(crd)}${upstream}; ${writes}`);
  return [
    ...(place === "put back"
      ? [
          `${name}: another manager has put spec.conversion back (${conversionManagers(crd).join(", ") || "unknown"}): antechamber guard install ${name} takes it over again, and guard serve --defend does so each time`,
        ]
      : []),
    ...(failure === undefined ? [] : [`${name}: objects cannot be converted: ${failure}`]),
  ];
};

const actions: Readonly<Record<"plan" | "install" | "status" | "uninstall", Act>> = {
  plan,
  install,
  status,
  uninstall,
};

/** Repeats a write while other clients change the object. */
async function settled(write: () => Promise<unknown>, name: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) if ((await write()) !== "stale") return;
  throw new RejectedError(`${name}: it keeps changing; run the same command again`);
}

/** Why a CRD cannot be guarded. */
function faultOf(name: string, crd: JsonObject, { inFront }: TakeoverOptions): string | undefined {
  if (!hasSeveralVersions(crd)) return `${name}: has one version, so there is nothing to convert`;
  const place = placeOf(crd);
  if (place === "none") return `${name}: no webhook converts it, so there is nothing to stand in front of`;
  if (inFront && place === "guard")
    return `${name}: spec.conversion points at a guard already; antechamber guard uninstall ${name} puts it back`;
  return undefined;
}

function stepsFor(name: string, crd: JsonObject, work: Work): readonly string[] {
  const { options, name: configuration } = work;
  const names = configurationsFor(crd, work, { url: "https://guard" }).flatMap((each) =>
    listAt(each, "webhooks").map((webhook) => textAt(webhook, "name")),
  );
  const registered = names.map((each) => `register the webhook ${each} in ${configuration}`);
  const at = options.url ?? `the Service ${options.service ?? defaultService}`;
  const taken =
    placeOf(crd) === "guard"
      ? "spec.conversion points at a guard already; it is written again"
      : `point spec.conversion at ${at}; what it is now is kept in the annotation ${guardedAnnotation}`;
  return [
    ...registered,
    options.inFront ? "leave spec.conversion as it is" : taken,
    ...(options.inFront ? [] : [`list ${name} at each version, and put all back if that fails`]),
  ];
}

/** What an operator should know before. */
function cautionsOf(crd: JsonObject, { inFront }: TakeoverOptions): readonly string[] {
  const bare = listAt(crd, "spec", "versions").filter(
    (each) =>
      get(each, "schema", "openAPIV3Schema", "properties", "status", "properties", "conversionData") ===
      undefined,
  );
  const managers = conversionManagers(crd);
  return [
    ...(bare.length === 0
      ? []
      : [
          `${bare.map((each) => textAt(each, "name")).join(", ")} ${bare.length === 1 ? "does" : "do"} not declare status.conversionData: what is carried is in annotations alone, and a client that drops them twice drops it`,
        ]),
    ...(inFront || managers.length === 0
      ? []
      : [
          `spec.conversion was written by ${managers.join(", ")}; if one of them writes it back, serve the guard with --defend, or use --in-front`,
        ]),
  ];
}

function versionsText(name: string, crd: JsonObject): string {
  const { versions, storage } = crdStateOf(name, crd);
  return `version${versions.length === 1 ? "" : "s"} ${versions.join(", ")}; stored as ${storage}`;
}

function conversionText(crd: JsonObject): string {
  const config = get(crd, "spec", "conversion", "webhook", "clientConfig");
  const by = placeOf(crd) === "guard" ? "converted by the guard at" : "converted by";
  return config === undefined ? "not converted" : `${by} ${addressOf(config) ?? "an unknown address"}`;
}

/** The guard's address, and the CA of its certificate. */
async function reachOf({ connection, options }: Work): Promise<Reach> {
  const given = await pemText("--ca", options.ca);
  if (options.url !== undefined) {
    if (!URL.canParse(options.url) || new URL(options.url).protocol !== "https:")
      throw new UsageError(`--url ${options.url}: not an https URL; write it like https://10.0.0.1:9443`);
    return { url: new URL(options.url).origin, ...(given === undefined ? {} : { ca: given }) };
  }
  const service = serviceOf(options.service ?? defaultService);
  const state = given === undefined ? (await readRotation(connection, service, []))?.state : undefined;
  const ca =
    given ??
    (state === undefined
      ? undefined
      : trustOf(state)
          .map(({ pem }) => pem)
          .join(""));
  if (ca === undefined || ca === "")
    throw new UsageError(
      `the CA of the guard's certificate is not known: give it with --ca <file>, or start the guard with --certs managed --service ${service.namespace}/${service.name} first`,
    );
  return { service, ca };
}

/** Before a CRD depends on a guard, the guard must be there. Throws RejectedError. */
async function expectAnswer(reach: Reach, connection: Connection): Promise<void> {
  if ("service" in reach) {
    const { ready } = await countEndpoints(connection, reach.service);
    if (ready > 0) return;
    const { namespace, name } = reach.service;
    throw new RejectedError(`the Service ${namespace}/${name} has no ready endpoint: start the guard first`);
  }
  const client = webhookClient({ url: `${reach.url}/convert`, ca: reach.ca, timeout: 10_000 });
  const review = { desiredAPIVersion: "probe/v1", objects: [], uid: "antechamber" };
  const reply = await client.post(
    JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request: review }),
  );
  client.close();
  if (reply.state === "answered" && reply.status === 200) return;
  const sentence = reply.state === "answered" ? `HTTP ${reply.status}` : reply.sentence;
  throw new RejectedError(`${reach.url} answers no ConversionReview: ${sentence}`);
}

/** What the API server says when it lists a kind at each of its versions; it acts by a changed CRD within moments. */
async function failureOf(name: string, { connection, io }: Work, attempts = 3): Promise<string | undefined> {
  const { group, plural, served } = crdStateOf(name, await crdNamed(name, connection));
  const accept = metadataOnly("PartialObjectMetadataList");
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await io.pause(500, io.interrupt);
    for (const version of served) {
      const answer = await connection.request("GET", `/apis/${group}/${version}/${plural}?limit=1`, {
        accept,
      });
      if (answer.status === 500) return sentenceOf(answer);
    }
  }
  return undefined;
}

/** The configurations with the webhooks for writes to a kind. */
function configurationsFor(crd: JsonObject, work: Work, reach: Reach | undefined): readonly JsonObject[] {
  const { options, name } = work;
  const kind = writtenKindOf(crd);
  const at = reach ?? { url: "https://guard" };
  const made = [
    ...(options.shadow ? [] : [mutatingConfiguration([kind], name, at)]),
    ...(options.hubRules === undefined ? [] : [validatingConfiguration([kind], name, at)]),
  ];
  return reach === undefined ? made.map((each) => besideConversion(each, crd)) : made;
}

/** A configuration that calls the guard where the CRD calls its webhook: behind one address, with one certificate. */
function besideConversion(configuration: JsonObject, crd: JsonObject): JsonObject {
  const config = upstreamConfigOf(crd);
  const injected = "cert-manager.io/inject-ca-from";
  const from = get(crd, "metadata", "annotations", injected);
  const annotations = from === undefined ? {} : { annotations: { [injected]: from } };
  const { metadata } = configuration;
  return {
    ...configuration,
    metadata: { ...(isObject(metadata) ? metadata : {}), ...annotations },
    webhooks: listAt(configuration, "webhooks")
      .filter(isObject)
      .map((webhook) => {
        const path = new URL(textAt(webhook, "clientConfig", "url")).pathname;
        return { ...webhook, clientConfig: withPath(config ?? {}, path) };
      }),
  };
}

function withPath({ url, service, ...config }: JsonObject, path: string): JsonObject {
  return typeof url === "string" && URL.canParse(url)
    ? { ...config, url: `${new URL(url).origin}${path}` }
    : { ...config, service: { ...(isObject(service) ? service : {}), path } };
}

function writtenKindOf(json: JsonObject): WrittenKind {
  const crd = crdModelOf(json);
  const { group, names, versions } = crd.spec;
  return {
    definition: { group, kind: names.kind, plural: names.plural, scope: scopeOf(crd), versions: [] },
    versions,
  };
}

function targetOf(configuration: JsonObject): BundleTarget {
  return {
    kind: textAt(configuration, "kind") as BundleTarget["kind"],
    name: textAt(configuration, "metadata", "name"),
  };
}

function webhookNamesOf(crd: string): readonly string[] {
  return [`mutate.${crd}`, `validate.${crd}`];
}

async function registeredIn(work: Work): Promise<readonly Json[]> {
  const found = await Promise.all(
    sharedTargets(work.name).map((target) => readTarget(work.connection, target)),
  );
  return found.flatMap((each) => listAt(each, "webhooks"));
}

async function registeredNames(crd: string, work: Work): Promise<readonly string[]> {
  const names = (await registeredIn(work)).map((each) => textAt(each, "name"));
  return names.filter((each) => webhookNamesOf(crd).includes(each));
}

/** The CRDs of the cluster that are guarded. */
async function guardedNames(work: Work): Promise<readonly string[]> {
  const accept = metadataOnly("PartialObjectMetadataList");
  const { body } = await work.connection.request("GET", crdsPath, { accept });
  const annotated = listAt(body, "items")
    .filter((each) => get(each, "metadata", "annotations", guardedAnnotation) !== undefined)
    .map((each) => textAt(each, "metadata", "name"));
  const registered = (await registeredIn(work)).map((each) =>
    textAt(each, "name").replace(/^(?:mutate|validate)\./, ""),
  );
  return [...annotated, ...registered];
}

/** Half a second each: an idle API server was seen to act by a changed CRD only after more than one second. */
const attemptsAfterInstall = 12;
