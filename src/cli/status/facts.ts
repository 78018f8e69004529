import type { Phase, ReportedLeaf } from "../../../certs/rotation.ts";
import type { CrdVersions } from "../../cluster/api/crd-state.ts";
import type { AuditFacts } from "../../cluster/lifecycle/audit.ts";
import type { ConversionWebhook, Loss } from "../../cluster/lifecycle/conversion.ts";
import type { Managers } from "../../cluster/lifecycle/managers.ts";
import type { Usage } from "../../cluster/lifecycle/usage.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import type { BundleTarget } from "../../manifests/targets.ts";

/** Something that was read, or why it could not be. */
export type Read<Value> = { readonly value: Value } | { readonly unreadable: string };

/** Everything that `antechamber status` reads. */
export interface Facts {
  readonly server: string;
  /** Milliseconds since 1970, by the clock of the API server. */
  readonly now: number;
  /** Undefined where only kinds were asked for with which no installation of the project has to do. */
  readonly installation?: Installation;
  /** How many API servers there are; each counts its own requests. */
  readonly apiServers: Read<number>;
  readonly kinds: readonly KindFacts[];
}

/** What is read of an installation. */
export interface Installation {
  readonly service: ServiceReference;
  /** The address at which API servers call it instead of a Service, `https://host:9443`. */
  readonly url?: string;
  /** The endpoints of the Service; undefined if it is called at a URL. */
  readonly endpoints?: Read<{ readonly known: number; readonly ready: number }>;
  /** The reports of the replicas; none without managed certificates. */
  readonly replicas: Read<readonly Replica[]>;
  /** The state of managed certificates; undefined without the Secret. */
  readonly rotation: Read<Rotation | undefined>;
  /** Undefined without the Lease. */
  readonly lease: Read<Holder | undefined>;
  readonly bundles: readonly { readonly target: BundleTarget; readonly state: Read<TargetFacts> }[];
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
  /** The CAs that every webhook trusts; called at a URL, the roots of the API server without any. */
  | { readonly is: "ours"; readonly authorities: readonly Validity[]; readonly url?: string };

/** The versions of a kind. */
export interface KindFacts {
  readonly crd: string;
  /** Whether the project defines the kind, so that its replicas are to serve it. */
  readonly isDefined: boolean;
  /** Undefined without the CRD. */
  readonly state: Read<VersionFacts | undefined>;
  /** What the audit logs that were passed say of its clients. */
  readonly audit?: AuditFacts;
}

/** The versions of a CRD, and what is known of their use. */
export interface VersionFacts extends CrdVersions {
  /** Where its objects are converted, and whether that answers; undefined with the strategy None. */
  readonly conversion: Read<ConversionWebhook | undefined>;
  /** With the strategy None, what clients delete that write at a version without a place for it. */
  readonly losses: readonly Loss[];
  /** Of each version, in order. */
  readonly usage: Read<readonly Usage[]>;
  readonly managers: Read<Managers>;
}
