import fc from "fast-check";

/**
 * Values whose arbitrary is made when the first of them is drawn. A schema of a megabyte has ten thousands of places, of which a run
 * visits few.
 */
export function lazily<T>(make: () => fc.Arbitrary<T>): fc.Arbitrary<T> {
  return new Lazy(make);
}

class Lazy<T> extends fc.Arbitrary<T> {
  readonly #make: () => fc.Arbitrary<T>;
  #made: fc.Arbitrary<T> | undefined;

  constructor(make: () => fc.Arbitrary<T>) {
    super();
    this.#make = make;
  }

  get #arbitrary(): fc.Arbitrary<T> {
    this.#made ??= this.#make();
    return this.#made;
  }

  override generate(...[random, bias]: Parameters<fc.Arbitrary<T>["generate"]>): fc.Value<T> {
    return this.#arbitrary.generate(random, bias);
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#arbitrary.canShrinkWithoutContext(value);
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.#arbitrary.shrink(value, context);
  }
}
