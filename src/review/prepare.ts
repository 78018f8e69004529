import type { Kind, Kinds } from "../kind/kind.ts";

/**
 * The same kinds. Soon after the first review of a write of each, the fast path of its newest version is compiled (see hub-rules.ts):
 * the first reviews do without it, so that none waits for it, and a kind without writes takes no memory for it.
 */
export function preparedOnUse(kinds: Kinds, later: (call: () => void) => void): Kinds {
  const used = new Set<string>();
  const prepare = (kind: Kind) => {
    used.add(kind.name);
    if (kind.definition.versions.length > 1) later(() => kind.hub.schema.prepare());
  };
  return {
    get all() {
      return kinds.all;
    },
    natives: kinds.natives,
    findNative: kinds.findNative,
    find: (group, name) => {
      const kind = kinds.find(group, name);
      if (kind !== undefined && !used.has(kind.name)) prepare(kind);
      return kind;
    },
  };
}
