import { own } from "../../../src/json/json.ts";
import {
  hashAnnotation as hashKey,
  hashWithoutImageAnnotation as hashWithoutImageKey,
} from "../../kruise/sidecarset/hash.ts";
import type { Annotations } from "./annotations.ts";
import type { Clause, Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import { goText, textAt } from "./json-text.ts";
import type { PodView } from "./pod-view.ts";
import {
  injectedListKey,
  listWith,
  printRecords,
  type Records,
  readRecords,
  recordAt,
  timestampOf,
} from "./records.ts";

/** The records of both hashes that a pod has already. */
export interface BothRecords {
  readonly hashes: Records;
  readonly withoutImage: Records;
}

/** Reads what a pod's annotations remember of other SidecarSets, or of an earlier time. */
export function readRecordsOf(
  annotations: Annotations,
  pod: PodView,
  namespace: string,
): BothRecords | { readonly faults: readonly Fault[] } {
  const [hashes, withoutImage] = [hashKey, hashWithoutImageKey].map((key) =>
    readRecords(annotations.get(key)),
  );
  if (hashes !== undefined && withoutImage !== undefined) return { hashes, withoutImage };
  const keys = [
    ...(hashes === undefined ? [hashKey] : []),
    ...(withoutImage === undefined ? [hashWithoutImageKey] : []),
  ];
  const name = textAt(own(pod.pod, "metadata"), "name");
  return {
    faults: keys.map((key) => {
      const text = annotations.get(key) ?? "";
      const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
      const why = "its entries are neither all records nor all hashes; take the annotation off";
      return {
        sentence: `pod(${namespace}/${name}) invalid annotations[${key}] value ${shown}, unmarshal failed: ${why}`,
      };
    }),
  };
}

/** Records in a pod's annotations which SidecarSets went into it, and as what (sidecarset.md 2.10). */
export function record(
  annotations: Annotations,
  there: BothRecords,
  contents: readonly Content[],
  now: Date,
): void {
  const clauses = contents.map(({ set }): Clause => ({ set, path: [] }));
  const timestamp = goText(timestampOf(now));
  const hashes = contents.map(({ set, records }) => [set, recordAt(timestamp, records.hash)] as const);
  const withoutImage = contents.map(
    ({ set, records }) => [set, recordAt(timestamp, records.hashWithoutImage)] as const,
  );
  const names = contents.map(({ set }) => set);
  const write = (records: Records, more: readonly (readonly [string, string])[]) =>
    printRecords(new Map([...records, ...more]));
  annotations.set(hashKey, write(there.hashes, hashes), clauses);
  annotations.set(hashWithoutImageKey, write(there.withoutImage, withoutImage), clauses);
  annotations.set(injectedListKey, listWith(annotations.get(injectedListKey), names), clauses);
}
