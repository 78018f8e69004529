import { parseJson, writeJson } from "../json/exact.ts";
import { sorted, type Tree } from "./tree.ts";

/** JSON text of a tree with sorted keys. */
export type TreeText = string;

/** A tree that a comparison found, as a value and as text. Each is made when it is read: most often a tree is only written. */
export class FoundTree {
  #tree: Tree | undefined;
  #text: TreeText | undefined;

  private constructor(tree: Tree | undefined, text: TreeText | undefined) {
    this.#tree = tree;
    this.#text = text;
  }

  static of(tree: Tree): FoundTree {
    return new FoundTree(tree, undefined);
  }

  static ofText(text: TreeText): FoundTree {
    return new FoundTree(undefined, text);
  }

  get tree(): Tree {
    this.#tree ??= parseJson(this.#text ?? "{}") as Tree;
    return this.#tree;
  }

  get text(): TreeText {
    this.#text ??= writeJson(sorted(this.tree));
    return this.#text;
  }
}
