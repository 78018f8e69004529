import type { Kind } from "../kind/kind.ts";

/**
 * Compiles what the first reviews of writes would wait for: the checks of the newest versions (see hub-rules.ts). One kind in a
 * turn of the event loop, so that a service that already listens answers in between.
 */
export function prepareInTurns(kinds: readonly Kind[]): void {
  const [next, ...rest] = kinds.filter(({ versions }) => versions.length > 1);
  if (next === undefined) return;
  setImmediate(() => {
    next.hub.schema.prepare();
    prepareInTurns(rest);
  });
}
