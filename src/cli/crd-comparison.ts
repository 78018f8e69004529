import { type ReadCrd, readCrdShapes, withheldFields } from "../cluster/api/crd-shapes.ts";
import { type CrdState, readCrdState } from "../cluster/api/crd-state.ts";
import { differenceOf } from "../cluster/follow/following-kind.ts";
import type { CrdShapes } from "../conversion/in-force.ts";
import { RejectedError } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { crdName } from "../manifests/crd.ts";
import { rejectTakeover } from "./installation.ts";
import { asUsage, withConnection } from "./with-cluster.ts";

/**
 * Compares the generated objects of an installation with those of a cluster. Notes the fields that CRDs gain; throws
 * RejectedError if they would lose fields that are not withheld, or if objects belong to another installation.
 */
export async function compareWithCluster(
  kinds: readonly Kind[],
  documents: readonly JsonObject[],
  name: string,
  kubeconfig: string,
  { note }: { readonly note: (line: string) => void },
): Promise<void> {
  await withConnection(kubeconfig, async (connection) => {
    await rejectTakeover(connection, documents, name).catch(asUsage);
    const faults: string[] = [];
    for (const kind of kinds) {
      const state = await readCrdState(connection, crdName(kind)).catch(asUsage);
      const crd = state === undefined ? undefined : readCrdShapes(state.schemas);
      if (crd === undefined || "sentence" in crd) continue;
      const { missing } = differenceOf(kind, crd.declared);
      if (missing.length > 0) {
        note(
          `${crdName(kind)}: gains ${listed(missing)}; apply it when every replica of the service runs this release`,
        );
      }
      faults.push(...faultsOfLoss(kind, crd));
    }
    if (faults.length > 0) throw new RejectedError(faults.join("\n"));
  });
}

function faultsOfLoss(kind: Kind, { shown }: ReadCrd): readonly string[] {
  const unknown = fieldsUnknownTo(kind, shown);
  if (unknown.length === 0) return [];
  const annotation = `${withheldFields}='${unknown.join(", ")}'`;
  return [
    `${crdName(kind)}: would lose ${listed(unknown)}, and the API server their values; first run kubectl annotate crd ${crdName(kind)} ${annotation}, then antechamber migrate --through each older version`,
  ];
}

/** Throws RejectedError if CRDs have fields that this release does not know: the service to migrate with is a newer one. */
export function rejectUnknownFields(crds: readonly CrdState[], kinds: readonly Kind[]): void {
  const faults = crds.flatMap(({ name, schemas }) => {
    const kind = kinds.find((each) => crdName(each) === name);
    const crd = readCrdShapes(schemas);
    if (kind === undefined || "sentence" in crd) return [];
    const unknown = fieldsUnknownTo(kind, crd.declared);
    if (unknown.length === 0) return [];
    return [
      `${name}: has ${listed(unknown)}, which these kinds do not know; run the command of the release that serves the cluster, with its --webhooks`,
    ];
  });
  if (faults.length > 0) throw new RejectedError(faults.join("\n"));
}

/** The fields of a CRD that a kind does not know, in versions that it knows: removing a version has steps of its own. */
function fieldsUnknownTo(kind: Kind, crd: CrdShapes): readonly string[] {
  return differenceOf(kind, crd).unknown.filter((each) => each.includes(" "));
}

/** Names of fields, shortened if there are many. */
function listed(fields: readonly string[]): string {
  const more = fields.length - mostNamed;
  return fields.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const mostNamed = 20;
