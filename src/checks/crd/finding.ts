import type { Json, JsonObject } from "../../json/json.ts";
import type { Effect } from "./effects.ts";
import type { Stored } from "./updates.ts";

/** How a change affects clients and stored objects. */
export type Class = "breaking" | "risky" | "safe";

/** A change of behaviour, with an object that shows it. */
export interface Finding {
  readonly class: Class;
  /**
   * What the new revision does with the object, which the old one accepts. `accepted` is the reverse: the old one refuses it.
   * `unserved`: its version is not served any more. `refused update`: the update from `old` to `object` is refused. `destroyed`: the
   * first write at another version makes `object` of what is stored as `old`. `mistyped`: another version shows a value of a type
   * that it does not declare.
   */
  readonly effect:
    | Effect["effect"]
    | "accepted"
    | "refused update"
    | "accepted update"
    | "unserved"
    | "read otherwise"
    | "destroyed"
    | "mistyped";
  /** The version at which the object is written; `v1 → v2` where it is read at another one. */
  readonly version: string;
  readonly place: string;
  readonly field: string;
  /** The API server's words. */
  readonly message?: string;
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
  readonly object: JsonObject;
  /** The object before an update. */
  readonly old?: JsonObject;
  /** What the new revision does with updates of the object if it is stored already. */
  readonly stored?: Stored;
  /** The differences between the schemas that it shows: `spec.size: maximum 10 → 8`. */
  readonly because: readonly string[];
}
