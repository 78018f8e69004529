import { labelled } from "../../checks/index.ts";
import type { Connection } from "../../cluster/api/connection.ts";
import { crdStateOf } from "../../cluster/api/crd-state.ts";
import { countDeletions, type Deletions, type Rewrite } from "../../cluster/lifecycle/deletions.ts";
import { Interrupted } from "../../errors.ts";
import { asUsage, withConnection } from "../with-cluster.ts";
import type { DeletedObjects, StoredReport } from "./report.ts";
import type { Sourced, Sources } from "./sources.ts";

/** What counting needs of the process. */
interface ObjectsIo {
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly interrupt: AbortSignal;
}

/**
 * What the stored objects of a cluster lose with the first write after its CRDs are replaced, by the names of the CRDs. Throws
 * UsageError where they cannot be read, Interrupted.
 */
export function storedReports(
  kubeconfig: string,
  old: Sources,
  after: Sources,
  io: ObjectsIo,
): Promise<ReadonlyMap<string, StoredReport>> {
  return withConnection(kubeconfig, async (connection) => {
    const found = new Map<string, StoredReport>();
    for (const [name, to] of after) {
      const from = old.get(name);
      if (from === undefined) continue;
      const deletions = await counted(name, from, to, connection, io).catch(asUsage);
      if (deletions.isInterrupted)
        throw new Interrupted("interrupted before all objects were counted", io.interrupt.reason);
      found.set(name, reportOf(deletions));
    }
    return found;
  });
}

function counted(
  name: string,
  { revision }: Sourced,
  after: Sourced,
  connection: Connection,
  { note, now, interrupt: signal }: ObjectsIo,
): Promise<Deletions> {
  let noted = now().getTime();
  const progress = (objects: number) => {
    if (now().getTime() - noted < 1_000) return;
    noted = now().getTime();
    note(`${name}: ${objects} objects counted`);
  };
  const crd = crdStateOf(name, revision.json);
  return countDeletions({ connection, crd, revision, pageSize: 500, signal, progress }, rewritesOf(after));
}

/** A write of a label at each version that is served; with a webhook, of what needs none. */
function rewritesOf({ revision: crd }: Sourced): readonly Rewrite[] {
  const served = crd.versions.filter((version) => version.served);
  const write = { crd, change: labelled };
  if (crd.crd.conversion === "None") return served.map(({ name }) => ({ ...write, at: [name] }));
  return served
    .filter(({ stored }) => stored)
    .map(({ name }) => ({ ...write, at: [name], onlyStoredAs: name }));
}

/** Versions at which a write deletes the same stand together. */
function reportOf({ deleted, unseen }: Deletions): StoredReport {
  const alike = Map.groupBy(deleted, ({ stored, places }) => JSON.stringify([stored, places]));
  const deletes = [...alike.values()].flatMap((these): readonly DeletedObjects[] => {
    const [first] = these;
    if (first === undefined) return [];
    const { stored, objects, places } = first;
    return [{ stored, at: these.flatMap(({ rewrite }) => rewrite.at), objects, places }];
  });
  return { deletes, unseen };
}
