/** What the thread that serves one state of the kinds is to do. */
export interface DevOrder {
  readonly dev: true;
  readonly webhooks: readonly string[];
  /** The kubeconfig of the API server whose objects the listers see. */
  readonly kubeconfig: string;
  /** A folder for the CA certificate. */
  readonly folder: string;
  /** Name of the webhook configurations. */
  readonly name: string;
  readonly featureGates?: string;
  /** Whether none was served before, so that hints follow. */
  readonly isFirst: boolean;
}

/** A kind as the hints need it. */
export interface ServedKind {
  /** `Room.home.antechamber.dev`. */
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  /** Oldest first. */
  readonly versions: readonly string[];
  /** The versions that an API server serves. */
  readonly served: readonly string[];
  readonly folder: string;
  /** The files whose examples an API server admits, all of versions that are served; none after the first state. */
  readonly examples: readonly string[];
  /** The namespaces that examples name. */
  readonly namespaces: readonly string[];
}

/** What the thread reports: that it serves, with the CRDs and webhook configurations as JSON text; or what is wrong. */
export type DevMessage =
  | {
      readonly type: "serving";
      readonly port: number;
      readonly documents: string;
      readonly kinds: readonly ServedKind[];
      readonly natives: readonly string[];
    }
  | { readonly type: "invalid"; readonly sentence: string };
