/** The bytes of all bodies that are being read or answered, and how many there may be. */
export class BodyMemory {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many bytes are held now. */
  held(): number {
    return this.#held;
  }

  /** The share of one body, empty at first. */
  share(): Share {
    let bytes = 0;
    return {
      grow: (more) => {
        const isSmall = bytes + more <= smallBytes;
        if (!isSmall && this.#held + more > this.#limit) return false;
        this.#held += more;
        bytes += more;
        return true;
      },
      release: () => {
        this.#held -= bytes;
        bytes = 0;
      },
    };
  }
}

/**
 * A body of no more is always taken in, so that large ones cannot keep out the small reviews that users wait for. What
 * all of these hold together is bounded by the number of connections.
 */
const smallBytes = 64 * 1024;

/** What one body holds of the memory. */
export interface Share {
  /** Holds more, if there is room or it is little: false where there is none. */
  readonly grow: (more: number) => boolean;
  /** Gives everything back; a second time there is nothing to give. */
  readonly release: () => void;
}
