import { get, isArray, isObject, type JsonObject } from "../../json/json.ts";
import { webhookNames } from "../../manifests/installation.ts";
import type { BundleTarget } from "../../manifests/targets.ts";
import { leaveAlone, readTarget, targetName, targetPath } from "../ca-bundles.ts";
import type { Connection } from "../connection.ts";
import { ApiServerError, mergePatch, readCrdState, sentenceOf } from "../crd-state.ts";
import { type MigrationContext, migrate, type Outcome } from "../migration.ts";
import { migrateByServer } from "../server-migration.ts";
import type { Step } from "./next.ts";
import {
  configurationsOf,
  type EvolvedKind,
  isWebhookOf,
  type Observation,
  usageAnnotation,
} from "./observe.ts";

/** The result of a step. `stale`: nothing was written, since another client changed the object meanwhile. */
export type Taken =
  | { readonly taken: "written" | "stale" }
  | { readonly taken: "unfinished"; readonly outcome: Exclude<Outcome, { readonly outcome: "finished" }> }
  /** The controllers of the cluster did not rewrite the objects, for this reason. */
  | { readonly taken: "unmigrated"; readonly sentence: string };

/**
 * What rewrites objects: the controllers of the cluster, by a StorageVersionMigration; this client; or the controllers where
 * they are there and do it, otherwise this client.
 */
export type Rewriter = "server" | "client" | "auto";

/** What taking a step works with. */
export interface TakeContext extends Omit<MigrationContext, "connection"> {
  readonly rewriter: Rewriter;
  /** Milliseconds that a StorageVersionMigration may show no change, apart from a tenth of a second for each object. */
  readonly patience: number;
  readonly note: (line: string) => void;
}

/** Takes a step, which applies only to the CRD as it was observed. Throws ApiServerError. */
export async function takeStep(
  step: Step,
  kind: EvolvedKind,
  observed: Observation,
  context: TakeContext,
): Promise<Taken> {
  switch (step.step) {
    case "rewrite":
      return rewriteAll(kind, observed, context);
    case "forget":
      return rewriteByClient(kind, observed, { drop: step.version }, context);
    case "record": {
      const { start, requests } = step.usage;
      const text = JSON.stringify({ start, requests, since: step.since });
      return patchCrd(kind, observed, {
        metadata: { annotations: { [usageAnnotation(step.version)]: text } },
      });
    }
    case "removeWebhooks":
      return removeWebhooks(kind);
    case "removeConversion":
      return patchCrd(kind, observed, {
        metadata: { annotations: { [leaveAlone]: "false" } },
        spec: { conversion: { strategy: "None", webhook: null } },
      });
    default:
      return patchCrd(kind, observed, changeOf(step, kind, observed.object));
  }
}

async function rewriteAll(
  kind: EvolvedKind,
  { crd, ...rest }: Observation,
  context: TakeContext,
): Promise<Taken> {
  const byClient = () => rewriteByClient(kind, { crd, ...rest }, {}, context);
  if (context.rewriter === "client") return byClient();
  const { connection, now } = kind;
  const migrated = await migrateByServer(crd, { ...context, connection, now });
  switch (migrated.outcome) {
    case "finished": {
      const now = await readCrdState(connection, crd.name);
      const isTrimmed = String(now?.storedVersions) === crd.storage && now?.hasFailedMigration === false;
      return { taken: isTrimmed ? "written" : "stale" };
    }
    case "interrupted":
      return {
        taken: "unmigrated",
        sentence: "interrupted; the cluster goes on with its migration: run the same command again",
      };
    case "unavailable":
    case "failed": {
      const { sentence = "the API server does not serve StorageVersionMigration" } = migrated;
      if (context.rewriter === "server")
        return {
          taken: "unmigrated",
          sentence: `${sentence}; --rewrite client rewrites the objects without it`,
        };
      if (migrated.sentence !== undefined)
        context.note(`${crd.name}: ${sentence}; rewriting the objects from here instead`);
      return byClient();
    }
  }
}

