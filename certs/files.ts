import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { checkCertificates, checkPair, factsOf, type KeyPair } from "./keypair.ts";
import { type Reading, readSmallFile } from "./reading.ts";
import { CheckedSource, type Repeat, repeat } from "./source.ts";

/** The options of a files source. */
interface FilesOptions {
  /** Holds tls.crt, tls.key and optionally ca.crt: a mounted Secret of type kubernetes.io/tls. */
  readonly directory: string;
  readonly now: () => Date;
  readonly repeat?: Repeat;
  /** The interval, by default ten seconds, as in controller-runtime (pkg/certwatcher, defaultWatchInterval). */
  readonly milliseconds?: number;
}

/** A source that reads a directory now and at intervals. If it is not ready, `fault` says why. */
export async function filesSource(options: FilesOptions): Promise<FilesSource> {
  const source = new FilesSource(options.directory, options.now);
  await source.start(options.repeat ?? repeat, options.milliseconds ?? 10_000);
  return source;
}

/**
 * Compares content, since file events miss the kubelet's swap of the `..data` symlink (kubernetes, pkg/volume/util,
 * AtomicWriter), and keeps the last valid pair: invalid files do not interrupt serving.
 */
class FilesSource extends CheckedSource {
  readonly #directory: string;
  readonly #now: () => Date;
  #authority: string | undefined;

  constructor(directory: string, now: () => Date) {
    super();
    this.#directory = directory;
    this.#now = now;
  }

  override authority(): string | undefined {
    return this.#authority;
  }

  protected override async examine(): Promise<void> {
    const readings = await readSettled(this.#directory);
    const pair = toPair(this.#directory, readings, this.#now());
    if (typeof pair === "string") return this.report(this.#withServed(pair));
    const authorityFault = checkAuthority(this.#directory, readings.authority);
    const authority = authorityFault === undefined ? textOf(readings.authority) : this.#authority;
    const changed = !isDeepStrictEqual(pair, this.current()) || authority !== this.#authority;
    this.#authority = authority;
    // An invalid ca.crt is reported, but does not prevent a renewal: serving does not need it.
    this.report(authorityFault);
    if (changed) this.take(pair);
  }

  #withServed(fault: string): string {
    const kept = this.current();
    return kept === undefined ? fault : `${fault}; still serving serial ${factsOf(kept.certificate).serial}`;
  }
}

interface Readings {
  readonly certificate: Reading;
  readonly key: Reading;
  readonly authority: Reading;
}

/** Reads until two readings agree: a single one may read the certificate before a swap and the key after it. */
async function readSettled(directory: string): Promise<Readings> {
  let before = await readAll(directory);
  for (let attempt = 0; attempt < 3; attempt++) {
    const after = await readAll(directory);
    if (isDeepStrictEqual(before, after)) return after;
    before = after;
  }
  return before;
}

async function readAll(directory: string): Promise<Readings> {
  return {
    certificate: await readSmallFile(join(directory, "tls.crt")),
    key: await readSmallFile(join(directory, "tls.key")),
    authority: await readSmallFile(join(directory, "ca.crt")),
  };
}

/** The pair, or a message why there is none to serve. */
function toPair(directory: string, { certificate, key }: Readings, now: Date): KeyPair | string {
  if (certificate.found !== "text") return faultOf(join(directory, "tls.crt"), certificate);
  if (key.found !== "text") return faultOf(join(directory, "tls.key"), key);
  const pair = { certificate: certificate.text, key: key.text };
  const fault = checkPair(pair, now);
  return fault === undefined ? pair : `tls.crt and tls.key in ${directory}: ${fault}`;
}

function faultOf(path: string, reading: Exclude<Reading, { found: "text" }>): string {
  return reading.found === "fault" ? reading.fault : `${path} is missing`;
}

function checkAuthority(directory: string, reading: Reading): string | undefined {
  if (reading.found === "nothing") return undefined;
  if (reading.found === "fault") return reading.fault;
  const fault = checkCertificates(reading.text);
  return fault === undefined ? undefined : `ca.crt in ${directory}: ${fault}`;
}

function textOf(reading: Reading): string | undefined {
  return reading.found === "text" ? reading.text : undefined;
}
