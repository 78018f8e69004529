import { checkCertificates } from "./keypair.ts";
import { readSmallFile } from "./reading.ts";
import { type Repeat, repeat } from "./source.ts";

/** How the authorities of clients are followed. */
export interface ClientsOptions {
  /** PEM of one certificate or several. */
  readonly file: string;
  readonly repeat?: Repeat;
  /** Ten seconds unless told, as for the certificate that is served. */
  readonly milliseconds?: number;
}

/** Reads whose certificates clients must show, now and at intervals. Rejects with a sentence where the file is not good. */
export async function clientAuthorities(options: ClientsOptions): Promise<ClientAuthorities> {
  const reading = await read(options.file);
  if ("fault" in reading) throw new Error(reading.fault);
  return new ClientAuthorities(options.file, reading.pem, options);
}

/** Follows the file by its content, and keeps what was good last: nobody is let in, or out, by half a file. */
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

  /** PEM of the authorities to trust. */
  current(): string {
    return this.#pem;
  }

  /** Tells of each change. */
  onChange(listener: () => void): void {
    this.#changeListeners.add(listener);
  }

  /** Tells of each new fault, once as long as it lasts. */
  onFault(listener: (fault: string) => void): void {
    this.#faultListeners.add(listener);
  }

  /** Looks now. Never rejects. */
  async check(): Promise<void> {
    const reading = await read(this.#file);
    const fault = "fault" in reading ? reading.fault : undefined;
    if (fault !== undefined && fault !== this.#fault) for (const tell of this.#faultListeners) tell(fault);
    this.#fault = fault;
    if (!("pem" in reading) || reading.pem === this.#pem) return;
    this.#pem = reading.pem;
    for (const tell of this.#changeListeners) tell();
  }

  /** Looks no further. */
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
