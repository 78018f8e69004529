interface Written {
  readonly metadata: { readonly resourceVersion: string };
}

/**
 * The objects of a kind that this process wrote and the watch has not reported yet. Without them a controller would read an
 * object from before its own write, and write the same again.
 */
export class OwnWrites<Type extends Written> {
  readonly #objects = new Map<string, Type>();
  /** The newest version that the watch reported. */
  #reported = 0n;

  get(key: string): Type | undefined {
    return this.#objects.get(key);
  }

  /** Adds the API server's response to a write. Returns whether it is news: the watch may have reported it before. */
  add(key: string, object: Type): boolean {
    const isNews = versionOf(object) > this.#reported;
    if (isNews) this.#objects.set(key, object);
    return isNews;
  }

  /** Takes note of an event of the watch. */
  reported(key: string, object: Written): void {
    const version = versionOf(object);
    if (version > this.#reported) this.#reported = version;
    const own = this.#objects.get(key);
    if (own !== undefined && versionOf(own) <= version) this.#objects.delete(key);
  }

  /** A watch that connects again may never report what became of them. */
  clear(): void {
    this.#objects.clear();
  }
}

/** The versions of a resource are integers that increase with each write. */
function versionOf({ metadata }: Written): bigint {
  return BigInt(metadata.resourceVersion);
}
