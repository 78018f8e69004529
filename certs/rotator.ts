import {
  type Bundle,
  bundleOf,
  type Certificate,
  conditionOf,
  type Leaf,
  nextStep,
  type Observed,
  type Phase,
  type Report,
  type RotationSettings,
  type RotationState,
  type SigningAuthority,
  type Step,
} from "./rotation.ts";

/** A bundle with what its next write depends on. */
export interface ReadBundle extends Bundle {
  /** Writes it, unless its object was changed since; resolves with a fault. */
  readonly write: (certificates: readonly Certificate[]) => Promise<string | undefined>;
}

/** A state with the version of the object that holds it. */
export interface VersionedState {
  readonly state: RotationState | undefined;
  readonly version: string;
}

/** Where the state and the bundles are kept. Every read is of the present; a write that comes too late resolves with false. */
export interface RotationStore {
  readonly readBundles: () => Promise<readonly ReadBundle[]>;
  /** Undefined if there is none. */
  readonly readState: () => Promise<VersionedState | undefined>;
  readonly readReports: () => Promise<readonly Report[]>;
  readonly createState: (state: RotationState) => Promise<boolean>;
  readonly replaceState: (state: RotationState, version: string) => Promise<boolean>;
  /** The time of the API server. */
  readonly now: () => number;
}

/** Makes certificates. */
export interface Issuer {
  readonly createAuthority: (now: number) => Promise<SigningAuthority>;
  readonly issueLeaf: (authority: SigningAuthority, now: number) => Promise<Leaf>;
}

/** What a round did. */
export interface Round {
  readonly step: Step["do"];
  /** Of the state that it began with; undefined if there was none. */
  readonly phase: Phase | undefined;
  /** Whether another replica had written the state before, so that the step was not taken. */
  readonly isLate?: boolean;
  /** What it waits for, and what it could not do. */
  readonly notes: readonly string[];
  /** The bundles that it wrote. */
  readonly targets?: readonly string[];
}

/** Takes one step of the rotation at a time. What it remembers only makes it wait, so that another one may go on. */
export class Rotator {
  readonly #store: RotationStore;
  readonly #issuer: Issuer;
  readonly #settings: RotationSettings;
  readonly #clock: () => number;
  #condition: string | undefined;
  #since = 0;

  /** The clock is one that never jumps, in milliseconds. */
  constructor(store: RotationStore, issuer: Issuer, settings: RotationSettings, clock: () => number) {
    this.#store = store;
    this.#issuer = issuer;
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * Reads everything and takes the next step. Bundles are read before the state: if a state that is as new as the bundle
   * decides what to write, and the bundle was not changed since, no other replica serves what is taken out. Reports are
   * read after the state: a replica that is not among them reads the state later, and does not begin with an older leaf.
   */
  async advance(): Promise<Round> {
    const bundles = await this.#store.readBundles();
    const read = await this.#store.readState();
    const reports = await this.#store.readReports();
    const observed = this.#observe(read?.state, bundles, reports);
    const step = nextStep(read?.state, observed, this.#settings);
    const notes = bundles.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
    const phase = read?.state?.phase;
    if (step.do === "wait") return { step: step.do, phase, notes: [step.reason, ...notes] };
    if (step.do === "write bundles") {
      const { targets } = step;
      const bundle = read?.state === undefined ? [] : bundleOf(read.state, observed);
      const faults = await writeAll(bundles, targets, bundle);
      return { step: step.do, phase, notes: [...notes, ...faults], targets };
    }
    const isStored = await this.#write(await this.#after(step, read?.state, observed.now), read?.version);
    const late = isStored ? [] : ["another replica was faster"];
    return { step: step.do, phase, isLate: !isStored, notes: [...notes, ...late] };
  }

  #observe(
    state: RotationState | undefined,
    bundles: readonly Bundle[],
    reports: readonly Report[],
  ): Observed {
    const observed = { now: this.#store.now(), bundles, reports, heldFor: 0 };
    const condition = conditionOf(state, observed);
    if (condition !== this.#condition) this.#since = this.#clock();
    this.#condition = condition;
    return { ...observed, heldFor: condition === undefined ? 0 : this.#clock() - this.#since };
  }

  #write(state: RotationState, version: string | undefined): Promise<boolean> {
    return version === undefined ? this.#store.createState(state) : this.#store.replaceState(state, version);
  }

  async #after(
    step: Exclude<Step, { do: "wait" | "write bundles" }>,
    state: RotationState | undefined,
    now: number,
  ): Promise<RotationState> {
    const { authority, next, trusted = [], leaf } = state ?? {};
    const kept = leaf === undefined ? {} : { leaf };
    if (step.do === "publish") {
      const signing = step.authority === undefined ? {} : { authority: step.authority };
      const created = await this.#issuer.createAuthority(now);
      return { phase: "publish", ...signing, next: created, trusted: step.trusted, ...kept };
    }
    if (step.do === "switch") {
      if (next === undefined) throw new Error("there is no next CA to switch to");
      const before = authority === undefined ? trusted : [authority, ...trusted];
      return {
        phase: "switch",
        authority: next,
        trusted: before,
        leaf: await this.#issuer.issueLeaf(next, now),
      };
    }
    if (authority === undefined) throw new Error(`there is no CA in the step "${step.do}"`);
    if (step.do === "retire") return { phase: "retire", authority, trusted: [], ...kept };
    if (step.do === "settle") return { phase: "stable", authority, trusted: [], ...kept };
    const renewed = await this.#issuer.issueLeaf(authority, now);
    const following = next === undefined ? {} : { next };
    return { phase: state?.phase ?? "stable", authority, ...following, trusted, leaf: renewed };
  }
}

/** Writes bundles at once, since each costs an API server a while; resolves with the faults. */
async function writeAll(
  bundles: readonly ReadBundle[],
  targets: readonly string[],
  certificates: readonly Certificate[],
): Promise<readonly string[]> {
  const meant = bundles.filter(({ target }) => targets.includes(target));
  const faults = await Promise.all(meant.map(({ write }) => write(certificates)));
  return faults.filter((fault) => fault !== undefined);
}
