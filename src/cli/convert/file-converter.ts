import { convert as convertObject } from "../../conversion/convert.ts";
import type { JsonObject } from "../../json/json.ts";
import type { Kind, Kinds } from "../../kind/kind.ts";
import type { PlacedObject } from "../../offline/input.ts";

/** Converts objects of its kinds. */
export interface FileConverter {
  readonly kinds: Kinds;
  /** What a user does about other kinds. */
  readonly others: string;
  /** The objects at their targets, or why one cannot be converted. */
  readonly convert: (jobs: readonly Job[]) => Promise<readonly (JsonObject | Error)[]>;
  readonly close?: () => void;
}

/** An object, and the indexes of its version and of the target. */
export interface Job {
  readonly input: PlacedObject;
  readonly kind: Kind;
  readonly from: number;
  readonly target: number;
}

/** By the lenses of kinds in folders. */
export async function byLens(jobs: readonly Job[]): Promise<readonly (JsonObject | Error)[]> {
  return jobs.map(({ input, kind, from, target }) => {
    try {
      return convertObject(input.value, kind.chain, from, target);
    } catch (error) {
      return new Error(String(error), { cause: error });
    }
  });
}
