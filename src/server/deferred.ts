/**
 * Does a small piece of work for many items at once, later: what is done for one item after another finds its code and tables in the
 * processor's caches. For what needs no result, such as counting.
 */
export class Deferred<Item> {
  readonly #work: (item: Item) => void;
  readonly #items: Item[] = [];

  constructor(work: (item: Item) => void) {
    this.#work = work;
  }

  add(item: Item): void {
    if (this.#items.push(item) >= mostItems) this.flush();
  }

  /** Does what is left to do. */
  flush(): void {
    for (const item of this.#items.splice(0)) this.#work(item);
  }
}

/** Counting so many reviews takes a fifth of a millisecond. */
const mostItems = 128;
