/**
 * What a test suite of a user's own needs to test a kind, imported from `antechamber/testing`: conversion, admission and the
 * laws as functions, and matchers for vitest and jest. docs/guides/testing.md shows how.
 */

import type { Kind } from "../kind/kind.ts";
import { loadKinds } from "../kind/load-kinds.ts";

export type { Json, JsonObject } from "../json/json.ts";
export type { Kind } from "../kind/kind.ts";
export { InvalidKinds, loadKinds } from "../kind/load-kinds.ts";
export { checkLaws, type LawVerdict, laws, type Trials } from "../laws/check.ts";
export { type MatchResult, matchers, type ObjectMatchers } from "./matchers.ts";
export { isSameObject, withoutCarriers } from "./same.ts";
export { admit, type Conditions, convert, type DeniedField, type Outcome, validate } from "./write.ts";

/**
 * Loads the kind in a folder.
 * @throws {InvalidKinds} with everything that is wrong with it
 * @throws {Error} if the folder has none, or several
 */
export async function loadKind(folder: string): Promise<Kind> {
  const [kind, ...others] = (await loadKinds([folder])).all;
  if (kind !== undefined && others.length === 0) return kind;
  const names = [kind, ...others].map((each) => each?.name).join(", ");
  throw new Error(
    `${folder}: holds ${names || "no kind with versions"}; loadKind takes the folder of one kind`,
  );
}
