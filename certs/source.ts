import type { KeyPair } from "./keypair.ts";

/** Whoever holds the current key pair and tells when it changes. */
export interface CertificateSource {
  /** The pair to serve; undefined until there has been one. A pair that was good once stays until a better one comes. */
  current(): KeyPair | undefined;
  /** Whether there is a pair to serve. */
  ready(): boolean;
  /** A sentence of what is wrong now, or undefined: with no pair to serve, the reason why. */
  fault(): string | undefined;
  /** PEM of the CA to trust, one certificate or several, where the source knows it. */
  authority(): string | undefined;
  /** Tells of each new pair, also when only the authority changed; gives back the way to unsubscribe. */
  onChange(listener: (pair: KeyPair) => void): () => void;
  /** Tells of each new fault, once as long as it lasts; gives back the way to unsubscribe. */
  onFault(listener: (fault: string) => void): () => void;
  /** Looks no further and tells nothing more; `current` stays. */
  stop(): void;
}

/** Runs a task again and again, and gives back the way to end that. Passed in, so that tests need not wait. */
export type Repeat = (task: () => void, milliseconds: number) => () => void;

/** Repeats by the wall clock's interval; it keeps no process alive. */
export const repeat: Repeat = (task, milliseconds) => {
  const timer = setInterval(task, milliseconds).unref();
  return () => clearInterval(timer);
};

/** A source that looks at intervals whether there is a better pair. What it looks at, its kinds say in `examine`. */
export abstract class CheckedSource implements CertificateSource {
  #current: KeyPair | undefined;
  #fault: string | undefined;
  #checking: Promise<void> | undefined;
  #stopped = false;
  #endRepeat: (() => void) | undefined;
  readonly #changeListeners = new Set<(pair: KeyPair) => void>();
  readonly #faultListeners = new Set<(fault: string) => void>();

  /** Looks once; calls `take` or `report` with what it finds. A rejection is reported. */
  protected abstract examine(): Promise<void>;

  abstract authority(): string | undefined;

  current(): KeyPair | undefined {
    return this.#current;
  }

  ready(): boolean {
    return this.#current !== undefined;
  }

  fault(): string | undefined {
    return this.#fault;
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    return subscribe(this.#changeListeners, listener);
  }

  onFault(listener: (fault: string) => void): () => void {
    return subscribe(this.#faultListeners, listener);
  }

  /** Looks now; while a look is under way, waits for that one. Never rejects for what it sees. */
  check(): Promise<void> {
    this.#checking ??= this.examine()
      .catch((error: unknown) => this.report(messageOf(error)))
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  /** Looks once, then at intervals until `stop`. */
  async start(every: Repeat, milliseconds: number): Promise<void> {
    await this.check();
    if (!this.#stopped) this.#endRepeat = every(() => void this.check(), milliseconds);
  }

  stop(): void {
    this.#stopped = true;
    this.#endRepeat?.();
  }

  /** Holds a new pair and tells it; one listener that throws keeps it from no other. */
  protected take(pair: KeyPair): void {
    if (this.#stopped) return;
    this.#current = pair;
    for (const listener of [...this.#changeListeners]) {
      try {
        listener(pair);
      } catch (error) {
        this.report(`a listener did not take the new certificate: ${messageOf(error)}`);
      }
    }
  }

  /** Holds the fault, or that there is none, and tells it when it is new. */
  protected report(fault: string | undefined): void {
    if (this.#stopped || fault === this.#fault) return;
    this.#fault = fault;
    if (fault !== undefined) for (const listener of [...this.#faultListeners]) listener(fault);
  }
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
