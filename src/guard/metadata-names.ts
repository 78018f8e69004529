import type { MappedMetadata } from "../conversion/marks.ts";
import { isObject, type JsonObject, own } from "../json/json.ts";
import type { Converted } from "./answer.ts";

type Sort = keyof MappedMetadata;

/**
 * What is known of the labels and annotations that an upstream reads and writes. Those that it adds or takes out are content, so
 * that fields which are mapped to them keep working. An annotation with an object or a list in it, which it adds going one way
 * and takes out going the other, is one in which the upstream itself carries data.
 */
export class MetadataNames {
  /** They count as content. */
  readonly mapped: Readonly<Record<Sort, string[]>> = { labels: [], annotations: [] };
  /** Annotations in which the upstream carries data: never shown, and only believed if they are from before us. */
  readonly carried: Set<string>;
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();

  constructor(carried: readonly string[]) {
    this.carried = new Set(carried);
  }

  /** Learns from the answer for an object. */
  learn(sent: JsonObject, answer: Converted): void {
    for (const sort of ["labels", "annotations"] as const) {
      const before = own(sent.metadata, sort);
      const marks = isObject(before) ? before : {};
      for (const name of new Set([...Object.keys(marks), ...Object.keys(answer[sort])])) {
        const [was, is] = [own(marks, name), own(answer[sort], name)];
        if (was !== is) this.#note(sort, name, was === undefined, is ?? was);
      }
    }
  }

  #note(sort: Sort, name: string, isNew: boolean, value: unknown): void {
    if (this.carried.has(name)) return;
    const names = this.mapped[sort];
    if (sort === "annotations" && isStructured(value)) {
      const known = isNew ? this.#added : this.#removed;
      if (known.size < mostNames) known.add(name);
      if (this.#added.has(name) && this.#removed.has(name)) {
        this.carried.add(name);
        if (names.includes(name)) names.splice(names.indexOf(name), 1);
        return;
      }
    }
    // What is beyond the limit stays as it is: so do all labels and annotations that an upstream leaves alone.
    if (names.length < mostNames && !names.includes(name)) names.push(name);
  }
}

/** Whether a text may be an object or a list as JSON. */
function isStructured(value: unknown): boolean {
  return typeof value === "string" && /^\s*(?:\{.*\}|\[.*\])\s*$/s.test(value);
}

/** Names of each sort: an upstream has a handful, but one that takes out all of them must not fill the memory. */
const mostNames = 64;
