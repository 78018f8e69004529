import { hostname } from "node:os";
import {
  type ManagedCertificates,
  type ManagedIo,
  managedCertificates,
} from "../../../certs/managed-rotation.ts";
import type { RotationSettings } from "../../../certs/rotation.ts";
import { isDNS1123Subdomain } from "../../apimachinery/names.ts";
import { ClusterUnreachable, connect } from "../../cluster/api/connection.ts";
import { takeover } from "../../cluster/api/lease.ts";
import { UsageError } from "../../errors.ts";
import type { Kinds } from "../../kind/kind.ts";
import { installationName } from "../installation.ts";
import { defaultService, serviceOf } from "../service-option.ts";

/** The options of `serve --certs managed`. */
export interface ManagedServeOptions {
  /** `namespace/name`, or `namespace/name:port`. */
  readonly service?: string;
  /** Name of the installation; by default that of the kinds' project. */
  readonly name?: string;
  readonly replica?: string;
  /** Milliseconds. */
  readonly caLifetime?: number;
  readonly certLifetime?: number;
  readonly propagationDelay?: number;
}

/** Takes part in the rotation that the options describe. Throws UsageError. */
export async function managedFrom(
  options: ManagedServeOptions,
  {
    kubeconfig,
    certHost,
    webhooks,
  }: {
    readonly kubeconfig?: string;
    readonly certHost: readonly string[];
    readonly webhooks: readonly string[];
  },
  kinds: Kinds,
  io: ManagedIo,
): Promise<ManagedCertificates> {
  const service = serviceOf(options.service ?? defaultService);
  const settings = settingsOf(options);
  const name = await installationName(options.name, webhooks);
  const replica = replicaOf(options.replica, io);
  const connection = await connect(kubeconfig, io.env).catch((error: unknown) => {
    if (error instanceof ClusterUnreachable)
      throw new UsageError(`--certs managed: ${error.message}`, { cause: error });
    throw error;
  });
  const managed = await managedCertificates(
    {
      service,
      name,
      replica,
      hosts: [`${service.name}.${service.namespace}.svc`, ...certHost],
      settings,
    },
    kinds,
    connection,
    io,
  );
  managed.source.onFault((fault) => io.log.warn({ fault }, "the certificate has a problem"));
  managed.source.onChange(() => io.log.info("the certificate was replaced"));
  return managed;
}

function settingsOf(options: ManagedServeOptions): RotationSettings {
  const { caLifetime = 365 * day, certLifetime = 30 * day, propagationDelay = 10_000 } = options;
  // The CA is due at two thirds of its life: what is left is for a leaf.
  if (caLifetime < 3 * certLifetime)
    throw new UsageError(
      "--ca-lifetime must be at least three times --cert-lifetime: a certificate ends with its CA at the latest",
    );
  if (certLifetime < 6 * propagationDelay)
    throw new UsageError(
      "--cert-lifetime must be at least six times --propagation-delay: a certificate is renewed in its last third",
    );
  if (certLifetime < shortest)
    throw new UsageError(
      `--cert-lifetime must be at least ${shortest / 1_000}s: in its last third, another replica may first have to take over the Lease, which takes ${takeover / 1_000} s`,
    );
  if (propagationDelay < 100) throw new UsageError("--propagation-delay must be at least 100ms");
  return { authorityLife: caLifetime, leafLife: certLifetime, propagationDelay };
}

/** In a pod its name, by the downward API; a host name alone may be shared. It is a key of a ConfigMap. */
function replicaOf(given: string | undefined, { random }: ManagedIo): string {
  if (given !== undefined) {
    if (isDNS1123Subdomain(given) && given.length <= 100) return given;
    throw new UsageError(
      `--replica ${given}: must be a name such as that of a pod, of at most 100 characters`,
    );
  }
  const suffix = Math.floor(random() * 2 ** 32).toString(36);
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `${host.slice(0, 60) || "replica"}-${suffix}`;
}

/** The last third is for a takeover, and five seconds for requests to an API server that is busy. */
const shortest = 3 * (takeover + 5_000);

const day = 24 * 60 * 60 * 1000;
