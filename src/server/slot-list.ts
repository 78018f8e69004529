/**
 * Who is there, where somebody comes and goes with every request. A Set's table points to the table that took its place:
 * once one of them is old, V8 keeps them all, and everybody who stood in one, until it next looks through the whole heap.
 */
export class SlotList<Item> {
  readonly #places: Place<Item>[] = [];

  /** How many are there. */
  get size(): number {
    return this.#places.length;
  }

  /** Comes; gives back the way to leave. A second time there is nobody to leave. */
  enter(item: Item): () => void {
    const place = { item, at: this.#places.length };
    this.#places.push(place);
    return () => this.#leave(place);
  }

  *[Symbol.iterator](): Generator<Item, void> {
    for (const { item } of [...this.#places]) yield item;
  }

  #leave(place: Place<Item>): void {
    const places = this.#places;
    if (places[place.at] !== place) return;
    const last = places.pop();
    if (last === undefined || last === place) return;
    places[place.at] = last;
    last.at = place.at;
  }
}

interface Place<Item> {
  readonly item: Item;
  at: number;
}
