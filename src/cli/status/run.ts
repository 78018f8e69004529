import { RejectedError, UsageError } from "../../errors.ts";
import { crdName } from "../../manifests/crd.ts";
import { readAuditLogs } from "../audit-log.ts";
import { crdNames, kindsIfAny } from "../crd-names.ts";
import { installationName } from "../installation.ts";
import { serviceOf } from "../service-option.ts";
import { type ClusterIo, withCluster } from "../with-cluster.ts";
import type { Facts } from "./facts.ts";
import { problemsOf } from "./problems.ts";
import { readFacts } from "./read.ts";
import { statusText } from "./text.ts";

/** The options of `antechamber status`. */
export interface StatusOptions {
  readonly webhooks: readonly string[];
  readonly kubeconfig?: string;
  /** Name of the installation; by default that of the kinds' project. */
  readonly name?: string;
  /** `namespace/name` of the Service of the replicas. */
  readonly service: string;
  readonly output: "text" | "json";
  readonly pageSize: number;
  /** Files of audit logs, which name the clients of each version. */
  readonly auditLog: readonly string[];
}

/** The input and output of `antechamber status`. */
interface StatusIo extends ClusterIo {
  readonly write: (text: string) => void;
}

/**
 * Prints the state of an installation: replicas, certificates, bundles, and which versions of the given kinds (by default all)
 * clients use. Reads only. Throws RejectedError if something is wrong.
 */
export async function status(words: readonly string[], options: StatusOptions, io: StatusIo): Promise<void> {
  const kinds = await kindsIfAny(options.webhooks);
  if (words.length === 0 && kinds.all.length + kinds.natives.length === 0)
    throw new UsageError("name the CRDs to look at: there is no folder of kinds here (--webhooks)");
  const name = await installationName(options.name, options.webhooks);
  const service = serviceOf(options.service);
  await withCluster(options.kubeconfig, io, async ({ connection, now }) => {
    const crds =
      words.length > 0 ? await crdNames(words, kinds.all, connection) : kinds.all.map(crdName).sort();
    const audit = await readAuditLogs(options.auditLog, crds);
    const { pageSize } = options;
    const facts = await readFacts({ connection, service, name, kinds, crds, now, pageSize, audit });
    const problems = problemsOf(facts);
    io.write(options.output === "json" ? jsonText(facts, problems) : statusText(facts, problems));
    if (problems.length > 0) {
      const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
      const of = facts.installation === undefined ? crds.join(", ") : `${service.namespace}/${service.name}`;
      throw new RejectedError(`${count} of ${of}`);
    }
  });
}

function jsonText({ installation, ...facts }: Facts, problems: readonly string[]): string {
  const plain = (_: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  return `${JSON.stringify({ ...facts, ...installation, problems }, plain, 2)}\n`;
}
