import { checkCertificates } from "./keypair.ts";
import { readSmallFile } from "./reading.ts";
import { type Repeat, repeat } from "./source.ts";

/** How the client CAs are loaded. */
interface ClientsOptions {
  /** PEM file with one or more certificates. */
  readonly file: string;
  readonly repeat?: Repeat;
  /** The interval, by default ten seconds, as for the serving certificate. */
  readonly milliseconds?: number;
}

/** Loads the client CAs now and at intervals. Rejects with a message if the file is invalid now. */
export async function clientAuthorities(options: ClientsOptions): Promise<ClientAuthorities> {
  const reading = await read(options.file);
  if ("fault" in reading) throw new Error(reading.fault);
  return new ClientAuthorities(options.file, reading.pem, options);
}

/** Watches the content of the file and keeps the last valid one, so that a partial write has no effect. */
export class ClientAuthorities {
  readonly #file: string;
  readonly #changeListeners = new Set<() => void>();
  readonly #faultListeners = new Set<(fault: string) => void>();
  readonly #endRepeat: () => void;
  #pem: string;
  #fault: string | undefined;

  constructor(file: string, pem: string, options: ClientsOptions) {
    this.#file = file;
    this.#pem = pem;
    this.#endRepeat = (options.repeat ?? repeat)(() => void this.check(), options.milliseconds ?? 10_000);
  }

  /** PEM of the CAs to trust. */
  current(): string {
    return this.#pem;
  }

  /** Calls the listener on each change. */
  onChange(listener: () => void): void {
    this.#changeListeners.add(listener);
  }

  /** Calls the listener once for each new fault. */
  onFault(listener: (fault: string) => void): void {
    this.#faultListeners.add(listener);
  }

  /** Checks now. Never rejects. */
  async check(): Promise<void> {
    const reading = await read(this.#file);
    const fault = "fault" in reading ? reading.fault : undefined;
    if (fault !== undefined && fault !== this.#fault)
      for (const listener of this.#faultListeners) listener(fault);
    this.#fault = fault;
    if (!("pem" in reading) || reading.pem === this.#pem) return;
    this.#pem = reading.pem;
    for (const listener of this.#changeListeners) listener();
  }

  /** Stops checking. */
  stop(): void {
    this.#endRepeat();
  }
}

async function read(file: string): Promise<{ readonly pem: string } | { readonly fault: string }> {
  const reading = await readSmallFile(file);
  if (reading.found === "nothing") return { fault: `${file} is missing` };
  if (reading.found === "fault") return reading;
  const fault = checkCertificates(reading.text);
  return fault === undefined ? { pem: reading.text } : { fault: `${file}: ${fault}` };
}
