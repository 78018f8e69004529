import { isObject, type JsonObject, own } from "antechamber";
import type { Clause } from "./clause.ts";
import type { PlannedAnnotation } from "./planned.ts";

/** The annotations of a pod while a plan is made: their values so far, and which SidecarSets set them. */
export class Annotations {
  readonly #texts: Map<string, string>;
  readonly #planned = new Map<string, PlannedAnnotation>();

  constructor(pod: JsonObject) {
    const annotations = own(own(pod, "metadata"), "annotations");
    const entries = isObject(annotations) ? Object.entries(annotations) : [];
    this.#texts = new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  }

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  /** A copy of the values so far. */
  texts(): ReadonlyMap<string, string> {
    return new Map(this.#texts);
  }

  set(key: string, value: string, clauses: readonly Clause[]): void {
    this.#texts.set(key, value);
    const earlier = this.#planned.get(key)?.clauses ?? [];
    this.#planned.set(key, { key, value, clauses: [...earlier, ...clauses] });
  }

  /** The annotations that were set, with their final values. */
  planned(): readonly PlannedAnnotation[] {
    return [...this.#planned.values()];
  }
}
