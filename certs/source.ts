import { messageOf } from "../src/errors.ts";
import type { KeyPair } from "./keypair.ts";
import type { Phase } from "./rotation.ts";

/** Provides the current key pair and notifies of changes. */
export interface CertificateSource {
  /** The pair to serve; undefined until there is a valid one, which is kept until the next valid one. */
  current(): KeyPair | undefined;
  /** Whether there is a pair to serve. */
  ready(): boolean;
  /** A message about the current fault, if any; without a pair to serve, the reason. */
  fault(): string | undefined;
  /** PEM of the CA certificates to trust, if known. */
  authority(): string | undefined;
  /** The phase of the rotation, as last read; absent without one. */
  phase?(): Phase | undefined;
  /** Calls the listener on each new pair or new CA; returns a function to unsubscribe. */
  onChange(listener: (pair: KeyPair) => void): () => void;
  /** Calls the listener once for each new fault; returns a function to unsubscribe. */
  onFault(listener: (fault: string) => void): () => void;
  /** Stops checking and notifying; `current` stays. */
  stop(): void;
}

/** Runs a task at intervals; returns a function to stop. Passed in, so that tests need not wait. */
export type Repeat = (task: () => void, milliseconds: number) => () => void;

/** Repeats with a timer that does not keep the process alive. */
export const repeat: Repeat = (task, milliseconds) => {
  const timer = setInterval(task, milliseconds).unref();
  return () => clearInterval(timer);
};

/** A source that checks at intervals for a new pair. Subclasses implement `examine`. */
export abstract class CheckedSource implements CertificateSource {
  #current: KeyPair | undefined;
  #fault: string | undefined;
  #checking: Promise<void> | undefined;
  #stopped = false;
  #endRepeat: (() => void) | undefined;
  readonly #changeListeners = new Set<(pair: KeyPair) => void>();
  readonly #faultListeners = new Set<(fault: string) => void>();

  /** Checks once; calls `take` or `report` with the result. A rejection is reported. */
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

  /** Checks now, or waits for the check in progress. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.examine()
      .catch((error: unknown) => this.report(messageOf(error)))
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  /** Checks once, then at intervals until `stop`. */
  async start(every: Repeat, milliseconds: number): Promise<void> {
    await this.check();
    if (!this.#stopped) this.#endRepeat = every(() => void this.check(), milliseconds);
  }

  stop(): void {
    this.#stopped = true;
    this.#endRepeat?.();
  }

  /** Sets a new pair and notifies all listeners, even if one throws. */
  protected take(pair: KeyPair): void {
    if (this.#stopped) return;
    this.#current = pair;
    for (const listener of [...this.#changeListeners]) {
      try {
        listener(pair);
      } catch (error) {
        this.report(`a listener failed to handle the new certificate: ${messageOf(error)}`);
      }
    }
  }

  /** Sets or clears the fault, and notifies listeners of a new one. */
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
