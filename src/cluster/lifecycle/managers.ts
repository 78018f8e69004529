import { get, listAt } from "../../json/json.ts";
import { metadataPages } from "../api/collection.ts";
import type { Connection } from "../api/connection.ts";
import type { CrdState } from "../api/crd-state.ts";

/** What the managedFields of a kind's objects say of one version. */
interface VersionManagers {
  /** The number of objects with entries of the version. */
  readonly objects: number;
  /** The managers of these entries, the most recent first, with the time of their last write. */
  readonly managers: readonly string[];
}

/** Of the versions in question, and whether all objects were read. */
export interface Managers {
  readonly of: ReadonlyMap<string, VersionManagers>;
  readonly isComplete: boolean;
}

/** Reads which managers have fields at which versions, from the metadata of all objects, or of the first pages. */
export async function readManagers(
  connection: Connection,
  crd: CrdState,
  versions: readonly string[],
  {
    pageSize,
    maxPages = Number.POSITIVE_INFINITY,
  }: { readonly pageSize: number; readonly maxPages?: number },
): Promise<Managers> {
  const found = new Map(
    versions.map((version) => [version, { objects: 0, latest: new Map<string, string>() }]),
  );
  let pages = 0;
  let isComplete = true;
  for await (const { items, remaining } of metadataPages(crd, pageSize, connection)) {
    for (const item of items) {
      const counted = new Set<string>();
      for (const entry of listAt(item, "metadata", "managedFields")) {
        const [group, version = ""] = String(get(entry, "apiVersion")).split("/");
        const known = group === crd.group ? found.get(version) : undefined;
        if (known === undefined) continue;
        if (!counted.has(version)) known.objects++;
        counted.add(version);
        const [manager, time] = [String(get(entry, "manager")), String(get(entry, "time"))];
        if (known.latest.size < 1_000 && (known.latest.get(manager) ?? "") < time)
          known.latest.set(manager, time);
      }
    }
    isComplete = remaining === 0;
    if (++pages >= maxPages) break;
  }
  const of = new Map(
    [...found].map(([version, { objects, latest }]) => [version, { objects, managers: named(latest) }]),
  );
  return { of, isComplete };
}

/** At most five, so that a message stays short. */
function named(latest: ReadonlyMap<string, string>): readonly string[] {
  const sorted = [...latest].sort(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, 5);
  return sorted.map(([name, time]) => `${name} (${time})`);
}
