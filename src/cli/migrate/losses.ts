import { revisionOf } from "../../checks/index.ts";
import type { Connection } from "../../cluster/api/connection.ts";
import { type CrdState, preferredVersion } from "../../cluster/api/crd-state.ts";
import { countDeletions } from "../../cluster/lifecycle/deletions.ts";
import { type MigrationOptions, versionsToTry } from "../../cluster/lifecycle/migration.ts";
import type { JsonObject } from "../../json/json.ts";
import { crdModelOf, isConverted } from "../../schema/model/crd.ts";
import { deletedLines, unseenSentence } from "../deletion-text.ts";

/** A CRD as it was read. */
export interface ReadCrd {
  readonly json: JsonObject;
  readonly state: CrdState;
}

/** How a migration is to be done. */
interface LossOptions extends Pick<MigrationOptions, "drop" | "through" | "pageSize"> {
  readonly allowLoss: boolean;
}

/** What counting works with. */
interface LossContext {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
  /** Called after each page. */
  readonly progress: (objects: number) => void;
}

/**
 * What a migration would delete, in words; what one by the cluster itself would, is noted. Undefined where nothing is lost, where
 * that is allowed, or where a webhook converts: what that leaves out is not known here. Throws ApiServerError.
 */
export async function whatIsLost(
  { json, state }: ReadCrd,
  { allowLoss, ...options }: LossOptions,
  { connection, note, ...context }: LossContext,
): Promise<string | undefined> {
  const crd = crdModelOf(json);
  // With preserveUnknownFields the API server prunes nothing.
  if (allowLoss || isConverted(crd) || crd.spec.preserveUnknownFields) return undefined;
  const compiled = revisionOf(json);
  if ("causes" in compiled) {
    const why = compiled.causes.map(({ message }) => message).join("; ");
    return `${state.name}: what would be deleted cannot be counted: ${why}`;
  }
  const { revision } = compiled;
  const [own, byCluster] = [versionsToTry(state, options), [preferredVersion(state)]].map((at) => ({
    crd: revision,
    at,
  }));
  if (own === undefined || byCluster === undefined) return undefined;
  const objects = { connection, crd: state, revision, pageSize: options.pageSize, ...context };
  const found = await countDeletions(objects, [own, byCluster]);
  if (found.isInterrupted) return `${state.name}: interrupted while the objects were counted`;
  const by = (how: string, rewrite: typeof own) =>
    deletedLines(
      state.name,
      how,
      found.deleted.filter((each) => each.rewrite === rewrite),
    );
  const migration = by(`a migration to ${state.storage}`, own);
  const cluster = by(
    `a StorageVersionMigration of the cluster, which writes at ${preferredVersion(state)},`,
    byCluster,
  );
  for (const line of cluster) note(line);
  const lines = [...migration, ...found.unseen.map((version) => `${state.name}: ${unseenSentence(version)}`)];
  return lines.length === 0 ? undefined : lines.join("\n");
}
