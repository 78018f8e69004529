import { ManagedSource } from "../../../certs/managed.ts";
import {
  type Bundle,
  type Certificate,
  isValid,
  type Leaf,
  type Report,
  type RotationSettings,
  type RotationState,
  type SigningAuthority,
} from "../../../certs/rotation.ts";
import { type Issuer, type ReadBundle, Rotator } from "../../../certs/rotator.ts";

/** A CRD or webhook configuration, with what its bundle was at every time. */
export interface Target {
  readonly name: string;
  version: number;
  certificates: readonly Certificate[];
  isClean: boolean;
  readonly history: { readonly at: number; readonly certificates: readonly Certificate[] }[];
  /** Until when another client's change excuses failures. */
  troubledUntil: number;
}

/** A process; what it asked of the API server and is not answered yet is lost with it. */
export class Replica {
  readonly source: ManagedSource;
  readonly rotator: Rotator;
  /** By what it was asked for. */
  readonly pending = { rotating: [] as (() => void)[], checking: [] as (() => void)[] };
  /** What its informers have. */
  cache: readonly Bundle[] | undefined;
  rotating = false;
  checking = false;

  readonly name: string;

  constructor(name: string, world: World) {
    this.name = name;
    const call = <Result>(work: () => Result) => this.#call("rotating", work);
    const check = <Result>(work: () => Result) => this.#call("checking", work);
    const now = () => world.now();
    this.source = new ManagedSource({
      now,
      bundles: () => this.cache,
      readState: () => check(() => world.secret?.state),
      report: (leaves) => check(() => void world.reports.set(this.name, { leaves, replica: this.name })),
    });
    this.rotator = new Rotator(
      {
        now,
        readBundles: async () =>
          (
            await Promise.all([...world.targets.keys()].map((name) => call(() => this.#read(world, name))))
          ).flat(),
        readState: () =>
          call(() => world.secret && { state: world.secret.state, version: String(world.secret.version) }),
        readReports: () => call(() => [...world.reports.values()]),
        createState: (state) =>
          call(() => {
            if (world.secret !== undefined) return false;
            world.secret = { state, version: world.nextVersion() };
            return true;
          }),
        replaceState: (state, version) =>
          call(() => {
            if (String(world.secret?.version) !== version) return false;
            if (state.phase === "switch" && world.secret?.state.phase === "publish")
              world.excuseOutage(state.authority);
            world.secret = { state, version: world.nextVersion() };
            return true;
          }),
      },
      world.issuer,
      world.settings,
      () => world.elapsed,
    );
  }

  /** Each request reaches the API server at a time that the schedule decides. */
  #call<Result>(task: "rotating" | "checking", work: () => Result): Promise<Result> {
    return new Promise((resolve) => {
      this.pending[task].push(() => resolve(work()));
    });
  }

  #read(world: World, name: string): readonly ReadBundle[] {
    const target = world.targets.get(name);
    if (target === undefined) return [];
    const { version } = target;
    const write = (certificates: readonly Certificate[]) =>
      this.#call("rotating", () => {
        const present = world.targets.get(name);
        if (present === target && present.version === version) world.publish(present, certificates);
        return undefined;
      });
    return [{ target: name, certificates: target.certificates, isClean: target.isClean, write }];
  }
}

/** A cluster with replicas, in which time passes and requests arrive as a schedule says. */
export class World {
  readonly settings: RotationSettings = {
    authorityLife: 900_000,
    leafLife: 300_000,
    propagationDelay: 10_000,
  };
  readonly targets = new Map<string, Target>();
  readonly reports = new Map<string, Report>();
  secret: { readonly state: RotationState; readonly version: number } | undefined;
  readonly replicas: Replica[] = [];
  /** Milliseconds that have passed. */
  elapsed = 0;
  /** How far the API server's clock has jumped. */
  jumped = 0;
  /** The leaves that were not valid at some time, by the clock of the API server: no CA helps their clients. */
  readonly expired = new Set<string>();
  readonly #leaves = new Map<string, Leaf>();
  #version = 0;
  #count = 0;

  readonly issuer: Issuer = {
    createAuthority: async (now): Promise<SigningAuthority> => {
      const id = `ca${++this.#count}`;
      return {
        id,
        pem: id,
        key: `${id}-key`,
        notBefore: now - hour,
        notAfter: now + this.settings.authorityLife,
      };
    },
    issueLeaf: async (authority, now): Promise<Leaf> => {
      const id = `leaf${++this.#count}`;
      const notAfter = Math.min(authority.notAfter, now + this.settings.leafLife);
      const notBefore = Math.max(authority.notBefore, now - hour);
      if (notAfter <= notBefore) throw new Error("the CA is valid at another time");
      const leaf = {
        id,
        pem: id,
        key: `${id}-key`,
        issuer: authority.id,
        coversHosts: true,
        notBefore,
        notAfter,
      };
      this.#leaves.set(id, leaf);
      return leaf;
    },
  };

