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
        if (this.#held + more > this.#limit) return false;
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

/** What one body holds of the memory. */
export interface Share {
  /** Holds more, if there is room: false where there is none. */
  readonly grow: (more: number) => boolean;
  /** Gives everything back; a second time there is nothing to give. */
  readonly release: () => void;
}
