import { type Authority, createAuthority } from "./authority.ts";
import { toHost } from "./host.ts";
import { factsOf } from "./keypair.ts";
import { CheckedSource, type Repeat, repeat } from "./source.ts";

/** The options of a local source. */
interface LocalOptions {
  /** Names in addition to `localHosts`. */
  readonly hosts?: readonly string[];
  readonly now: () => Date;
  readonly repeat?: Repeat;
}

/** The hosts of every local certificate. */
const localHosts: readonly string[] = ["localhost", "127.0.0.1", "::1"];

/** A source with its own CA, which exists only in this process, for development. Rejects with a message for an invalid host. */
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

/** Serves a certificate of its own CA, and renews it after two thirds of its lifetime. */
class LocalSource extends CheckedSource {
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

/** Longer than the process runs, since clients would have to trust a new CA. */
const authorityDays = 3650;
const leafDays = 30;
/** Checks the wall clock every minute, since a long timer stops while the machine is suspended. */
const tick = 60_000;
