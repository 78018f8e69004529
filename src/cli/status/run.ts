import { RejectedError } from "../../errors.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { crdName } from "../../manifests/crd.ts";
import { readAuditLogs } from "../audit-log.ts";
import { installationName } from "../installation.ts";
import { namesOf } from "../migrate/run.ts";
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
  const kinds = await loadKinds(options.webhooks);
  const crds = words.length > 0 ? namesOf(words, kinds.all) : kinds.all.map(crdName);
  const name = await installationName(options.name, options.webhooks);
  const service = serviceOf(options.service);
  const definitions = kinds.all.filter((kind) => crds.includes(crdName(kind))).map((kind) => kind.definition);
  const audit = await readAuditLogs(options.auditLog, definitions);
  await withCluster(options.kubeconfig, io, async ({ connection, now }) => {
    const { pageSize } = options;
    const facts = await readFacts({ connection, service, name, kinds, crds, now, pageSize, audit });
    const problems = problemsOf(facts);
    io.write(options.output === "json" ? jsonText(facts, problems) : statusText(facts, problems));
    if (problems.length > 0) {
      const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
      throw new RejectedError(`${count} of ${service.namespace}/${service.name}`);
    }
  });
}

function jsonText(facts: Facts, problems: readonly string[]): string {
  const plain = (_: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  return `${JSON.stringify({ ...facts, problems }, plain, 2)}\n`;
}
