import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, type Environment, isContinuousIntegration } from "./binaries.ts";

/** A CRD that another project publishes in a Go module. */
export interface PublishedCrd {
  readonly module: string;
  /** Its file in the module. */
  readonly file: string;
  /** Its file in the cache. */
  readonly copy: string;
}

const clusterApi = "sigs.k8s.io/cluster-api";

/** The CRDs that tests take the schemas of; the releases are those of `published/go.mod`, checked by its `go.sum`. */
export const publishedCrds: readonly PublishedCrd[] = [
  ...["clusters", "clusterclasses", "machines", "machinedeployments"].map((plural) => ({
    module: clusterApi,
    file: `config/crd/bases/cluster.x-k8s.io_${plural}.yaml`,
    copy: `${plural}.yaml`,
  })),
  {
    module: "github.com/prometheus-operator/prometheus-operator",
    file: "example/prometheus-operator-crd-full/monitoring.coreos.com_alertmanagerconfigs.yaml",
    copy: "alertmanagerconfigs.yaml",
  },
  ...["prometheusrules", "servicemonitors"].map((plural) => ({
    module: "github.com/prometheus-operator/prometheus-operator",
    file: `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
    copy: `${plural}.yaml`,
  })),
  {
    module: "github.com/jetstack/cert-manager",
    file: "deploy/crds/crd-certificates.yaml",
    copy: "certificates.yaml",
  },
];

/** What is left out where the CRDs have not been fetched, and how to get them. */
export const publishedLeftOut =
  "tests on CRDs of other projects are left out: run `npm run cluster:build` once (needs Go 1.26)";

/** Where the Go module that names the other projects' modules lives. */
export const publishedSources = join(import.meta.dirname, "published");

/** The folder that the CRDs were copied into, if they were. */
export function findPublished(env: Environment = process.env): string | undefined {
  const folder = cacheFolder(env, publishedSources);
  return isFetched(folder) ? folder : undefined;
}

/** The same for a test file, as `requireBinaries` gives the API server. */
export function requirePublished(env: Environment = process.env): string | undefined {
  const found = findPublished(env);
  if (found === undefined && isContinuousIntegration(env)) throw new Error(publishedLeftOut);
  return found;
}

/** Whether a folder holds all CRDs. */
export function isFetched(folder: string): boolean {
  return publishedCrds.every(({ copy }) => existsSync(join(folder, copy)));
}

/** The modules of the CRDs with the versions that go.mod requires: `sigs.k8s.io/cluster-api@v1.12.0`. */
export function publishedModules(sources = publishedSources): readonly string[] {
  const required = readFileSync(join(sources, "go.mod"), "utf8");
  return [...new Set(publishedCrds.map(({ module }) => module))].map((module) => {
    const found = required.split("\n").find((line) => line.trim().startsWith(`${module} v`));
    if (found === undefined) throw new Error(`${sources}/go.mod requires no release of ${module}`);
    return found.trim().replace(" ", "@");
  });
}