async function rewriteByClient(
  { connection, pageSize }: EvolvedKind,
  { crd }: Observation,
  drop: { readonly drop?: string },
  context: TakeContext,
): Promise<Taken> {
  const options = { writes: "store", pageSize, ...drop } as const;
  const outcome = await migrate(crd, options, { ...context, connection });
  return outcome.outcome === "finished" ? { taken: "written" } : { taken: "unfinished", outcome };
}

function changeOf(
  { step, version }: Extract<Step, { readonly step: "add" | "serve" | "store" | "stopServing" | "remove" }>,
  { entries }: EvolvedKind,
  object: JsonObject,
): JsonObject {
  const listed = get(object, "spec", "versions");
  const versions = (isArray(listed) ? listed : []).filter(isObject);
  const change = (to: (isMeant: boolean) => JsonObject) =>
    versions.map((entry) => ({ ...entry, ...to(entry.name === version) }));
  switch (step) {
    case "add": {
      const added = entries.filter((entry) => entry.name === version);
      return {
        spec: {
          versions: [...versions, ...added.map((entry) => ({ ...entry, served: true, storage: false }))],
        },
      };
    }
    case "serve":
      return { spec: { versions: change((isMeant) => (isMeant ? { served: true } : {})) } };
    case "stopServing":
      return { spec: { versions: change((isMeant) => (isMeant ? { served: false } : {})) } };
    case "store":
      return { spec: { versions: change((storage) => ({ storage })) } };
    case "remove":
      return {
        metadata: { annotations: { [usageAnnotation(version)]: null } },
        spec: { versions: versions.filter((entry) => entry.name !== version) },
      };
  }
}

async function patchCrd(
  { connection, crd }: EvolvedKind,
  { object }: Observation,
  change: JsonObject,
): Promise<Taken> {
  return patchTarget(connection, { kind: "CustomResourceDefinition", name: crd }, object, change);
}

async function patchTarget(
  connection: Connection,
  target: BundleTarget,
  object: JsonObject,
  change: JsonObject,
): Promise<Taken> {
  const resourceVersion = get(object, "metadata", "resourceVersion") ?? null;
  const metadata = { ...(isObject(change.metadata) ? change.metadata : {}), resourceVersion };
  const answer = await connection.request("PATCH", `${targetPath(target)}?fieldManager=antechamber-evolve`, {
    body: { ...change, metadata },
    contentType: mergePatch,
  });
  if (answer.status === 409 || answer.status === 404) return { taken: "stale" };
  if (answer.status !== 200)
    throw new ApiServerError(`${targetName(target)} cannot be written: ${sentenceOf(answer)}`);
  return { taken: "written" };
}

/** Removes the webhooks of the kind; a configuration without any other one is deleted. */
async function removeWebhooks(kind: EvolvedKind): Promise<Taken> {
  for (const target of configurationsOf(kind)) {
    const object = await readTarget(kind.connection, target);
    if (object === undefined || !webhookNames(object).some((name) => isWebhookOf(kind.crd, name))) continue;
    const { webhooks } = object;
    const kept = (isArray(webhooks) ? webhooks : []).filter(
      (each) => !isWebhookOf(kind.crd, String(get(each, "name"))),
    );
    const taken =
      kept.length > 0
        ? await patchTarget(kind.connection, target, object, { webhooks: kept })
        : await deleteTarget(kind.connection, target, object);
    if (taken.taken !== "written") return taken;
  }
  return { taken: "written" };
}

async function deleteTarget(
  connection: Connection,
  target: BundleTarget,
  object: JsonObject,
): Promise<Taken> {
  const resourceVersion = get(object, "metadata", "resourceVersion") ?? null;
  const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { resourceVersion } };
  const answer = await connection.request("DELETE", targetPath(target), { body });
  if (answer.status === 409 || answer.status === 404) return { taken: "stale" };
  if (answer.status !== 200)
    throw new ApiServerError(`${targetName(target)} cannot be deleted: ${sentenceOf(answer)}`);
  return { taken: "written" };
}
