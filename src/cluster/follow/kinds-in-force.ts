import { kindName } from "../../apimachinery/resource.ts";
import type { Kind, Kinds } from "../../kind/kind.ts";
import { type Lister, type ListerNeed, lister } from "../../kind/lister.ts";
import { crdName } from "../../manifests/crd.ts";
import { schemasOf } from "../api/crd-shapes.ts";
import { type CrdDifference, FollowingKind, type FollowingOptions, type SeenCrds } from "./following-kind.ts";

/** The same for all kinds, by their names. It can be sent to another thread. */
export type SeenByKind = Readonly<Record<string, SeenCrds>>;

/** The needs for the CRDs of kinds. Without a second version there is nothing to convert. */
export function crdNeedsOf({ all }: Pick<Kinds, "all">): readonly ListerNeed[] {
  return all.filter(isConverted).map(crdNeedOf);
}

function isConverted({ definition }: Kind): boolean {
  return definition.versions.length > 1;
}

/** Whether a need is for a CRD. */
export function isCrdNeed({ group, kind }: ListerNeed): boolean {
  return group === crdGroup && kind === crdKind;
}

function crdNeedOf(kind: Kind): ListerNeed {
  return lister(crdGroup, crdKind, { name: crdName(kind) });
}

const crdGroup = "apiextensions.k8s.io";
const crdKind = "CustomResourceDefinition";

/**
 * The kinds, each with the chain for the CRD that is in force in a cluster. Until its CRD was seen, a kind has its own schemas.
 *
 * A field that a CRD gains is shown some seconds later, since another API server may still prune it, and another replica may not
 * know yet. A field that it loses is withheld at once.
 */
export class KindsInForce implements Kinds {
  readonly natives: Kinds["natives"];
  readonly findNative: Kinds["findNative"];
  readonly #kinds: Map<string, FollowingKind>;
  readonly #options: FollowingOptions;
  readonly #listeners: ((seen: SeenByKind) => void)[] = [];
  #generation = 0;

  constructor(kinds: Kinds, options: FollowingOptions) {
    this.natives = kinds.natives;
    this.findNative = kinds.findNative;
    this.#options = options;
    this.#kinds = new Map(kinds.all.map((kind) => [kind.name, this.#following(kind)]));
  }

  get all(): readonly Kind[] {
    return [...this.#kinds.values()].map(({ current }) => current);
  }

  readonly find = (group: string, kind: string): Kind | undefined =>
    this.#kinds.get(kindName(group, kind))?.current;

  /** Follows the CRDs of listers that have reduced CRDs. */
  follow(listerOf: (need: ListerNeed) => Lister): void {
    for (const { kind } of [...this.#kinds.values()].filter((each) => isConverted(each.kind))) {
      listerOf(crdNeedOf(kind)).onChange(({ after }) => {
        const schemas = after === undefined ? undefined : schemasOf(after);
        const isNew = this.#kinds.get(kind.name)?.see(schemas) === true;
        if (isNew) for (const listener of this.#listeners) listener(this.seen());
      });
    }
  }

  /** Takes a kind in place of the one with its name; the CRDs that were seen of that still count. */
  replace(kind: Kind): void {
    const before = this.#kinds.get(kind.name);
    const following = this.#following(kind);
    following.take(before?.seen() ?? []);
    before?.stop();
    this.#kinds.set(kind.name, following);
    this.#generation += 1;
  }

  /** Another number whenever a kind has changed. */
  generation(): number {
    return this.#generation;
  }

  /** Calls a listener with all CRDs that were seen, whenever one changes. */
  onChange(listener: (seen: SeenByKind) => void): void {
    this.#listeners.push(listener);
  }

  /** The CRDs that were seen and still count. */
  seen(): SeenByKind {
    return Object.fromEntries([...this.#kinds].map(([name, following]) => [name, following.seen()]));
  }

  /** Takes the CRDs that another thread has seen, instead of its own. */
  take(seen: SeenByKind): void {
    for (const [name, following] of this.#kinds) following.take(seen[name] ?? []);
  }

  differences(): readonly CrdDifference[] {
    return [...this.#kinds.values()].flatMap((following) => following.difference() ?? []);
  }

  #following(kind: Kind): FollowingKind {
    return new FollowingKind(kind, this.#options, () => {
      this.#generation += 1;
    });
  }

  stop(): void {
    for (const following of this.#kinds.values()) following.stop();
  }
}
