import type { Logger } from "pino";
import { type CrdShapes, chainInForce } from "../../conversion/in-force.ts";
import { fieldsOutside } from "../../conversion/narrow.ts";
import type { Kind } from "../../kind/kind.ts";
import { crdName } from "../../manifests/crd.ts";
import { type ReadCrd, readCrdShapes, withheldFields } from "../api/crd-shapes.ts";

/** The clock and the log of kinds that follow their CRDs. */
export interface FollowingOptions {
  /** Milliseconds of a clock that is never set. */
  readonly clock: () => number;
  /** Calls a function once after so many milliseconds, unless it is cancelled. */
  readonly schedule: (milliseconds: number, call: () => void) => { readonly cancel: () => void };
  readonly log?: Logger;
}

/** How the CRD of a kind and this release differ, for metrics. */
export interface CrdDifference {
  readonly kind: string;
  /** The number of fields that the CRD lacks, that this release does not know, and that views do not show at the moment. */
  readonly missing: number;
  readonly unknown: number;
  readonly withheld: number;
}

/** The CRDs of a kind that were seen, the current one last: JSON text of their schemas, and how long ago each was replaced. */
export type SeenCrds = readonly { readonly schemas: string; readonly replacedAgo?: number }[];

/** A CRD as it was seen; `replacedAt` once there is a newer one. */
interface Seen {
  readonly schemas: string;
  readonly crd: ReadCrd;
  readonly replacedAt?: number;
}

/**
 * Milliseconds for which a replaced CRD still counts as in force. Other API servers, and other replicas, learn of a CRD from
 * watches, within a second or two.
 */
const settling = 10_000;

/** Milliseconds for which replicas expect others that still take a replaced CRD to be in force. */
const memory = 60_000;

/** The CRDs of a kind that are kept; a cluster where they change more often than this within a minute is out of order. */
const mostSeen = 8;

/** A kind whose chain follows its CRD. */
export class FollowingKind {
  readonly kind: Kind;
  current: Kind;
  readonly #options: FollowingOptions;
  readonly #onChange: () => void;
  #seen: readonly Seen[] = [];
  #timer: { readonly cancel: () => void } | undefined;

  /** `onChange` is called whenever `current` may have become another one. */
  constructor(kind: Kind, options: FollowingOptions, onChange: () => void = () => undefined) {
    this.kind = kind;
    this.current = kind;
    this.#options = options;
    this.#onChange = onChange;
  }

  /** Takes the schemas of the present CRD; undefined if there is none. Returns whether they are new. */
  see(schemas: string | undefined): boolean {
    const latest = this.#latest();
    if (latest?.schemas === schemas) return false;
    const now = this.#options.clock();
    const before = this.#seen.map((each) => (each === latest ? { ...each, replacedAt: now } : each));
    const crd = schemas === undefined ? undefined : this.#read(schemas);
    const present = schemas === undefined || crd === undefined ? [] : [{ schemas, crd }];
    this.#seen = [...before, ...present].slice(-mostSeen);
    this.#settle();
    if (crd !== undefined) this.#report(crd);
    return true;
  }

  seen(): SeenCrds {
    const now = this.#options.clock();
    return this.#seen.map(({ schemas, replacedAt }) => ({
      schemas,
      ...(replacedAt === undefined ? {} : { replacedAgo: now - replacedAt }),
    }));
  }

  take(seen: SeenCrds): void {
    const now = this.#options.clock();
    this.#seen = seen.flatMap(({ schemas, replacedAgo }) => {
      const known = this.#seen.find((each) => each.schemas === schemas)?.crd;
      const crd = known ?? this.#read(schemas);
      if (crd === undefined) return [];
      return { schemas, crd, ...(replacedAgo === undefined ? {} : { replacedAt: now - replacedAgo }) };
    });
    this.#settle();
  }

  difference(): CrdDifference | undefined {
    const latest = this.#latest();
    if (latest === undefined) return undefined;
    const { missing, unknown } = differenceOf(this.kind, latest.crd.declared);
    const withheld = this.current.chain.versions.flatMap(({ shape, inForce = shape }) =>
      fieldsOutside(shape, inForce),
    );
    return {
      kind: this.kind.name,
      missing: missing.length,
      unknown: unknown.length,
      withheld: withheld.length,
    };
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #latest(): Seen | undefined {
    const last = this.#seen.at(-1);
    return last?.replacedAt === undefined ? last : undefined;
  }

  #read(schemas: string): ReadCrd | undefined {
    const crd = readCrdShapes(schemas);
    if (!("sentence" in crd)) return crd;
    this.#options.log?.warn(
      { kind: this.kind.name, reason: crd.sentence },
      "the CRD cannot be read; the schemas of this release are used",
    );
    return undefined;
  }

  /** Makes the chain for the CRDs that count at present, and comes back when that changes. */
  #settle(): void {
    this.#timer?.cancel();
    const now = this.#options.clock();
    const ageOf = ({ replacedAt = now }: Seen) => now - replacedAt;
    this.#seen = this.#seen.filter((each) => ageOf(each) < memory);
    const inForce = this.#seen.filter((each) => ageOf(each) < settling);
    // What the annotation withholds shall leave the stored objects, too.
    const recent = this.#latest()?.crd.isWithholding === true ? [] : this.#seen;
    const chain = chainInForce(
      this.kind.chain,
      inForce.map(({ crd }) => crd.shown),
      recent.map(({ crd }) => crd.declared),
    );
    this.current = chain === this.kind.chain ? this.kind : { ...this.kind, chain };
    this.#onChange();
    const replaced = this.#seen.filter(({ replacedAt }) => replacedAt !== undefined);
    const waits = replaced.map((each) => (ageOf(each) < settling ? settling : memory) - ageOf(each));
    this.#timer =
      waits.length === 0
        ? undefined
        : this.#options.schedule(Math.max(1, Math.min(...waits)), () => this.#settle());
  }

  #report({ declared, misnamed }: ReadCrd): void {
    const { log } = this.#options;
    const { missing, unknown } = differenceOf(this.kind, declared);
    const facts = (fields: readonly string[]) => ({
      crd: crdName(this.kind),
      fields: fields.slice(0, mostNamed),
      count: fields.length,
    });
    if (misnamed.length > 0) {
      log?.warn(
        facts(misnamed),
        `the annotation ${withheldFields} of the CRD names fields that it does not have`,
      );
    }
    if (missing.length > 0) {
      log?.info(
        facts(missing),
        "the CRD lacks fields of this release, which are carried until `antechamber manifests` is applied",
      );
    }
    if (unknown.length > 0) {
      log?.warn(
        facts(unknown),
        "the CRD has fields that this release does not know and cannot convert; deploy the release that has them",
      );
    }
  }
}

/** Fields that are named in one line of the log. */
const mostNamed = 20;

/** What the CRD lacks of a kind, and what the kind does not know of the CRD: `v1 spec.owner`, or a version alone. */
export function differenceOf(
  { versions }: Pick<Kind, "versions">,
  crd: CrdShapes,
): { readonly missing: readonly string[]; readonly unknown: readonly string[] } {
  const missing = versions.flatMap(({ name, shape }) => {
    const other = crd.get(name);
    return other === undefined ? [name] : fieldsOutside(shape, other).map((field) => `${name} ${field}`);
  });
  const unknown = [...crd].flatMap(([name, shape]) => {
    const own = versions.find((each) => each.name === name)?.shape;
    return own === undefined ? [name] : fieldsOutside(shape, own).map((field) => `${name} ${field}`);
  });
  return { missing, unknown };
}
