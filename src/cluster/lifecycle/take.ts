import { get, isObject, type JsonObject, listAt } from "../../json/json.ts";
import type { BundleTarget } from "../../manifests/targets.ts";
import { leaveAlone, targetName, targetPath } from "../api/ca-bundles.ts";
import type { Connection } from "../api/connection.ts";
import type { CrdState } from "../api/crd-state.ts";
import { mergePatch, writeObject } from "../api/requests.ts";
import { failureOf, type MigrationContext, type MigrationOptions, migrate } from "./migration.ts";
import type { Step } from "./next.ts";
import { type EvolvedKind, type Observation, readWebhooks, usageAnnotation } from "./observe.ts";

/** The result of a step. `stale`: nothing was written, since another client changed the object meanwhile. */
export type Taken = "written" | "stale" | { readonly failure: string };

/** Takes a step, which applies only to the CRD as it was observed. Throws ApiServerError. */
export async function takeStep(
  step: Step,
  kind: EvolvedKind,
  observed: Observation,
  context: Omit<MigrationContext, "connection">,
): Promise<Taken> {
  switch (step.step) {
    case "rewrite":
      return rewrite(kind, observed.crd, {}, context);
    case "forget":
      return rewrite(kind, observed.crd, { drop: step.version }, context);
    case "record": {
      const { start, requests } = step.usage;
      const text = JSON.stringify({ start, requests, since: step.since });
      return patchCrd(kind, observed, {
        metadata: { annotations: { [usageAnnotation(step.version)]: text } },
      });
    }
    case "removeWebhooks":
      return removeWebhooks(kind, observed);
    case "removeConversion":
      return patchCrd(kind, observed, {
        // Replicas of ours would restore it.
        ...(observed.state.isForeign ? {} : { metadata: { annotations: { [leaveAlone]: "false" } } }),
        spec: { conversion: { strategy: "None", webhook: null } },
      });
    default:
      return patchCrd(kind, observed, changeOf(step, kind, observed.object));
  }
}

async function rewrite(
  { connection, pageSize }: EvolvedKind,
  crd: CrdState,
  drop: Pick<MigrationOptions, "drop">,
  context: Omit<MigrationContext, "connection">,
): Promise<Taken> {
  const outcome = await migrate(crd, { writes: "store", pageSize, ...drop }, { ...context, connection });
  return outcome.outcome === "finished" ? "written" : { failure: failureOf(crd, outcome) };
}

function changeOf(
  { step, version }: Extract<Step, { readonly step: "add" | "serve" | "store" | "stopServing" | "remove" }>,
  { entries }: EvolvedKind,
  object: JsonObject,
): JsonObject {
  const versions = listAt(object, "spec", "versions").filter(isObject);
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
  const metadata = { ...(isObject(change.metadata) ? change.metadata : {}), ...versionOf(object) };
  const written = await writeObject(connection, {
    method: "PATCH",
    path: `${targetPath(target)}?fieldManager=antechamber-evolve`,
    body: { ...change, metadata },
    contentType: mergePatch,
    failure: `${targetName(target)} cannot be written`,
  });
  return written === undefined ? "stale" : "written";
}

/** Removes the webhooks of the kind; a configuration without any other one is deleted. */
async function removeWebhooks(kind: EvolvedKind, { object: crd, crd: state }: Observation): Promise<Taken> {
  const found = Map.groupBy(await readWebhooks(kind, crd, state), ({ object }) => object);
  for (const [object, [first, ...others]] of found) {
    if (first === undefined) continue;
    const names = [first, ...others].map(({ webhook }) => webhook);
    const kept = listAt(object, "webhooks").filter((each) => !names.includes(String(get(each, "name"))));
    const taken =
      kept.length > 0
        ? await patchTarget(kind.connection, first.target, object, { webhooks: kept })
        : await deleteTarget(kind.connection, first.target, object);
    if (taken !== "written") return taken;
  }
  return "written";
}

/** Deletes an object as it was read. Throws ApiServerError. */
export async function deleteTarget(
  connection: Connection,
  target: BundleTarget,
  object: JsonObject,
): Promise<Taken> {
  const written = await writeObject(connection, {
    method: "DELETE",
    path: targetPath(target),
    body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: versionOf(object) },
    failure: `${targetName(target)} cannot be deleted`,
  });
  return written === undefined ? "stale" : "written";
}

/** A write with it applies only to the object as it was read. */
function versionOf(object: JsonObject): JsonObject {
  return { resourceVersion: get(object, "metadata", "resourceVersion") ?? null };
}
