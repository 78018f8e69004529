import { convert } from "../conversion/convert.ts";
import { type ClientWrite, keep } from "../conversion/keeper.ts";
import type { Ladder } from "../conversion/ladder.ts";
import type { JsonObject } from "../json/json.ts";

/** What the laws are asked of: the conversion and the keeper. Passed in, so that a broken one can be caught. */
export interface Engine {
  readonly convert: (object: JsonObject, ladder: Ladder, from: number, to: number) => JsonObject;
  readonly keep: (object: JsonObject, oldObject: JsonObject | undefined, write: ClientWrite) => JsonObject;
}

/** The engine that serves. */
export const servingEngine: Engine = { convert, keep };
