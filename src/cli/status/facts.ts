import type { Phase, ReportedLeaf } from "../../../certs/rotation.ts";
import type { CrdVersions } from "../../cluster/api/crd-state.ts";
import type { AuditFacts } from "../../cluster/lifecycle/audit.ts";
import type { Managers } from "../../cluster/lifecycle/managers.ts";
import type { Usage } from "../../cluster/lifecycle/usage.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import type { BundleTarget } from "../../manifests/targets.ts";

/** Something that was read, or why it could not be. */
export type Read<Value> = { readonly value: Value } | { readonly unreadable: string };

/** Everything that `antechamber status` reads of an installation. */
export interface Facts {
  readonly server: string;
  readonly service: ServiceReference;
  /** Milliseconds since 1970, by the clock of the API server. */
  readonly now: number;
  /** The endpoints of the Service. */
  readonly endpoints: Read<{ readonly known: number; readonly ready: number }>;
  /** The reports of the replicas; none without managed certificates. */
  readonly replicas: Read<readonly Replica[]>;
  /** The state of managed certificates; undefined without the Secret. */
  readonly rotation: Read<Rotation | undefined>;
  /** Undefined without the Lease. */
  readonly lease: Read<Holder | undefined>;
  readonly bundles: readonly { readonly target: BundleTarget; readonly state: Read<TargetFacts> }[];
  /** How many API servers there are; each counts its own requests. */
  readonly apiServers: Read<number>;
  readonly kinds: readonly KindFacts[];
}

/** What a replica reports. */
export interface Replica {
  readonly name: string;
  readonly serial: string;
  /** Undefined if its report is damaged. */
  readonly leaves: readonly ReportedLeaf[] | undefined;
  /** What it says is wrong. */
  readonly fault?: string;
  /** The versions that it serves, by the name of a CRD; undefined for a release that does not say. */
  readonly versions: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A certificate's validity, in milliseconds since 1970. */
export interface Validity {
  readonly id: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The state of managed certificates, without its keys. */
export interface Rotation {
  readonly phase: Phase;
  readonly authority?: Validity;
  readonly next?: Validity;
  readonly leaf?: Validity;
}

/** Who takes the steps of the rotation. */
export interface Holder {
  readonly name: string;
  /** Milliseconds since 1970; undefined if it was given up, or is damaged. */
  readonly renewed: number | undefined;
}

/** What a CRD or webhook configuration says of the Service. */
export type TargetFacts =
  | { readonly is: "missing" }
  /** Another client writes its bundles, or it names another Service. */
  | { readonly is: "left alone"; readonly reason: string }
  /** A CRD that does not call the Service for conversions. */
  | { readonly is: "stripped" }
  /** The CAs that every webhook trusts. */
  | { readonly is: "ours"; readonly authorities: readonly Validity[] };

/** The versions of a kind. */
export interface KindFacts {
  readonly crd: string;
  /** Undefined without the CRD. */
  readonly state: Read<VersionFacts | undefined>;
  /** What the audit logs that were passed say of its clients. */
  readonly audit?: AuditFacts;
}

/** The versions of a CRD, and what is known of their use. */
export interface VersionFacts extends CrdVersions {
  /** Of each version, in order. */
  readonly usage: Read<readonly Usage[]>;
  readonly managers: Read<Managers>;
}
