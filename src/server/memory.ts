/** The bytes of all bodies that are being read or answered, how many there may be, and who holds them. */
export class BodyMemory {
  readonly #limit: number;
  readonly #byCaller = new Map<string, number>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many bytes are held now. */
  held(): number {
    return this.#held;
  }

  /** Whether a caller who is alone may hold so many bytes. */
  isEnoughFor(bytes: number): boolean {
    return bytes <= 2 * (this.#limit - bytes);
  }

  /** The share of one body, empty at first. */
  share(caller: string): Share {
    let bytes = 0;
    return {
      grow: (more) => {
        const isSmall = bytes + more <= smallBytes;
        if (!isSmall && !this.#isFree(more, caller)) return false;
        bytes += more;
        this.#add(caller, more);
        return true;
      },
      release: () => {
        this.#add(caller, -bytes);
        bytes = 0;
      },
    };
  }

  /**
   * A caller may hold twice of what is free: alone two thirds of all, two of them two fifths each, and however many there
   * are, some is left for one who comes later (dynamic thresholds: Choudhury, Hahne 1998).
   */
  #isFree(more: number, caller: string): boolean {
    const free = this.#limit - this.#held - more;
    return free >= 0 && (this.#byCaller.get(caller) ?? 0) + more <= 2 * free;
  }

  #add(caller: string, bytes: number): void {
    if (bytes === 0) return;
    this.#held += bytes;
    const held = (this.#byCaller.get(caller) ?? 0) + bytes;
    // A caller who sends one review after the other keeps its entry.
    if (held > 0 || this.#byCaller.size <= keptCallers) this.#byCaller.set(caller, held);
    else this.#byCaller.delete(caller);
  }
}

const keptCallers = 64;

/**
 * A body of no more is always taken in, so that large ones cannot keep out the small reviews that users wait for. What
 * all of these hold together is bounded by the number of connections.
 */
const smallBytes = 64 * 1024;

/** What one body holds of the memory. */
export interface Share {
  /** Holds more, if there is room or it is little: false where there is none. */
  readonly grow: (more: number) => boolean;
  /** Gives everything back; idempotent. */
  readonly release: () => void;
}
