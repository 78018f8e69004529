import { cacheString, own } from "antechamber";
import { goString } from "../../kruise/shared/go-json.ts";
import {
  hashAnnotation as hashKey,
  hashWithoutImageAnnotation as hashWithoutImageKey,
  injectedListAnnotation,
} from "../../kruise/shared/names.ts";
import { stringAt } from "../../kruise/shared/read.ts";
import type { Annotations } from "./annotations.ts";
import type { Clause, Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import type { PodView } from "./pod-view.ts";
import { listWith, printRecords, type Records, readRecords, recordAt, timestampOf } from "./records.ts";

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
  const name = stringAt(own(pod.pod, "metadata"), "name");
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
  const isFirst = there.hashes.size + there.withoutImage.size === 0;
  const texts = isFirst ? firstTexts(contents, now) : textsOf(there, contents, now);
  annotations.set(hashKey, texts.hash, clauses);
  annotations.set(hashWithoutImageKey, texts.withoutImage, clauses);
  const names = contents.map(({ set }) => set);
  annotations.set(injectedListAnnotation, listWith(annotations.get(injectedListAnnotation), names), clauses);
}

/** Both records as they are written. */
interface Texts {
  readonly hash: string;
  readonly withoutImage: string;
}

function textsOf({ hashes, withoutImage }: BothRecords, contents: readonly Content[], now: Date): Texts {
  const timestamp = goString(timestampOf(now));
  const write = (records: Records, tailOf: (content: Content) => string) =>
    printRecords(
      new Map([
        ...records,
        ...contents.map((each) => [each.set, recordAt(timestamp, tailOf(each))] as const),
      ]),
    );
  return {
    hash: write(hashes, ({ records }) => records.hash),
    withoutImage: write(withoutImage, ({ records }) => records.hashWithoutImage),
  };
}

const noRecords: BothRecords = { hashes: new Map(), withoutImage: new Map() };

/** What was last written into a pod that had no records, by the first of the SidecarSets. */
const last = new WeakMap<Content, { second: number; contents: readonly Content[]; texts: Texts }>();

/** Most pods have no records, and pods of one workload come together: within a second they all get the same. */
function firstTexts(contents: readonly Content[], now: Date): Texts {
  const [first] = contents;
  if (first === undefined) return textsOf(noRecords, contents, now);
  const second = Math.floor(now.getTime() / 1000);
  const known = last.get(first);
  if (known?.second === second && isSame(known.contents, contents)) return known.texts;
  const texts = textsOf(noRecords, contents, now);
  cacheString(texts.hash);
  cacheString(texts.withoutImage);
  last.set(first, { second, contents, texts });
  return texts;
}

function isSame(some: readonly Content[], others: readonly Content[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}
