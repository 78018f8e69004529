/** A value that is made on first use, and kept. */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
