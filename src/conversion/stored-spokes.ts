import { hasNoFields, set } from "../json/json.ts";
import type { Payload } from "./carriers.ts";
import type { Tree } from "./tree.ts";

/** What a hub object stores for its spokes: the tree that was found for one of them, and those of others. */
export function withSpoke(
  spokes: Payload["spokes"],
  name: string,
  tree: Tree | undefined,
): Payload["spokes"] {
  const others = withoutSpoke(spokes, name);
  return tree === undefined ? others : { ...others, [name]: tree };
}

/** The trees of other spokes; undefined for none. */
export function withoutSpoke(spokes: Payload["spokes"], name: string): Payload["spokes"] {
  if (spokes === undefined) return undefined;
  const others = set(spokes, name, undefined) as Readonly<Record<string, Tree>>;
  return hasNoFields(others) ? undefined : others;
}
