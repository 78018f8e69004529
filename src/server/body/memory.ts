/** Accounts for the bytes of all bodies that are being read or answered, by caller, and limits them. */
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

  /** Whether a caller may hold so many bytes while no other caller holds any. */
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
   * A caller may hold twice of what is free (dynamic thresholds: Choudhury, Hahne 1998): one caller gets two thirds of the
   * memory, two get two fifths each, and any number of them leaves some for the next caller.
   */
  #isFree(more: number, caller: string): boolean {
    const free = this.#limit - this.#held - more;
    return free >= 0 && (this.#byCaller.get(caller) ?? 0) + more <= 2 * free;
  }

  #add(caller: string, bytes: number): void {
    if (bytes === 0) return;
    this.#held += bytes;
    const held = (this.#byCaller.get(caller) ?? 0) + bytes;
    // Up to a number of callers an entry stays at 0, so that one review after another does not add and delete it.
    if (held > 0 || this.#byCaller.size <= keptCallers) this.#byCaller.set(caller, held);
    else this.#byCaller.delete(caller);
  }
}

const keptCallers = 64;

/**
 * A body of at most this size is always accepted, so that large bodies cannot keep out the small reviews that users wait for.
 * The limit of connections bounds what all of them hold together.
 */
const smallBytes = 64 * 1024;

/** The memory that one body holds. */
export interface Share {
  /** Holds so many bytes more; false if there is not enough memory and the share is not small. */
  readonly grow: (more: number) => boolean;
  /** Releases everything; idempotent. */
  readonly release: () => void;
}
