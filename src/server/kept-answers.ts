import { hash } from "node:crypto";
import type { ConversionReport } from "../review/answer.ts";

/** What answers are kept under. */
interface AnswerKey {
  readonly digest: string;
  readonly uid: string;
  readonly generation: number;
}

interface KeptAnswer {
  readonly start: number;
  readonly end: number;
  /** Where the uid stands in it. */
  readonly uidAt: number;
  readonly report: ConversionReport;
}

/**
 * Answers to conversions, for API servers ask again for what they have just asked: for a write at an older version eight times,
 * of which the events of the watch cache repeat a part. Without it the conversions of the script of bench/bill.ts cost 1.2 of
 * the CPU time.
 *
 * An answer depends on the bytes of its review and on the kinds alone, so it is kept under a SHA-256 of all bytes but the uid,
 * and only until a kind changes. The newest take the place of the oldest in one buffer, outside of V8's heap.
 */
export class KeptAnswers {
  readonly #generation: () => number;
  readonly #buffer: Buffer;
  readonly #kept = new Map<string, KeptAnswer>();
  #keptIn = 0;
  #next = 0;

  /** In so many bytes; `generation` is another number whenever a kind has changed. */
  constructor(bytes: number, generation: () => number) {
    this.#generation = generation;
    this.#buffer = Buffer.allocUnsafeSlow(bytes);
  }

  /** The key of a review; undefined if it is not one of an object that an API server wrote. */
  keyOf(body: Buffer): AnswerKey | undefined {
    if (body.length > longest || !body.subarray(0, opening.length).equals(opening)) return undefined;
    const uid = body.toString("latin1", opening.length, opening.length + uidLength);
    if (!isUid.test(uid)) return undefined;
    const digest = hash("sha256", body.subarray(opening.length + uidLength), "base64");
    return { digest, uid, generation: this.#generation() };
  }

  /** The answer that was kept under a key, with the uid of the present review. */
  find({ digest, uid, generation }: AnswerKey): { text: Buffer; report: ConversionReport } | undefined {
    if (generation !== this.#keptIn) return undefined;
    const kept = this.#kept.get(digest);
    if (kept === undefined) return undefined;
    const text = Buffer.from(this.#buffer.subarray(kept.start, kept.end));
    text.write(uid, kept.uidAt, "latin1");
    return { text, report: { ...kept.report, uid } };
  }

  /** Keeps an answer, unless a kind has changed since its review was read. */
  keep({ digest, uid, generation }: AnswerKey, text: string, report: ConversionReport): void {
    if (generation !== this.#generation()) return;
    if (generation !== this.#keptIn) this.#kept.clear();
    this.#keptIn = generation;
    const bytes = Buffer.from(text);
    const uidAt = bytes.indexOf(uid);
    if (uidAt < 0 || bytes.length > this.#buffer.length || this.#kept.has(digest)) return;
    if (this.#next + bytes.length > this.#buffer.length) {
      this.#forget(this.#buffer.length);
      this.#next = 0;
    }
    const [start, end] = [this.#next, this.#next + bytes.length];
    this.#forget(end);
    this.#buffer.set(bytes, start);
    this.#kept.set(digest, { start, end, uidAt, report });
    this.#next = end;
  }

  /** Forgets what begins between the next place and another. These are the oldest, as all were placed one behind the other. */
  #forget(end: number): void {
    for (const [digest, { start }] of this.#kept) {
      if (start < this.#next || start >= end) return;
      this.#kept.delete(digest);
    }
  }
}

/** Bytes. Longer ones are few, and would take the place of many. */
const longest = 64 * 1024;

/** As apiextensions-apiserver writes it (pkg/apis/apiextensions/v1/types.go, ConversionReview). */
const opening = Buffer.from(
  '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"',
);

const uidLength = 36;
const isUid = /^[\da-f-]{36}$/;
