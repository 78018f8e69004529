import { type Authority, createAuthority } from "./authority.ts";
import { toHost } from "./host.ts";
import { factsOf } from "./keypair.ts";
import { CheckedSource, type Repeat, repeat } from "./source.ts";

/** How a local source is made. */
export interface LocalOptions {
  /** Names beside `localHosts`. */
  readonly hosts?: readonly string[];
  readonly now: () => Date;
  readonly repeat?: Repeat;
}

/** What every local certificate names. */
const localHosts: readonly string[] = ["localhost", "127.0.0.1", "::1"];

/** A source with a CA of its own that dies with the process, for a laptop. Rejects with a sentence for a host that no certificate can bear. */
export async function localSource(options: LocalOptions): Promise<LocalSource> {
  const hosts = [...localHosts, ...(options.hosts ?? [])];
  for (const host of hosts) toHost(host);
  const authority = await createAuthority({
    commonName: "antechamber local",
    now: options.now(),
    days: authorityDays,
  });
  const source = new LocalSource(authority, hosts, options.now);
  await source.start(options.repeat ?? repeat, tick);
  if (source.ready()) return source;
  source.stop();
  throw new Error(source.fault());
}

/** Holds one leaf of its authority, and renews it at two thirds of its life. */
export class LocalSource extends CheckedSource {
  readonly #authority: Authority;
  readonly #hosts: readonly string[];
  readonly #now: () => Date;

  constructor(authority: Authority, hosts: readonly string[], now: () => Date) {
    super();
    this.#authority = authority;
    this.#hosts = hosts;
    this.#now = now;
  }

  override authority(): string {
    return this.#authority.certificate;
  }

  protected override async examine(): Promise<void> {
    const now = this.#now();
    const pair = this.current();
    if (pair !== undefined && now < renewalOf(pair.certificate)) return this.report(undefined);
    const renewed = await this.#authority.issue({ hosts: this.#hosts, now, days: leafDays });
    this.report(undefined);
    this.take(renewed);
  }
}

function renewalOf(certificate: string): Date {
  const { notBefore, notAfter } = factsOf(certificate);
  return new Date(notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3);
}

/** Longer than any process lives, since a new authority has to be trusted anew. */
const authorityDays = 3650;
const leafDays = 30;
/** A wall clock asked every minute: one long timer stands still while a laptop sleeps (kubernetes.md 3.3). */
const tick = 60_000;