  now(): number {
    return epoch + this.elapsed + this.jumped;
  }

  servedBy({ source }: Replica): Leaf | undefined {
    return this.#leaves.get(source.current()?.certificate ?? "");
  }

  nextVersion(): number {
    return ++this.#version;
  }

  start(name: string): Replica {
    const replica = new Replica(name, this);
    this.replicas.push(replica);
    return replica;
  }

  /** The process ends with everything that it asked for, and leaves its report behind. */
  kill(replica: Replica): void {
    replica.source.stop();
    this.replicas.splice(this.replicas.indexOf(replica), 1);
  }

  addTarget(name: string): void {
    const certificates: readonly Certificate[] = [];
    const history = [{ at: this.elapsed, certificates }];
    const version = this.nextVersion();
    const troubledUntil = Number.POSITIVE_INFINITY;
    this.targets.set(name, { name, version, certificates, isClean: false, history, troubledUntil });
  }

  /** Another client changes a bundle. */
  disturb(target: Target, certificates: readonly Certificate[]): void {
    this.#change(target, certificates);
    target.isClean = false;
    target.troubledUntil = Number.POSITIVE_INFINITY;
  }

  publish(target: Target, certificates: readonly Certificate[]): void {
    if (certificates.length === 0) throw new Error("an empty bundle was written");
    this.#change(target, certificates);
    target.isClean = true;
    // What replicas serve is in it again; the API servers notice a little later.
    const served = this.replicas.map((replica) => this.servedBy(replica));
    if (served.every((leaf) => leaf === undefined || holds(certificates, leaf.issuer)))
      target.troubledUntil = Math.min(target.troubledUntil, this.elapsed + this.settings.propagationDelay);
  }

  /** If no replica serves a valid leaf, the next one is served at once, and API servers come to trust it one by one. */
  excuseOutage(next: Certificate | undefined): void {
    const isServed = this.replicas.some((replica) => {
      const leaf = this.servedBy(replica);
      return leaf !== undefined && !this.expired.has(leaf.id);
    });
    if (isServed) return;
    for (const target of this.targets.values()) {
      const isPublished = holds(target.certificates, next?.id ?? "");
      const since = isPublished ? (target.history.at(-1)?.at ?? 0) : Number.POSITIVE_INFINITY;
      target.troubledUntil = Math.max(target.troubledUntil, since + this.settings.propagationDelay);
    }
  }

  /** What replicas serve that some API server does not trust. */
  failures(): readonly string[] {
    return this.replicas.flatMap((replica) => {
      const leaf = this.servedBy(replica);
      if (leaf === undefined || this.expired.has(leaf.id) || !replica.source.ready()) return [];
      return [...this.targets.values()]
        .filter((target) => this.elapsed >= target.troubledUntil)
        .filter((target) => !this.#views(target).every((view) => holds(view, leaf.issuer)))
        .map(
          ({ name }) => `${replica.name} serves ${leaf.id} of ${leaf.issuer}, which ${name} does not hold`,
        );
    });
  }

  /** Remembers what is not valid at this moment. */
  observe(): void {
    for (const replica of this.replicas) {
      const leaf = this.servedBy(replica);
      if (leaf !== undefined && !isValid(leaf, this.now())) this.expired.add(leaf.id);
    }
  }

  /** Whether the rotation has come to its end: one CA, published everywhere, and served by all. */
  isStable(): boolean {
    const state = this.secret?.state;
    const { authority, leaf } = state ?? {};
    if (state?.phase !== "stable" || authority === undefined || leaf === undefined) return false;
    const isServed = this.replicas.every(
      ({ source }) => source.ready() && source.current()?.certificate === leaf.pem,
    );
    const trusted = [...this.targets.values()].every(
      ({ certificates, isClean }) => isClean && certificates.map(({ id }) => id).join() === authority.id,
    );
    return isServed && trusted && isValid(leaf, this.now()) && leaf.issuer === authority.id;
  }

  bundles(): readonly Bundle[] {
    return [...this.targets.values()].map(({ name, certificates, isClean }) => ({
      target: name,
      certificates,
      isClean,
    }));
  }

  /** What API servers may hold: everything since the propagation delay. */
  #views(target: Target): readonly (readonly Certificate[])[] {
    const since = this.elapsed - this.settings.propagationDelay;
    const last = target.history.findLastIndex(({ at }) => at <= since);
    return target.history.slice(Math.max(0, last)).map(({ certificates }) => certificates);
  }

  #change(target: Target, certificates: readonly Certificate[]): void {
    target.certificates = certificates;
    target.version = this.nextVersion();
    target.history.push({ at: this.elapsed, certificates });
  }
}

function holds(certificates: readonly Certificate[], issuer: string): boolean {
  return certificates.some(({ id }) => id === issuer);
}

const hour = 3_600_000;
const epoch = Date.UTC(2026, 0, 1);
