import { hasNoFields, set } from "../json/json.ts";
import { type Payload, type PayloadText, writePayloadWith } from "./carriers.ts";
import type { FoundTree } from "./found-tree.ts";
import type { Tree } from "./tree.ts";

/** What a hub object stores for its spokes: the tree that was found for one of them, and those of others. */
export class StoredSpokes {
  readonly #name: string;
  readonly #found: FoundTree | undefined;
  readonly #others: Payload["spokes"];
  #trees: Payload["spokes"];

  /** `before` are the trees that were stored, that of the spoke of this name included. */
  constructor(name: string, found: FoundTree | undefined, before: Payload["spokes"]) {
    this.#name = name;
    this.#found = found;
    this.#others = withoutSpoke(before, name);
  }

  get isEmpty(): boolean {
    return this.#found === undefined && this.#others === undefined;
  }

  get trees(): Payload["spokes"] {
    if (this.#found === undefined) return this.#others;
    this.#trees ??= { ...this.#others, [this.#name]: this.#found.tree };
    return this.#trees;
  }

  /** The payload that holds nothing else. */
  get text(): PayloadText {
    if (this.#found === undefined || this.#others !== undefined)
      return writePayloadWith(undefined, { spokes: this.trees });
    return `{"spokes":{${JSON.stringify(this.#name)}:${this.#found.text}}}`;
  }
}

/** The trees of other spokes; undefined for none. */
export function withoutSpoke(spokes: Payload["spokes"], name: string): Payload["spokes"] {
  if (spokes === undefined) return undefined;
  const others = set(spokes, name, undefined) as Readonly<Record<string, Tree>>;
  return hasNoFields(others) ? undefined : others;
}
