import { own } from "antechamber";
import { cacheString } from "antechamber/json";
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

/** The records of both hashes that a pod brings along. */
interface BothRecords {
  readonly hashes: Records;
  readonly withoutImage: Records;
}

/** Reads the records of earlier injections from a pod's annotations. */
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
      const why = "its entries are neither all records nor all hashes; remove the annotation";
      return {
        message: `pod(${namespace}/${name}) invalid annotations[${key}] value ${shown}, unmarshal failed: ${why}`,
      };
    }),
  };
}

/**
 * Records in a pod's annotations which SidecarSets were injected, with their hashes
 * (pkg/control/sidecarcontrol/util.go, UpdatePodSidecarSetHash).
 */
export function record(
  annotations: Annotations,
  existing: BothRecords,
  contents: readonly Content[],
  now: Date,
): void {
  const clauses = contents.map(({ set }): Clause => ({ set, path: [] }));
  const isFirst = existing.hashes.size + existing.withoutImage.size === 0;
  const texts = isFirst ? firstTexts(contents, now) : printBoth(existing, contents, now);
  annotations.set(hashKey, texts.hash, clauses);
  annotations.set(hashWithoutImageKey, texts.withoutImage, clauses);
  const names = contents.map(({ set }) => set);
  annotations.set(injectedListAnnotation, listWith(annotations.get(injectedListAnnotation), names), clauses);
}

/** The annotation of a pod that lists the InjectionPolicies injected into it. */
const policiesAnnotation = "injection.antechamber.dev/injected";

/** Records in a pod's annotations which InjectionPolicies were injected. OpenKruise's annotations list SidecarSets only. */
export function recordPolicies(annotations: Annotations, contents: readonly Content[]): void {
  const names = contents.map(({ set }) => set);
  const clauses = contents.map(({ set }): Clause => ({ set, kind: "InjectionPolicy", path: [] }));
  annotations.set(policiesAnnotation, listWith(annotations.get(policiesAnnotation), names), clauses);
}

/** The values of both annotations. */
interface PrintedRecords {
  readonly hash: string;
  readonly withoutImage: string;
}

function printBoth(
  { hashes, withoutImage }: BothRecords,
  contents: readonly Content[],
  now: Date,
): PrintedRecords {
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

/** The records of a pod that brings none along. */
export const noRecords: BothRecords = { hashes: new Map(), withoutImage: new Map() };

/** The records last printed for a pod that brought none along, by the first of its SidecarSets. */
const last = new WeakMap<Content, { second: number; contents: readonly Content[]; texts: PrintedRecords }>();

/**
 * Most pods bring no records along, and pods of one workload are created together: within a second all get the same.
 */
function firstTexts(contents: readonly Content[], now: Date): PrintedRecords {
  const [first] = contents;
  if (first === undefined) return printBoth(noRecords, contents, now);
  const second = Math.floor(now.getTime() / 1000);
  const known = last.get(first);
  if (known?.second === second && isSame(known.contents, contents)) return known.texts;
  const texts = printBoth(noRecords, contents, now);
  cacheString(texts.hash);
  cacheString(texts.withoutImage);
  last.set(first, { second, contents, texts });
  return texts;
}

function isSame(some: readonly Content[], others: readonly Content[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}
