import {
  type DeletedPlace,
  DeletionCount,
  deletionsOf,
  differs,
  type Revision,
  type RevisionVersion,
} from "../../checks/index.ts";
import type { JsonObject } from "../../json/json.ts";
import { listPages } from "../api/collection.ts";
import type { Connection } from "../api/connection.ts";
import type { CrdState } from "../api/crd-state.ts";

/** A write of every stored object, without a conversion webhook. */
export interface Rewrite {
  /** The CRD that is in force then. */
  readonly crd: Revision;
  /** The version that it is sent at, and those that are tried where an object is invalid there. */
  readonly at: readonly string[];
  /** What the write changes; nothing by default. */
  readonly change?: (object: JsonObject) => JsonObject;
  /** The only version of which the objects are rewritten; all by default. */
  readonly onlyStoredAs?: string;
}

/** What a rewrite deletes of the objects that are stored as one version. */
export interface Deleted {
  readonly stored: string;
  readonly rewrite: Rewrite;
  /** How many objects lose something. */
  readonly objects: number;
  readonly places: readonly DeletedPlace[];
}

/** What rewrites delete of the stored objects of a CRD. */
export interface Deletions {
  readonly deleted: readonly Deleted[];
  /** Versions that objects may be stored as and that are not served, so that what a rewrite deletes of these cannot be seen. */
  readonly unseen: readonly string[];
  readonly isInterrupted: boolean;
}

/** A CRD in a cluster, and what reading all its objects needs. */
interface StoredObjects {
  readonly connection: Connection;
  readonly crd: CrdState;
  /** The same CRD as the schema engine reads it. */
  readonly revision: Revision;
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** Called after each page. */
  readonly progress: (objects: number) => void;
}

/**
 * Counts by field what rewrites would delete of stored objects, without a write. Every object is read at each version that it may be
 * stored as: where it is stored as another one, nothing is seen there that the other one lacks. Throws ApiServerError.
 */
export async function countDeletions(
  objects: StoredObjects,
  rewrites: readonly Rewrite[],
): Promise<Deletions> {
  const deleted: Deleted[] = [];
  const unseen: string[] = [];
  for (const stored of mayBeStored(objects)) {
    const risky = rewrites.filter((rewrite) => mayDelete(stored, rewrite));
    if (risky.length === 0) continue;
    if (stored.served) deleted.push(...(await countStored(objects, stored, risky)));
    else unseen.push(stored.name);
  }
  return { deleted, unseen, isInterrupted: objects.signal.aborted };
}

function mayBeStored({ crd, revision }: StoredObjects): readonly RevisionVersion[] {
  const { storedVersions, storage, hasFailedMigration } = crd;
  // After a failed migration storedVersions does not have the versions of what was left.
  return revision.versions.filter(
    ({ name }) => hasFailedMigration || name === storage || storedVersions.includes(name),
  );
}

/** Whether a version on the way of a rewrite, or the one that is then stored, has another schema. */
function mayDelete(stored: RevisionVersion, { crd, at, onlyStoredAs = stored.name }: Rewrite): boolean {
  if (onlyStoredAs !== stored.name || !crd.versions.some(({ name }) => name === stored.name)) return false;
  const onTheWay = crd.versions.filter(
    (version) => version.stored || version.name === stored.name || at.includes(version.name),
  );
  return onTheWay.some((version) => differs(stored.schema, version.schema));
}

async function countStored(
  { connection, crd, revision, pageSize, signal, progress }: StoredObjects,
  { name, apiVersion, schema }: RevisionVersion,
  rewrites: readonly Rewrite[],
): Promise<readonly Deleted[]> {
  const counts = rewrites.map((rewrite) => ({ rewrite, count: new DeletionCount() }));
  const collection = {
    path: `/apis/${crd.group}/${name}/${crd.plural}`,
    accept: { list: "application/json" },
    apiVersion,
    kind: revision.crd.kind,
  };
  const options = { name: `the objects of ${crd.name}`, onExpiry: "rest", size: pageSize, signal } as const;
  let seen = 0;
  for await (const { items } of listPages(connection, collection, options)) {
    for (const item of items) {
      for (const { rewrite, count } of counts)
        count.add(item, deletionsOf(rewrite.crd.crd, item, rewrite.at, schema, rewrite.change));
    }
    seen += items.length;
    progress(seen);
  }
  return counts
    .filter(({ count }) => count.objects > 0)
    .map(({ rewrite, count }) => ({
      stored: name,
      rewrite,
      objects: count.objects,
      places: count.places(),
    }));
}
