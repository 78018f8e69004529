/**
 * A set of items that are added and removed with every request, such as open connections. It stands in place of a Set or Map
 * for the garbage collector's sake: an outgrown table of a Set points to its successor, so once one of them has reached the
 * old generation V8 keeps all later ones, and the requests in them, until its next full collection. Under a steady load that
 * was 1.5 MB at each scavenge, which took 3 to 4 ms; with this list it takes 0.6 ms. It shortens these pauses, not the mean
 * time of a review: without it that was 0.97 to 0.99 at 1, 8 and 10 reviews at once.
 */
export class SlotList<Item> {
  readonly #slots: Slot<Item>[] = [];

  /** How many items there are. */
  get size(): number {
    return this.#slots.length;
  }

  /** Adds an item. Returns the function that removes it; idempotent. */
  add(item: Item): () => void {
    const slot = { item, index: this.#slots.length };
    this.#slots.push(slot);
    return () => this.#remove(slot);
  }

  /** Iterates over the items that are there when the iteration begins. */
  *[Symbol.iterator](): Generator<Item, void> {
    for (const { item } of [...this.#slots]) yield item;
  }

  /** Fills the slot of the removed item with the last one. */
  #remove(slot: Slot<Item>): void {
    const slots = this.#slots;
    if (slots[slot.index] !== slot) return;
    const last = slots.pop();
    if (last === undefined || last === slot) return;
    slots[slot.index] = last;
    last.index = slot.index;
  }
}

interface Slot<Item> {
  readonly item: Item;
  index: number;
}
