import { get, isObject, type Json, type JsonObject } from "../json/json.ts";

/**
 * An object with carriers that some release wrote, and what every later release must read from it: the object in another
 * version, without carriers.
 */
export interface Recording {
  readonly description: string;
  readonly release: string;
  /** Name of the kind with its group: `Room.home.antechamber.dev`. */
  readonly kind: string;
  /** Names of versions. */
  readonly from: string;
  readonly to: string;
  readonly object: JsonObject;
  readonly gives: JsonObject;
}

/** A recording from the content of its file; undefined if it is not a recording. */
export function readRecording(value: Json): Recording | undefined {
  const texts = ["description", "release", "kind", "from", "to"].every(
    (name) => typeof get(value, name) === "string",
  );
  const objects = ["object", "gives"].every((name) => isObject(get(value, name)));
  return texts && objects ? (value as unknown as Recording) : undefined;
}
