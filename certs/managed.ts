import {
  type Bundle,
  isPublished,
  isValid,
  type Leaf,
  type Phase,
  type ReportedLeaf,
  type RotationState,
  trustOf,
} from "./rotation.ts";
import { CheckedSource } from "./source.ts";

/** What a replica reads and writes to serve the leaf of a rotation. */
export interface ReplicaStore {
  /** The present state, not one that was read before. */
  readonly readState: () => Promise<RotationState | undefined>;
  /** The bundles as last heard of; undefined before the first time. */
  readonly bundles: () => readonly Bundle[] | undefined;
  /** Stores what this replica serves, and what is wrong with it; resolves when it is stored. */
  readonly report: (
    leaves: readonly ReportedLeaf[],
    served: Leaf | undefined,
    fault: string | undefined,
  ) => Promise<void>;
  /** The time of the API server. */
  readonly now: () => number;
}

/**
 * Serves the leaf of a rotation. It reports a CA before it serves a leaf of it, and reads the state again in between: either
 * the rotation sees the report and keeps that CA in the bundles, or this replica sees that the rotation has gone on.
 */
export class ManagedSource extends CheckedSource {
  readonly #store: ReplicaStore;
  #served: Leaf | undefined;
  #authority: string | undefined;
  #phase: Phase | undefined;
  #reported: readonly ReportedLeaf[] = [];
  /** The CA that every bundle was seen to hold. */
  #acknowledged: string | undefined;
  #isOutdated = false;

  constructor(store: ReplicaStore) {
    super();
    this.#store = store;
  }

  override authority(): string | undefined {
    return this.#authority;
  }

  /** Undefined before the state is read, and where there is none. */
  phase(): Phase | undefined {
    return this.#phase;
  }

  /** Whether the leaf is valid, every bundle was seen to hold its CA, and some bundle still does. */
  override ready(): boolean {
    return this.#obstacle() === undefined;
  }

  override fault(): string | undefined {
    return this.#obstacle() ?? super.fault() ?? this.#lack();
  }

  /** Checks anew, also if a check is in progress that may have read what has changed since. */
  refresh(): void {
    this.#isOutdated = true;
    void this.check().then(() => (this.#isOutdated ? this.check() : undefined));
  }

  protected override async examine(): Promise<void> {
    this.#isOutdated = false;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const state = await this.#store.readState();
      this.#phase = state?.phase;
      const fault = this.#faultOf(state);
      const leaf = fault === undefined ? state?.leaf : this.#served;
      if (fault === undefined && leaf !== undefined && !this.#hasReported(leaf)) {
        await this.#report([leaf, this.#served]);
        continue;
      }
      if (fault === undefined && state !== undefined && leaf !== undefined) this.#serve(leaf, state);
      // Also without a change: the report may have been deleted.
      await this.#report([leaf]);
      return this.report(fault);
    }
    throw new Error("the certificate changes faster than it can be served");
  }

  #serve(leaf: Leaf, state: RotationState): void {
    this.#authority = trustOf(state)
      .map(({ pem }) => pem)
      .join("");
    const isNew = leaf.id !== this.#served?.id;
    this.#served = leaf;
    if (isNew) this.take({ certificate: leaf.pem, key: leaf.key });
  }

  #hasReported({ issuer, notAfter }: Leaf): boolean {
    return this.#reported.some((leaf) => leaf.issuer === issuer && leaf.notAfter >= notAfter);
  }

  async #report(leaves: readonly (Leaf | undefined)[]): Promise<void> {
    const reported = leaves
      .filter((leaf) => leaf !== undefined)
      .map(({ issuer, notBefore, notAfter }) => ({ issuer, notBefore, notAfter }));
    await this.#store.report(reported, this.#served, this.fault());
    this.#reported = reported;
  }

  /** Why the leaf of a state is not served; what is served now stays. */
  #faultOf(state: RotationState | undefined): string | undefined {
    const now = this.#store.now();
    const served = this.#served;
    const hasValid = served !== undefined && isValid(served, now);
    if (state === undefined) return "there is no rotation state";
    const { leaf } = state;
    if (leaf === undefined) return "the rotation has not made a certificate yet";
    if (!isValid(leaf, now)) return "the certificate of the rotation is not valid now";
    if (leaf.issuer === "") return "the certificate of the rotation is not signed by its CA";
    const bundles = this.#store.bundles() ?? [];
    if (hasValid && leaf.issuer !== served.issuer && !isPublished(leaf.issuer, bundles))
      return `a new certificate waits for its CA to be in the caBundle of ${targetsWithout(leaf.issuer, bundles)}`;
    return undefined;
  }

  /** Bundles that lack the CA, although others hold it. */
  #lack(): string | undefined {
    const lacking = targetsWithout(this.#served?.issuer ?? "", this.#store.bundles() ?? []);
    return lacking === "" ? undefined : `its CA is missing in the caBundle of ${lacking}`;
  }

  #obstacle(): string | undefined {
    const served = this.#served;
    if (served === undefined) return super.fault() ?? "the rotation has not made a certificate yet";
    if (!isValid(served, this.#store.now())) return super.fault() ?? "the certificate is not valid now";
    const bundles = this.#store.bundles();
    if (bundles === undefined) return "the CRDs and webhook configurations are not listed yet";
    if (isPublished(served.issuer, bundles)) this.#acknowledged = served.issuer;
    const lacking = targetsWithout(served.issuer, bundles);
    if (this.#acknowledged !== served.issuer) return `its CA is not yet in the caBundle of ${lacking}`;
    const isGone = bundles.length > 0 && bundles.every((bundle) => !isPublished(served.issuer, [bundle]));
    return isGone ? `its CA is not in the caBundle of ${lacking} any more` : undefined;
  }
}

const maxAttempts = 5;

function targetsWithout(authority: string, bundles: readonly Bundle[]): string {
  return bundles
    .filter((bundle) => !isPublished(authority, [bundle]))
    .map(({ target }) => target)
    .join(", ");
}
